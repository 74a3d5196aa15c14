package tessera.catalog

/** A value that is not what a document has in its place. The caller knows the line. */
internal class Mismatch(
    /** The path to the value: `images[3].variants[0].width`. */
    val member: String,
    /** What was expected, and what was found: a clause. */
    val reason: String
) : RuntimeException(reason)

/** Reads JSON (RFC 8259). Of two members with one name the last counts, as in `JSON.parse`. */
internal class JsonParser(private val text: String, private val member: String) {
    private var place = 0

    /** The value that is the whole text. */
    fun document(): CatalogValue {
        val value = value(0)
        skipSpace()
        if (place < text.length) fail("nothing more")
        return value
    }

    private fun fail(expected: String): Nothing {
        val found = if (place < text.length) "\"${text[place]}\"" else "the end of the text"
        throw Mismatch(member, "expected JSON: $expected instead of $found at character ${place + 1}")
    }

    private fun peek(): Char = if (place < text.length) text[place] else END

    private fun take(letter: Char): Boolean {
        if (peek() != letter) return false
        place++
        return true
    }

    private fun skipSpace() {
        while (peek() in " \t\r\n") place++
    }

    private fun value(depth: Int): CatalogValue {
        if (depth > MAXIMUM_DEPTH) fail("at most $MAXIMUM_DEPTH levels")
        skipSpace()
        return when (peek()) {
            '{' -> members(depth)
            '[' -> elements(depth)
            '"' -> CatalogValue.Text(string())
            't' -> word("true", CatalogValue.Flag(true))
            'f' -> word("false", CatalogValue.Flag(false))
            'n' -> word("null", CatalogValue.Null)
            else -> number()
        }
    }

    private fun word(word: String, value: CatalogValue): CatalogValue {
        if (!text.startsWith(word, place)) fail("a value")
        place += word.length
        return value
    }

    private fun members(depth: Int): CatalogValue {
        val values = LinkedHashMap<String, CatalogValue>(8)
        each('}') {
            skipSpace()
            if (peek() != '"') fail("a name")
            val name = string()
            skipSpace()
            if (!take(':')) fail("\":\"")
            values[name] = value(depth + 1)
        }
        return CatalogValue.Members(values)
    }

    private fun elements(depth: Int): CatalogValue {
        val values = ArrayList<CatalogValue>(4)
        each(']') { values.add(value(depth + 1)) }
        return CatalogValue.Elements(values)
    }

    /** Reads what is between two brackets and commas. */
    private inline fun each(end: Char, read: () -> Unit) {
        place++
        skipSpace()
        if (take(end)) return
        while (true) {
            read()
            skipSpace()
            if (take(end)) return
            if (!take(',')) fail("\",\" or \"$end\"")
        }
    }

    private fun string(): String {
        place++
        val start = place
        while (peek() >= ' ' && peek() != '"' && peek() != '\\') place++
        if (take('"')) return text.substring(start, place - 1)
        val content = StringBuilder(text.substring(start, place))
        while (!take('"')) content.append(if (take('\\')) escape() else if (peek() >= ' ') text[place++] else fail("a quote"))
        return content.toString()
    }

    private fun escape(): Char {
        val letter = peek()
        place++
        return when (letter) {
            '"', '\\', '/' -> letter
            'b' -> '\b'
            'f' -> '\u000C'
            'n' -> '\n'
            'r' -> '\r'
            't' -> '\t'
            'u' -> {
                var code = 0
                // ASCII only: Character.digit accepts the digits of all scripts.
                for (digit in 0 until 4) {
                    val value = if (peek() < '\u0080') Character.digit(peek(), 16) else -1
                    if (value < 0) fail("four hexadecimal digits")
                    code = code * 16 + value
                    place++
                }
                code.toChar()
            }
            else -> {
                place--
                fail("an escape")
            }
        }
    }

    private fun number(): CatalogValue {
        val start = place
        take('-')
        // A leading zero ends the integer part: "01" is not a number.
        if (!take('0')) digits()
        if (take('.')) digits()
        if (take('e') || take('E')) {
            if (!take('+')) take('-')
            digits()
        }
        val spelling = text.substring(start, place)
        spelling.toLongOrNull()?.let { return CatalogValue.Whole(it) }
        val number = spelling.toDouble()
        val isWhole = number == Math.rint(number) && Math.abs(number) < EXACT
        return if (isWhole) CatalogValue.Whole(number.toLong()) else CatalogValue.Number(number)
    }

    private fun digits() {
        if (peek() !in '0'..'9') fail("a value")
        while (peek() in '0'..'9') place++
    }

    private companion object {
        /** No JSON has this character outside of strings, and a string ends before it. */
        const val END = '\u0000'

        /** Texts of 100,000 brackets exist to exhaust the stack of a recursive reader like this one. */
        const val MAXIMUM_DEPTH = 64

        /** 2^53: each whole Double below it is one whole number. */
        const val EXACT = 9.007199254740992E15
    }
}
