package tessera.catalog.json

/** Reads a string. */
internal fun JsonScanner.string(): String {
    skipSpace()
    val start = offset
    if (!take(Ascii.QUOTE)) throw mismatch("a string")
    var bits = 0
    while (offset < end) {
        val byte = bytes[offset].toInt()
        if (byte == Ascii.QUOTE) {
            offset++
            // Without a negative byte the text is ASCII.
            return if (bits >= 0) String(bytes, start + 1, offset - start - 2, Charsets.ISO_8859_1)
            else validated(bytes, start + 1, offset - 1, start)
        }
        if (byte == Ascii.BACKSLASH) return stringWithEscapes(start)
        if (byte in 0 until Ascii.SPACE) throw controlCharacter()
        bits = bits or byte
        offset++
    }
    throw unclosed(start)
}

/** Reads the rest of a string from its first backslash on. */
private fun JsonScanner.stringWithEscapes(start: Int): String {
    val text = ByteList(offset - start + 64)
    text.add(bytes, start + 1, offset)
    while (offset < end) {
        val byte = bytes[offset].toInt()
        offset++
        if (byte == Ascii.QUOTE) return validated(text.bytes, 0, text.size, start)
        if (byte == Ascii.BACKSLASH) {
            escape(text)
        } else {
            if (byte in 0 until Ascii.SPACE) {
                offset--
                throw controlCharacter()
            }
            text.add(byte)
        }
    }
    throw unclosed(start)
}

private fun unclosed(start: Int) = JsonFailure(start, "the string has no closing quote")

private fun JsonScanner.controlCharacter() =
    JsonFailure(offset, "a control character in a string must be escaped, found ${foundByte()}")

private fun validated(bytes: ByteArray, start: Int, end: Int, offset: Int): String {
    val text = String(bytes, start, end - start, Charsets.UTF_8)
    // Decoding replaces whatever is not UTF-8, so a text that differs from its bytes was not valid.
    val encoded = text.toByteArray(Charsets.UTF_8)
    var isSame = encoded.size == end - start
    var index = 0
    while (isSame && index < encoded.size) {
        isSame = encoded[index] == bytes[start + index]
        index++
    }
    if (!isSame) throw JsonFailure(offset, "the string is not valid UTF-8")
    return text
}

private fun JsonScanner.escape(text: ByteList) {
    val letter = peek()
    if (letter < 0) throw JsonFailure(offset, "the text ends inside an escape")
    when (letter.toChar()) {
        '"', '\\', '/' -> text.add(letter)
        'b' -> text.add(0x08)
        'f' -> text.add(0x0C)
        'n' -> text.add(Ascii.LINE_FEED)
        'r' -> text.add(Ascii.CARRIAGE_RETURN)
        't' -> text.add(Ascii.TAB)
        'u' -> {
            offset++
            text.add(String(Character.toChars(escapedScalar())))
            return
        }
        else -> throw JsonFailure(offset, "unknown escape ${foundByte()}")
    }
    offset++
}

/**
 * Reads four hexadecimal digits, or two groups of four that are a surrogate pair (RFC 8259, section 7). A lone
 * surrogate has no UTF-8 form and is rejected.
 */
private fun JsonScanner.escapedScalar(): Int {
    val first = hexadecimal()
    if (first !in 0xD800..0xDFFF) return first
    if (first < 0xDC00 && take(Ascii.BACKSLASH) && take("u")) {
        val second = hexadecimal()
        if (second in 0xDC00..0xDFFF) return 0x10000 + ((first - 0xD800) shl 10) + (second - 0xDC00)
    }
    throw JsonFailure(offset, "a surrogate without its other half")
}

private fun JsonScanner.hexadecimal(): Int {
    var value = 0
    for (place in 0 until 4) {
        val byte = peek()
        // ASCII only: Character.digit accepts the digits of all scripts.
        val digit = if (byte in 0..0x7F) Character.digit(byte.toChar(), 16) else -1
        if (digit < 0) throw unexpected("four hexadecimal digits")
        value = value * 16 + digit
        offset++
    }
    return value
}
