package tessera.catalog

/** Decodes BlurHash (github.com/woltapp/blurhash): about 30 characters for a blurred image. */
object BlurHash {
    private const val DIGITS =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"

    /**
     * The image that a hash encodes, drawn at a size in pixels. Null if the text is not a BlurHash, or if a side is not
     * from 1 to 1,024.
     *
     * A BlurHash does not contain the image's shape. The app takes the shape from the catalog.
     */
    fun decode(hash: String, width: Int, height: Int): PlaceholderPixels? {
        // Drawing costs up to 81 cosines per pixel; a blurred image needs no more than 1,024 a side.
        if (hash.length < 6 || width !in 1..1024 || height !in 1..1024) return null
        val digits = IntArray(hash.length) { DIGITS.indexOf(hash[it]) }
        // There are at most nine by nine components, fewer than a digit of base 83 can state.
        if (digits.any { it < 0 } || digits[0] >= 81) return null
        val across = digits[0] % 9 + 1
        val down = digits[0] / 9 + 1
        if (digits.size != 4 + 2 * across * down) return null
        val factors = factors(digits, across * down) ?: return null
        val columns = cosines(width, across)
        val rows = cosines(height, down)
        val argb = IntArray(width * height)
        for (y in 0 until height) {
            for (x in 0 until width) argb[y * width + x] = pixel(factors, columns[x], rows[y])
        }
        return PlaceholderPixels(width, height, argb)
    }

    /** The factors of the cosines, each for red, green and blue; null if a digit is out of range. */
    private fun factors(digits: IntArray, count: Int): Array<DoubleArray>? {
        // The format's constants: 2 x 83 for the maximum of the factors, and 19 levels per channel.
        val scale = (digits[1] + 1) / 166.0
        val average = (2 until 6).fold(0) { sum, place -> sum * 83 + digits[place] }
        // Four digits of base 83 hold numbers of more than 24 bits.
        if (average >= 1 shl 24) return null
        return Array(count) { index ->
            if (index == 0) {
                doubleArrayOf(linear(average shr 16), linear(average shr 8 and 255), linear(average and 255))
            } else {
                val value = digits[4 + 2 * index] * 83 + digits[5 + 2 * index]
                // 19^3 is 6,859, and two digits hold up to 6,888.
                if (value >= 19 * 19 * 19) return null
                doubleArrayOf(part(value / 361, scale), part(value / 19 % 19, scale), part(value % 19, scale))
            }
        }
    }

    /** A level of a factor. The encoder stored signed square roots. */
    private fun part(level: Int, scale: Double): Double {
        val part = (level - 9) / 9.0
        return Math.abs(part) * part * scale
    }

    private fun pixel(factors: Array<DoubleArray>, column: DoubleArray, row: DoubleArray): Int {
        var red = 0.0
        var green = 0.0
        var blue = 0.0
        for (j in row.indices) {
            for (i in column.indices) {
                val factor = factors[i + j * column.size]
                val cosine = column[i] * row[j]
                red += factor[0] * cosine
                green += factor[1] * cosine
                blue += factor[2] * cosine
            }
        }
        return pixel(255, sample(red), sample(green), sample(blue))
    }

    private fun cosines(length: Int, count: Int) = Array(length) { place ->
        DoubleArray(count) { Math.cos(Math.PI * place * it / length) }
    }

    /** An sRGB sample as linear light, 0 to 1 (IEC 61966-2-1). */
    private fun linear(sample: Int): Double {
        val part = sample / 255.0
        return if (part <= 0.04045) part / 12.92 else Math.pow((part + 0.055) / 1.055, 2.4)
    }

    /** Linear light as an sRGB sample. */
    private fun sample(light: Double): Int {
        val value = maxOf(0.0, minOf(1.0, light))
        val part = if (value <= 0.0031308) value * 12.92 else 1.055 * Math.pow(value, 1 / 2.4) - 0.055
        return (part * 255 + 0.5).toInt()
    }
}
