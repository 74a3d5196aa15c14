package tessera.catalog

/**
 * Decodes ThumbHash (evanw.github.io/thumbhash): about 25 bytes for the average colour, the shape, a blurred image
 * and its alpha.
 */
object ThumbHash {
    /**
     * The image that a hash encodes. Null if the bytes are not a ThumbHash.
     *
     * @param hash the bytes. A catalog holds them in Base64, which [PlaceholderData.pixels] accepts.
     * @param side the length of the longer side in pixels, 1 to 1000. The reference decoder draws 32; 10 are enough for an
     *   image that is scaled up.
     */
    fun decode(hash: ByteArray, side: Int = 32): PlaceholderPixels? {
        val parts = parts(hash) ?: return null
        val longest = minOf(1000, maxOf(1, side)).toDouble()
        val ratio = parts.across.toDouble() / parts.down
        val width = maxOf(1, ((if (ratio > 1) longest else longest * ratio) + 0.5).toInt())
        val height = maxOf(1, ((if (ratio > 1) longest / ratio else longest) + 0.5).toInt())
        val columns = cosines(width)
        val rows = cosines(height)
        val argb = IntArray(width * height)
        for (y in 0 until height) {
            for (x in 0 until width) argb[y * width + x] = parts.pixel(columns[x], rows[y])
        }
        return PlaceholderPixels(width, height, argb)
    }

    private fun cosines(length: Int) = Array(length) { place ->
        DoubleArray(7) { Math.cos(Math.PI / length * (place + 0.5) * it) }
    }

    /** One plane of the image: a constant and the factors of its low-frequency cosines. */
    private class Channel(
        private val constant: Double, scale: Double, across: Int, down: Int, digits: Digits
    ) {
        /** Each with the frequencies of its cosines. */
        private val xs = IntArray(across * down)
        private val ys = IntArray(across * down)
        private val factors = DoubleArray(across * down)
        private var count = 0

        init {
            for (y in 0 until down) {
                var x = if (y == 0) 1 else 0
                // Only the triangle of low frequencies is stored.
                while (x * down < across * (down - y)) {
                    xs[count] = x
                    ys[count] = y
                    // Four bits, 0 to 15, stand for -1 to 1.
                    factors[count++] = (digits.next() / 7.5 - 1) * scale
                    x++
                }
            }
        }

        fun value(column: DoubleArray, row: DoubleArray): Double {
            var sum = constant
            // Each cosine counts twice, as in the reference decoder.
            for (index in 0 until count) sum += factors[index] * column[xs[index]] * row[ys[index]] * 2
            return sum
        }
    }

    /** The four-bit digits of the hash, the lower half of each byte first. */
    private class Digits(private val hash: ByteArray, start: Int) {
        private var place = start * 2
        var isShort = false
            private set

        fun next(): Int {
            if (place / 2 >= hash.size) {
                isShort = true
                return 0
            }
            val byte = hash[place / 2].toInt()
            return (if (place++ % 2 == 0) byte else byte shr 4) and 15
        }
    }

    /** The shape, as the number of cosines in each direction, and the planes. */
    private class Parts(
        val across: Int, val down: Int, private val luminance: Channel, private val yellow: Channel,
        private val red: Channel, private val alpha: Channel?
    ) {
        fun pixel(column: DoubleArray, row: DoubleArray): Int {
            val light = luminance.value(column, row)
            val difference = red.value(column, row)
            // The inverse of the encoder: luminance is the mean of red, green and blue; yellow is the mean of red and
            // green minus blue; red is red minus green.
            val b = light - 2.0 / 3 * yellow.value(column, row)
            val r = (3 * light - b + difference) / 2
            val g = r - difference
            return pixel(sample(alpha?.value(column, row) ?: 1.0), sample(r), sample(g), sample(b))
        }

        private fun sample(value: Double): Int = (maxOf(0.0, 255 * minOf(1.0, value)) + 0.5).toInt()
    }

    private fun parts(hash: ByteArray): Parts? {
        // The header has five bytes; a sixth follows if there is alpha.
        if (hash.size < 5) return null
        fun byte(index: Int) = hash[index].toInt() and 255
        val head = byte(0) or (byte(1) shl 8) or (byte(2) shl 16)
        val shape = byte(3) or (byte(4) shl 8)
        val hasAlpha = head shr 23 != 0
        val most = if (hasAlpha) 5 else 7
        val isLandscape = shape shr 15 != 0
        val across = if (isLandscape) most else shape and 7
        val down = if (isLandscape) shape and 7 else most
        // A damaged hash may state 0 components, by which the shape would be divided.
        if (across == 0 || down == 0 || hasAlpha && hash.size < 6) return null
        val digits = Digits(hash, if (hasAlpha) 6 else 5)
        val luminance = Channel(
            (head and 63) / 63.0, (head shr 18 and 31) / 31.0, maxOf(3, across), maxOf(3, down), digits)
        // The reference decoder raises saturation by 1.25 to compensate for the coarse rounding.
        val yellow = Channel((head shr 6 and 63) / 31.5 - 1, (shape shr 3 and 63) / 63.0 * 1.25, 3, 3, digits)
        val red = Channel((head shr 12 and 63) / 31.5 - 1, (shape shr 9 and 63) / 63.0 * 1.25, 3, 3, digits)
        val alpha = if (hasAlpha) Channel((byte(5) and 15) / 15.0, (byte(5) shr 4) / 15.0, 5, 5, digits) else null
        return if (digits.isShort) null else Parts(across, down, luminance, yellow, red, alpha)
    }
}
