package tessera.catalog.json

/**
 * Reads JSON (RFC 8259) strictly from bytes straight into the caller's values: UTF-8 only, no trailing comma, no
 * duplicate member, no NaN. Builds no tree: catalogs are large, and an app reads one while its user waits.
 *
 * Each call reads one value, or one piece of punctuation, and skips the white space before it.
 */
internal class JsonScanner(var bytes: ByteArray, var offset: Int, var end: Int) {
    val seen = SeenNames()
    private val cache = NameCache()
    /** The opening quote of the name that was read last. */
    var nameOffset = 0
        private set

    constructor(bytes: ByteArray) : this(bytes, 0, bytes.size)

    /** Continues with other bytes. */
    fun reset(bytes: ByteArray, offset: Int, end: Int): JsonScanner {
        this.bytes = bytes
        this.offset = offset
        this.end = end
        seen.remove(0)
        return this
    }

    /** The next byte; -1 at the end. */
    fun peek(): Int = if (offset < end) bytes[offset].toInt() and 0xFF else -1

    fun skipSpace() {
        while (offset < end && Ascii.isSpace(bytes[offset].toInt())) offset++
    }

    fun take(byte: Int): Boolean {
        if (offset >= end || bytes[offset].toInt() != byte) return false
        offset++
        return true
    }

    fun take(word: String): Boolean {
        if (end - offset < word.length) return false
        for (index in word.indices) {
            if (bytes[offset + index].toInt() != word[index] - '\u0000') return false
        }
        offset += word.length
        return true
    }

    /** Whether only white space is left. */
    fun isAtEnd(): Boolean {
        skipSpace()
        return offset == end
    }

    /** Where the next value begins. */
    fun start(): Int {
        skipSpace()
        return offset
    }

    /** Reads a `null` and returns true, or reads nothing. */
    fun takeNull(): Boolean {
        skipSpace()
        return take("null")
    }

    fun boolean(): Boolean {
        skipSpace()
        if (take("true")) return true
        if (take("false")) return false
        throw mismatch("true or false")
    }

    /** Reads a string that probably occurred before: it becomes the same object. */
    fun sharedString(): String {
        skipSpace()
        if (peek() != Ascii.QUOTE) return string()
        var index = offset + 1
        // Longer texts seldom repeat.
        val limit = minOf(end, index + 32)
        while (index < limit) {
            val byte = bytes[index].toInt()
            if (byte == Ascii.QUOTE) {
                val text = cache.text(bytes, offset + 1, index)
                offset = index + 1
                return text
            }
            // A control character, an escape or more than ASCII.
            if (byte < Ascii.SPACE || byte == Ascii.BACKSLASH) break
            index++
        }
        return string()
    }

    /** Reads the "{" of an object. */
    fun beginObject() {
        skipSpace()
        if (!take(Ascii.OPEN_OBJECT)) throw mismatch("an object")
    }

    /** Reads the name of an object's next member and the colon; returns null after the "}" at the end. */
    fun nextName(isFirst: Boolean): String? {
        skipSpace()
        if (take(Ascii.CLOSE_OBJECT)) return null
        if (!isFirst) {
            if (!take(Ascii.COMMA)) throw unexpected("\",\" or \"}\"")
            skipSpace()
        }
        // Also after a comma: JSON allows no trailing one (RFC 8259, section 4).
        if (peek() != Ascii.QUOTE) throw unexpected("a member's name in quotes")
        val start = offset
        val name = sharedString()
        skipSpace()
        if (!take(Ascii.COLON)) throw unexpected("\":\" after a member's name")
        nameOffset = start
        return name
    }

    /** A failure of syntax: names the byte that does not fit. */
    fun unexpected(expected: String) = JsonFailure(offset, "expected $expected, found ${foundByte()}")

    /** A failure of type: names the whole value that was found instead. */
    fun mismatch(expected: String, start: Int = offset) =
        JsonFailure(start, "expected $expected, found ${foundValue(start)}")

    fun foundByte(): String {
        val byte = peek()
        return when {
            byte < 0 -> "the end of the text"
            byte in 0x21..0x7E -> "\"${byte.toChar()}\""
            else -> "the byte 0x${byte.toString(16)}"
        }
    }

    /** The first bytes of the value, up to the next punctuation or white space. */
    private fun foundValue(start: Int): String {
        if (start >= end) return "the end of the text"
        var index = start
        // Longer values are cut off: a message is one line.
        while (index < minOf(end, start + 20)) {
            val byte = bytes[index].toInt() and 0xFF
            if (byte <= Ascii.SPACE || byte.toChar() in ",:{}[]") break
            index++
        }
        return String(bytes, start, maxOf(1, index - start), Charsets.UTF_8)
    }

    companion object {
        /**
         * The deepest nesting that is read. Texts of 100,000 brackets exist to exhaust the stack of a recursive reader
         * like this one; no known catalog nests deeper than ten levels.
         */
        const val MAXIMUM_DEPTH = 64
    }
}
