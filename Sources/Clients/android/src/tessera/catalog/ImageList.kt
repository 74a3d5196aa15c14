package tessera.catalog

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/**
 * The images of a catalog: lines of its document, each of which is parsed when it is asked for. An element that cannot be read
 * is a [CatalogException] when it is; the others can still be read.
 */
class ImageList internal constructor(
    internal val bytes: ByteArray,
    /** The offset of each line, and of the one behind the last. */
    private val starts: IntArray,
    private val formats: List<Format>
) : AbstractList<Image>(), RandomAccess {
    override val size: Int get() = starts.size - 1

    override fun get(index: Int): Image {
        if (index !in 0 until size) throw IndexOutOfBoundsException("image $index of $size")
        val member = "images[$index]"
        return located(index + 2) { Node(parsed(bytes, starts[index], end(index), member), member).image(formats) }
    }

    /**
     * The position of the first image with an id, as in the manifest. The first call finds the ids of all, without parsing more
     * than these; an image whose id cannot be read has a position only.
     */
    fun position(id: String): Int? = positions[id]

    private val positions: Map<String, Int> by lazy {
        val found = HashMap<String, Int>(size * 4 / 3 + 1)
        for (index in 0 until size) {
            val id = id(index)
            if (id != null && !found.containsKey(id)) found[id] = index
        }
        found
    }

    /** Where a line ends, without its comma and its line break. */
    internal fun end(index: Int): Int = starts[index + 1] - if (index == size - 1) 1 else 2

    internal fun start(index: Int): Int = starts[index]

    private fun id(index: Int): String? {
        val (start, end) = Pair(starts[index], end(index))
        for (place in PREFIX.indices) if (start + place >= end || bytes[start + place] != PREFIX[place]) return null
        val quote = start + PREFIX.size - 1
        var place = quote + 1
        while (place < end && bytes[place] != QUOTE) place += if (bytes[place] == BACKSLASH) 2 else 1
        if (place >= end) return null
        return try {
            parsed(bytes, quote, place + 1, "").string
        } catch (mismatch: Mismatch) {
            null
        }
    }

    private companion object {
        val PREFIX = "{\"id\":\"".toByteArray()
        const val QUOTE: Byte = 0x22
        const val BACKSLASH: Byte = 0x5C
    }
}

/** Parses some bytes of a document. Throws [Mismatch]. */
internal fun parsed(bytes: ByteArray, start: Int, end: Int, member: String, more: String = ""): CatalogValue {
    val text = try {
        Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, start, end - start)).toString()
    } catch (error: CharacterCodingException) {
        throw Mismatch(member, "expected UTF-8")
    }
    return JsonParser(text + more, member).document()
}

/** Runs a body that reads one line, and gives what does not fit its line. */
internal inline fun <Value> located(line: Int, read: () -> Value): Value {
    try {
        return read()
    } catch (mismatch: Mismatch) {
        throw CatalogException(line, mismatch.member, mismatch.reason)
    }
}
