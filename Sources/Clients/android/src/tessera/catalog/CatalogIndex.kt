package tessera.catalog

import java.io.File
import java.security.MessageDigest

/**
 * A Tessera catalog (`tessera-catalog/1`), opened for one device: everything an app needs to lay out its screens before the first
 * image has loaded. Members that this version does not know are ignored, so an app can read catalogs of later minor versions.
 *
 * Opening finds the lines of the document; an image is parsed when it is asked for.
 *
 * @param bytes the document; what an app stores, so that changes apply to it. They are not copied, and must stay as they are.
 * @param accepting the media types that the device shows; see [androidTypes].
 * @param from the URL of the catalog. Needed if it has no `baseURL`, or a relative one; its query and fragment do not count.
 * @param checksDigest whether a catalog that was altered is rejected.
 * @throws CatalogException for what is not a catalog, for one that is cut off, and for one that does not say where its files are.
 */
class CatalogIndex(
    val bytes: ByteArray, internal val accepting: Set<String>, val from: String? = null, checksDigest: Boolean = false
) {
    /** The offset of the line of each image, and of the line behind the last. */
    private val lines = linesOf(bytes)
    /** SHA-256 of the document's bytes after this member, in hexadecimal. Each other document has another one. */
    val digest: String
    /** The places in the layout, by name. */
    val slots: Map<String, Box>
    /** Device pixels per point, ascending. */
    internal val scales: List<Int>
    internal val formats: List<Format>
    /** What comes before the path of a file. */
    internal val prefix: String
    /** Of the first document of a screen: the URLs of the others, in the order of their images. */
    val parts: List<String>
    /** In the order of the manifest. One that cannot be read is a [CatalogException] when it is asked for. */
    val images: List<CatalogEntry> = Images()

    init {
        try {
            val head = parse(bytes, 0, lines[0] - 1, "", "]}")
            if (head["schema"].value != SCHEMA) head["schema"].mismatch("\"$SCHEMA\", the only version that this library reads")
            val count = head["count"].int()
            if (images.size != count) throw Mismatch("", "the catalog has ${images.size} of its $count images")
            digest = head["digest"].text()
            slots = head["slots"].named { Box(it) }
            scales = head["scales"].list { it.int() }
            formats = head["formats"].list { Format(it) }
            val base = head.optional("baseURL")?.text("a URL that begins with http:// or https://, or one without a scheme", ::isBase)
            prefix = resolve(base ?: "", from)
            // What is relative to nothing would never load.
            if (!hasScheme(prefix)) throw Mismatch("baseURL", "the catalog does not say where its files are: pass its URL as `from`")
            val paths = head.optional("parts")?.list { it.text("a path such as screens/feed/3f9c….json", partPath::matches) }
            parts = paths.orEmpty().map { prefix + it }
            val found = if (checksDigest) digestOf(bytes) else digest
            if (found != digest) {
                throw Mismatch("digest", "the catalog was altered: it states ${digest.take(12)}…, and has ${found.take(12)}…")
            }
        } catch (mismatch: Mismatch) {
            throw CatalogException(1, mismatch.member, mismatch.reason)
        }
        for (index in 1..images.size) {
            if ((bytes[lines[index] - 2] == COMMA) != (index < images.size)) {
                throw CatalogException(index + 1, "", "expected a comma after each image but the last")
            }
        }
    }

    /**
     * The image with an id; of two with the same one the first, as in the manifest. The first call finds the ids of all images,
     * and each call parses the image that it finds.
     *
     * @throws CatalogException if the image cannot be read.
     */
    fun image(id: String): CatalogEntry? = positions[id]?.let { images[it] }

    /** Checks the names of slots that an app uses, once: later, a slot that the catalog does not have is a null. */
    fun requireSlots(vararg names: String) {
        for (name in names) {
            require(name in slots) { "the catalog has no slot \"$name\"; it has ${slots.keys.sorted().joinToString()}" }
        }
    }

    private inner class Images : AbstractList<CatalogEntry>(), RandomAccess {
        override val size get() = lines.size - 1

        override fun get(index: Int): CatalogEntry {
            if (index !in 0 until size) throw IndexOutOfBoundsException("image $index of $size")
            return located(index + 2) {
                CatalogEntry(parse(bytes, lines[index], end(index), "images[$index]"), this@CatalogIndex)
            }
        }
    }

    internal fun start(index: Int) = lines[index]

    /** Where a line ends, without its comma and its line break. */
    internal fun end(index: Int) = lines[index + 1] - if (index == lines.size - 2) 1 else 2

    private val positions by lazy {
        val found = HashMap<String, Int>(images.size * 4 / 3 + 1)
        // An image whose id cannot be read has a position only.
        for (index in images.indices) id(index)?.let { if (!found.containsKey(it)) found[it] = index }
        found
    }

    /** The id at the beginning of a line, without parsing the rest. */
    private fun id(index: Int): String? {
        val (start, end) = Pair(lines[index], end(index))
        for (place in ID.indices) if (start + place >= end || bytes[start + place] != ID[place]) return null
        val quote = start + ID.size - 1
        var place = quote + 1
        while (place < end && bytes[place] != QUOTE) place += if (bytes[place] == BACKSLASH) 2 else 1
        return try {
            if (place < end) parse(bytes, quote, place + 1).text() else null
        } catch (mismatch: Mismatch) {
            null
        }
    }

    companion object {
        /** A catalog in a file. */
        fun open(file: File, accepting: Set<String>, from: String? = null, checksDigest: Boolean = false) =
            CatalogIndex(file.readBytes(), accepting, from, checksDigest)

        /**
         * The catalog at a URL, verified by its digest. It waits for the network, so do not call it on the main thread.
         *
         * @param get as [update] has it.
         */
        fun open(url: String, accepting: Set<String>, get: (url: String) -> ByteArray? = ::get): CatalogIndex {
            val bytes = get(url) ?: throw CatalogException(1, "", "there is no catalog at $url")
            return CatalogIndex(bytes, accepting, url, true)
        }
    }
}

