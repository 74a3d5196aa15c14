package tessera.catalog.json

/** The bytes that have a meaning in JSON (RFC 8259). */
internal object Ascii {
    const val TAB = 0x09
    const val LINE_FEED = 0x0A
    const val CARRIAGE_RETURN = 0x0D
    const val SPACE = 0x20
    const val QUOTE = 0x22
    const val PLUS = 0x2B
    const val COMMA = 0x2C
    const val MINUS = 0x2D
    const val DOT = 0x2E
    const val ZERO = 0x30
    const val NINE = 0x39
    const val COLON = 0x3A
    const val BACKSLASH = 0x5C
    const val OPEN_LIST = 0x5B
    const val CLOSE_LIST = 0x5D
    const val OPEN_OBJECT = 0x7B
    const val CLOSE_OBJECT = 0x7D

    fun isSpace(byte: Int): Boolean =
        byte == SPACE || byte == LINE_FEED || byte == CARRIAGE_RETURN || byte == TAB

    fun isDigit(byte: Int): Boolean = byte in ZERO..NINE
}
