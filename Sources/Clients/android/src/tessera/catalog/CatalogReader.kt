package tessera.catalog

import java.io.InputStream
import tessera.catalog.json.Ascii
import tessera.catalog.json.JsonFailure
import tessera.catalog.json.string

/**
 * Reads a catalog one image at a time: a catalog that is larger than memory, or one that is still downloading.
 *
 *     val reader = CatalogReader(stream)
 *     for (image in reader.images) show(image)
 *
 * The reader recognizes both forms, JSON and JSON Lines. It ignores members that this version does not know. It is for
 * one thread; the stream stays open.
 */
class CatalogReader private constructor(
    private val buffer: DocumentBuffer, private val checksDigest: Boolean,
    private val skipping: ((CatalogException) -> Unit)?
) {
    /**
     * @param checksDigest whether the digest is computed while reading, and a catalog that states another one is
     * rejected
     *   at its end.
     * @param skipping called for each image that cannot be read, which is then left out; null for an error instead.
     */
    constructor(
        stream: InputStream, checksDigest: Boolean = false, skipping: ((CatalogException) -> Unit)? = null
    ) : this(DocumentBuffer(stream), checksDigest, skipping)

    constructor(
        bytes: ByteArray, checksDigest: Boolean = false, skipping: ((CatalogException) -> Unit)? = null
    ) : this(DocumentBuffer(bytes), checksDigest, skipping)

    /**
     * Everything but the images; its `images` are empty. Null until all of it has arrived. In a catalog that a run
     * wrote, that is before the first image.
     */
    var head: Catalog? = null
        private set

    /** SHA-256 of the content in hexadecimal, after the last image; null if it is not computed. */
    var digest: String? = null
        private set

    /** The images in the order of the document, once. Iterating throws [CatalogException] as [next] does. */
    val images: Sequence<Image> = generateSequence { next() }

    /** What the next byte belongs to. */
    private enum class State { BEGINNING, FIRST_MEMBER, MEMBERS, FIRST_IMAGE, IMAGES, LINES, END }

    private var state = State.BEGINNING
    private val headReader = HeadReader()
    private var hasImages = false
    private val hashing = if (checksDigest) CanonicalHashing() else null
    /** Images read so far, with those that were skipped. */
    private var count = 0
    private var isFinished = false

    /**
     * The next image; null at the end of a catalog that is complete.
     *
     * @throws CatalogException if the catalog is cut off or not valid, its images are not as many as it states, or its
     *   digest differs.
     */
    fun next(): Image? {
        while (true) {
            val byte = buffer.peek()
            if (byte < 0) {
                finish()
                return null
            }
            when (state) {
                State.BEGINNING -> begin(byte)
                State.FIRST_MEMBER, State.MEMBERS -> member(byte)
                State.FIRST_IMAGE, State.IMAGES, State.LINES -> imageOrEnd(byte)?.let { return it }
                State.END -> throw buffer.error("expected nothing after the catalog")
            }
        }
    }

    /** All images that are left, with the head. */
    internal fun readAll(): Catalog {
        val list = ArrayList<Image>()
        for (image in images) list.add(image)
        list.trimToSize()
        return (head ?: throw buffer.error("expected a catalog")).copy(images = list)
    }

    private fun finish() {
        if (isFinished) return
        if (state != State.END && state != State.LINES) throw cutOff()
        // JSON Lines has no end of its own: a document cut at the end of a line looks complete.
        val stated = headReader.count
        if (stated != null && stated != count) throw buffer.error("the catalog has $count of its $stated images")
        digest = hashing?.end()
        val written = headReader.head?.digest
        if (digest != null && written != null && digest != written) {
            throw buffer.error("the catalog was altered: its digest is $digest, and it states $written")
        }
        isFinished = true
    }

    private fun cutOff(): CatalogException {
        buffer.advanceToEnd()
        return buffer.error("the catalog is cut off here")
    }

    private fun endOfValue(least: Int = 0): Int {
        val end = buffer.endOfValue(least)
        if (end < 0) throw cutOff()
        return end
    }

    private inline fun <Value> located(read: () -> Value): Value {
        try {
            return read()
        } catch (failure: JsonFailure) {
            throw buffer.located(failure)
        }
    }

    private fun begin(byte: Int) {
        if (byte != Ascii.OPEN_OBJECT) throw buffer.error("expected an object; this is not a catalog")
        buffer.step()
        state = State.FIRST_MEMBER
    }

    /** Reads one member of the document, or its end. */
    private fun member(byte: Int) {
        if (byte == Ascii.CLOSE_OBJECT) return endOfHead()
        if (state == State.MEMBERS) {
            if (byte != Ascii.COMMA) throw buffer.error("expected \",\" or \"}\"")
            buffer.step()
        }
        val quote = buffer.peek()
        if (quote < 0) throw cutOff()
        if (quote != Ascii.QUOTE) throw buffer.error("expected a member's name in quotes")
        val end = endOfValue()
        val name = located { buffer.scanner(end).string() }
        buffer.advance(end)
        val colon = buffer.peek()
        if (colon < 0) throw cutOff()
        if (colon != Ascii.COLON) throw buffer.error("expected \":\" after a member's name")
        buffer.step()
        val first = buffer.peek()
        if (first < 0) throw cutOff()
        if (name == "images") beginImages(first) else value(name)
    }

    private fun endOfHead() {
        buffer.step()
        val missing = headReader.missing
        if (missing != null) throw buffer.error("the member \"$missing\" is missing; this may not be a catalog")
        head = headReader.head
        // Without images, the object is the first line of JSON Lines.
        state = if (hasImages) State.END else State.LINES
        if (!hasImages) hashing?.begin()
    }

    private fun value(name: String) {
        val end = endOfValue()
        val scanner = buffer.scanner(end)
        located {
            headReader.read(name, scanner)
            if (!scanner.isAtEnd()) throw JsonFailure(scanner.offset, "expected \",\" or \"}\"").within(name)
        }
        if (hashing?.isLate(name) == true) {
            throw buffer.error(
                "\"$name\" comes after the images, so the digest can't be computed while reading")
        }
        located { hashing?.add(name, buffer.scanner(end)) }
        buffer.advance(end)
        state = State.MEMBERS
    }

    private fun beginImages(byte: Int) {
        if (byte != Ascii.OPEN_LIST || hasImages) throw buffer.error("expected one array of images")
        buffer.step()
        hasImages = true
        head = headReader.head
        hashing?.begin()
        state = State.FIRST_IMAGE
    }

    /** Reads one image, or the end of the array; null for the end and for an image that is skipped. */
    private fun imageOrEnd(byte: Int): Image? {
        if (state != State.LINES && byte == Ascii.CLOSE_LIST) {
            buffer.step()
            state = State.MEMBERS
            return null
        }
        if (state == State.IMAGES) {
            if (byte != Ascii.COMMA) throw buffer.error("expected \",\" or \"]\"")
            buffer.step()
            if (buffer.peek() < 0) throw cutOff()
        }
        if (state == State.FIRST_IMAGE) state = State.IMAGES
        // A line of at least one byte, so that each line that is skipped leads on.
        val end = endOfValue(if (state == State.LINES) 1 else 0)
        val image = try {
            image(end)
        } catch (error: CatalogException) {
            (skipping ?: throw error)(error)
            null
        }
        located { hashing?.addImage(buffer.scanner(end)) }
        count++
        buffer.advance(end)
        return image
    }

    private fun image(end: Int): Image = located {
        try {
            buffer.scanner(end).image()
        } catch (failure: JsonFailure) {
            throw failure.within("[$count]").within("images")
        }
    }
}
