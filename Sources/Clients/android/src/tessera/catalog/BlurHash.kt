package tessera.catalog

/** Decodes a BlurHash (github.com/woltapp/blurhash): about 30 characters for a blurred image. Null if the text is not one. */
internal fun decodeBlurHash(hash: String, size: Size): PlaceholderPixels? {
    val digits = IntArray(hash.length) { DIGITS.indexOf(hash[it]) }
    // There are at most nine by nine components, fewer than a digit of base 83 can state.
    if (digits.size < 6 || digits.any { it < 0 } || digits[0] >= 81) return null
    val (across, down) = Pair(digits[0] % 9 + 1, digits[0] / 9 + 1)
    if (digits.size != 4 + 2 * across * down) return null
    val factors = factors(digits, across * down) ?: return null
    fun cosines(length: Int, count: Int) = Array(length) { place -> DoubleArray(count) { Math.cos(Math.PI * place * it / length) } }
    val (columns, rows) = Pair(cosines(size.width, across), cosines(size.height, down))
    return pixels(size) { x, y ->
        val light = DoubleArray(3)
        factors.forEachIndexed { index, factor ->
            val cosine = columns[x][index % across] * rows[y][index / across]
            for (channel in light.indices) light[channel] += factor[channel] * cosine
        }
        doubleArrayOf(sample(light[0]), sample(light[1]), sample(light[2]), 255.0)
    }
}

private const val DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"

/** The factors of the cosines, each for red, green and blue; null if a digit is out of range. */
private fun factors(digits: IntArray, count: Int): List<DoubleArray>? {
    // The format's constants: 2 x 83 for the maximum of the factors, and 19 levels per channel.
    val scale = (digits[1] + 1) / 166.0
    val average = (2 until 6).fold(0) { sum, place -> sum * 83 + digits[place] }
    // Four digits of base 83 hold numbers of more than 24 bits.
    if (average >= 1 shl 24) return null
    return List(count) { index ->
        if (index == 0) return@List DoubleArray(3) { linear(average shr 16 - 8 * it and 255) }
        val value = digits[4 + 2 * index] * 83 + digits[5 + 2 * index]
        // 19^3 is 6,859, and two digits hold up to 6,888.
        if (value >= 19 * 19 * 19) return null
        doubleArrayOf(part(value / 361, scale), part(value / 19 % 19, scale), part(value % 19, scale))
    }
}

/** A level of a factor. The encoder stored signed square roots. */
private fun part(level: Int, scale: Double) = ((level - 9) / 9.0).let { Math.abs(it) * it * scale }

/** An sRGB sample as linear light, 0 to 1 (IEC 61966-2-1). */
private fun linear(sample: Int) = (sample / 255.0).let { if (it <= 0.04045) it / 12.92 else Math.pow((it + 0.055) / 1.055, 2.4) }

/** Linear light as an sRGB sample. */
private fun sample(light: Double): Double =
    255 * if (light <= 0.0031308) light * 12.92 else 1.055 * Math.pow(light, 1 / 2.4) - 0.055