/** Why a catalog, or a document of changes, cannot be read, and where. */
class CatalogException(
    /** The line in the document, from 1. An image has a line of its own. */
    val line: Int,
    /** The path to the member: `images[3].variants[0].width`. Empty for the document itself. */
    val member: String,
    /** What was expected, and what was found: a clause. */
    val reason: String
) : Exception("line $line: ${if (member == "") "" else "$member: "}$reason")

/** A format in which images are there. The names of its files need an extension and a recipe. */
internal class Format(node: Node) {
    val type = node["type"].text()
    val extension = node.optional("extension")?.text("an extension such as webp") { text ->
        text.length in 1..9 && text.all { it in '0'..'9' || it in 'a'..'z' }
    }
    val recipe = node.optional("recipe")?.hexadecimal(16)
    /** "high": its files have a gain map. */
    val dynamicRange = node.optional("dynamicRange")?.text()
}

// Paths are made of these, and apps join paths to URLs and folders, so a path leads nowhere else.
internal fun Node.hexadecimal(count: Int) = text("$count hexadecimal digits") { text ->
    text.length == count && text.all { it in '0'..'9' || it in 'a'..'f' }
}

private const val SCHEMA = "tessera-catalog/1"
/** `digest` is of the bytes from here on: behind `{"digest":"…",`. */
private const val DIGESTED_FROM = 77
private const val LINE_BREAK: Byte = 0x0A
private const val COMMA: Byte = 0x2C
private const val QUOTE: Byte = 0x22
private const val BACKSLASH: Byte = 0x5C
private val ID = "{\"id\":\"".toByteArray()
private val beginning = Regex("\\{\"digest\":\"[0-9a-f]{64}\",")
private val partPath = Regex("screens/[A-Za-z0-9][A-Za-z0-9_-]*/[0-9a-f]{32}\\.json")

private fun linesOf(bytes: ByteArray): IntArray {
    fun text(start: Int, end: Int) = String(bytes, maxOf(0, start), minOf(end, bytes.size) - maxOf(0, start), Charsets.ISO_8859_1)
    if (!beginning.matches(text(0, DIGESTED_FROM))) {
        throw CatalogException(1, "", "expected a catalog, which begins with {\"digest\":\" and 64 hexadecimal digits")
    }
    if (text(bytes.size - 4, bytes.size) != "\n]}\n") throw CatalogException(1, "", "the catalog is cut off")
    val first = bytes.indexOf(LINE_BREAK)
    if (text(first - 10, first) != "\"images\":[") {
        throw CatalogException(1, "", "expected \"images\":[ at the end of the first line, and an image on each other line")
    }
    var starts = IntArray(64)
    var count = 0
    for (place in first until bytes.size - 3) {
        if (bytes[place] != LINE_BREAK) continue
        if (count == starts.size) starts = starts.copyOf(count * 2)
        starts[count++] = place + 1
    }
    return starts.copyOf(count)
}

/** The SHA-256 that a document should state, in hexadecimal. */
internal fun digestOf(bytes: ByteArray): String {
    val hash = MessageDigest.getInstance("SHA-256")
    hash.update(bytes, minOf(DIGESTED_FROM, bytes.size), maxOf(0, bytes.size - DIGESTED_FROM))
    return hash.digest().joinToString("") { "%02x".format(it) }
}

/** Runs a body that reads one line, and gives what does not fit its line. */
internal inline fun <Value> located(line: Int, read: () -> Value): Value {
    try {
        return read()
    } catch (mismatch: Mismatch) {
        throw CatalogException(line, mismatch.member, mismatch.reason)
    }
}
