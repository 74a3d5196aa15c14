package tessera.catalog.json

/** Reads a number (RFC 8259, section 6) and returns its own spelling. */
internal fun JsonScanner.number(): String {
    skipSpace()
    val start = offset
    take(Ascii.MINUS)
    // A leading zero ends the integer part: "01" is not a number.
    if (!take(Ascii.ZERO) && takeDigits() == 0) throw unexpected("a digit")
    if (take(Ascii.DOT) && takeDigits() == 0) throw unexpected("a digit after \".\"")
    if (take("e") || take("E")) {
        if (!take(Ascii.PLUS)) take(Ascii.MINUS)
        if (takeDigits() == 0) throw unexpected("a digit in the exponent")
    }
    return String(bytes, start, offset - start, Charsets.ISO_8859_1)
}

private fun JsonScanner.takeDigits(): Int {
    val start = offset
    while (Ascii.isDigit(peek())) offset++
    return offset - start
}

/** Reads a number without a fraction or an exponent, of at most 64 bits. */
internal fun JsonScanner.long(): Long {
    skipSpace()
    val start = offset
    val isNegative = take(Ascii.MINUS)
    val firstDigit = offset
    var value = 0L
    while (Ascii.isDigit(peek())) {
        val digit = peek() - Ascii.ZERO
        if (value > (Long.MAX_VALUE - digit) / 10) throw mismatch("a whole number that fits", start)
        value = value * 10 + digit
        offset++
    }
    val count = offset - firstDigit
    val hasLeadingZero = count > 1 && bytes[firstDigit].toInt() == Ascii.ZERO
    val next = peek()
    val isFraction = next == Ascii.DOT || next == 0x65 || next == 0x45
    if (count == 0 || hasLeadingZero || isFraction) throw mismatch("a whole number", start)
    return if (isNegative) -value else value
}

/** Reads a number without a fraction or an exponent, of at most 32 bits. */
internal fun JsonScanner.int(): Int {
    val start = start()
    val value = long()
    if (value < Int.MIN_VALUE || value > Int.MAX_VALUE) throw mismatch("a whole number that fits", start)
    return value.toInt()
}

/** A number in JSON as a Double. One that no Double can hold becomes the largest one. */
internal fun doubleOf(text: String): Double =
    maxOf(-Double.MAX_VALUE, minOf(Double.MAX_VALUE, java.lang.Double.parseDouble(text)))

/** The same number as a whole one of 64 bits; null if there is none. */
internal fun wholeOf(number: Double): Long? =
    // 2^63 is the first Double that is too large.
    if (number == Math.rint(number) && number >= -TWO_TO_63 && number < TWO_TO_63) number.toLong() else null

private const val TWO_TO_63 = 9.223372036854775807E18

/** A number in JSON as a whole one of 64 bits, if it is spelled as one; null otherwise. */
internal fun wholeOf(text: String): Long? = text.toLongOrNull()
