package tessera.catalog

/**
 * Decodes a ThumbHash (evanw.github.io/thumbhash): about 25 bytes for the average colour, the shape, a blurred image and its
 * alpha. Null if the bytes are not one. The reference decoder draws a longer side of 32; 10 are enough for an image that is scaled
 * up.
 */
internal fun decodeThumbHash(hash: ByteArray, side: Int): PlaceholderPixels? {
    // The header has five bytes; a sixth follows if there is alpha.
    if (hash.size < 5) return null
    fun byte(index: Int) = hash[index].toInt() and 255
    val head = byte(0) or (byte(1) shl 8) or (byte(2) shl 16)
    val shape = byte(3) or (byte(4) shl 8)
    val hasAlpha = head shr 23 != 0
    val most = if (hasAlpha) 5 else 7
    val (across, down) = if (shape shr 15 != 0) Pair(most, shape and 7) else Pair(shape and 7, most)
    // A damaged hash may state 0 components, by which the shape would be divided.
    if (across == 0 || down == 0 || hasAlpha && hash.size < 6) return null
    val digits = Digits(hash, if (hasAlpha) 6 else 5)
    val luminance = Channel((head and 63) / 63.0, (head shr 18 and 31) / 31.0, maxOf(3, across), maxOf(3, down), digits)
    // The reference decoder raises saturation by 1.25 to compensate for the coarse rounding.
    val yellow = Channel((head shr 6 and 63) / 31.5 - 1, (shape shr 3 and 63) / 63.0 * 1.25, 3, 3, digits)
    val redness = Channel((head shr 12 and 63) / 31.5 - 1, (shape shr 9 and 63) / 63.0 * 1.25, 3, 3, digits)
    val alpha = if (hasAlpha) Channel((byte(5) and 15) / 15.0, (byte(5) shr 4) / 15.0, 5, 5, digits) else null
    if (digits.isShort) return null
    val size = sized(across.toDouble() / down, side)
    fun cosines(length: Int) = Array(length) { place -> DoubleArray(7) { Math.cos(Math.PI / length * (place + 0.5) * it) } }
    val (columns, rows) = Pair(cosines(size.width), cosines(size.height))
    return pixels(size) { x, y ->
        val light = luminance.value(columns[x], rows[y])
        val difference = redness.value(columns[x], rows[y])
        // The inverse of the encoder: luminance is the mean of red, green and blue; yellow is the mean of red and green minus
        // blue; red is red minus green.
        val blue = light - 2.0 / 3 * yellow.value(columns[x], rows[y])
        val red = (3 * light - blue + difference) / 2
        doubleArrayOf(red * 255, (red - difference) * 255, blue * 255, (alpha?.value(columns[x], rows[y]) ?: 1.0) * 255)
    }
}

/** The four-bit digits of the hash, the lower half of each byte first. */
private class Digits(private val hash: ByteArray, start: Int) {
    private var place = start * 2
    val isShort get() = place > hash.size * 2

    fun next(): Int {
        val byte = hash.getOrElse(place / 2) { 0 }.toInt()
        return (if (place++ % 2 == 0) byte else byte shr 4) and 15
    }
}

/** One plane of the image: a constant, and the factors of its low-frequency cosines. */
private class Channel(private val constant: Double, scale: Double, across: Int, down: Int, digits: Digits) {
    private class Factor(val x: Int, val y: Int, val value: Double)

    // Only the triangle of low frequencies is stored. Four bits, 0 to 15, stand for -1 to 1.
    private val factors = (0 until down).flatMap { y ->
        (0 until across).filter { x -> x + y > 0 && x * down < across * (down - y) }
            .map { x -> Factor(x, y, (digits.next() / 7.5 - 1) * scale) }
    }

    /** Each cosine counts twice, as in the reference decoder. */
    fun value(column: DoubleArray, row: DoubleArray): Double {
        var sum = constant
        for (factor in factors) sum += factor.value * column[factor.x] * row[factor.y] * 2
        return sum
    }
}
