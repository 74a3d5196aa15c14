package tessera.catalog.json

/**
 * Finds the end of a JSON value whose bytes arrive in parts.
 *
 * Counts brackets and quotes only. What it finds still has to be read: it may not be valid JSON. Remembers how far it
 * has looked, so a value that arrives in a thousand parts is examined once.
 */
internal class JsonBoundary {
    private var place = 0
    private var depth = 0
    /** Whether anything but white space has been found. */
    private var hasBegun = false
    private var isInString = false
    private var isEscaped = false

    /** Begins at a place. */
    fun begin(start: Int) {
        place = start
        depth = 0
        hasBegun = false
        isInString = false
        isEscaped = false
    }

    /** Notes that bytes were removed from the front. */
    fun removedFirst(count: Int) {
        place -= count
    }

    /** The end of the value; -1 if more bytes are needed. */
    fun end(bytes: ByteArray, end: Int): Int {
        while (place < end) {
            val byte = bytes[place].toInt()
            val found = if (isInString) endOfString(byte) else endOfValue(byte)
            if (found >= 0) return found
            place++
        }
        return -1
    }

    private fun endOfString(byte: Int): Int {
        if (isEscaped) {
            isEscaped = false
        } else if (byte == Ascii.BACKSLASH) {
            isEscaped = true
        } else if (byte == Ascii.QUOTE) {
            isInString = false
            if (depth == 0) return place + 1
        }
        return -1
    }

    private fun endOfValue(byte: Int): Int {
        when (byte) {
            Ascii.QUOTE -> isInString = true
            Ascii.OPEN_OBJECT, Ascii.OPEN_LIST -> depth++
            Ascii.CLOSE_OBJECT, Ascii.CLOSE_LIST -> {
                // At depth 0 the bracket belongs to whatever encloses the value.
                if (depth <= 1) return if (depth == 1) place + 1 else place
                depth--
            }
            // A number or a word ends before these.
            Ascii.COMMA, Ascii.COLON -> if (depth == 0) return place
            Ascii.SPACE, Ascii.LINE_FEED, Ascii.CARRIAGE_RETURN, Ascii.TAB ->
                return if (depth == 0 && hasBegun) place else -1
        }
        hasBegun = true
        return -1
    }
}
