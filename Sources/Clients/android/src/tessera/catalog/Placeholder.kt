package tessera.catalog

/** What an app can show of an image until its file has loaded. Only the kinds that the pipeline requests are set. */
class Placeholder internal constructor(node: Node, private val width: Int?, private val height: Int?) {
    /** The dominant colour, as `#rrggbb`. */
    val color: String? = node.optional("color")?.text()
    /** A ThumbHash in Base64. */
    val thumbhash: String? = node.optional("thumbhash")?.text()
    val blurhash: String? = node.optional("blurhash")?.text()

    /** The colour as Android's `Color`: 0xFFRRGGBB; null if it is absent or malformed. */
    val argb: Int?
        get() = color?.takeIf { hexadecimal.matches(it) }?.let { Integer.parseInt(it.drop(1), 16) or (255 shl 24) }

    /**
     * The pixels of the first valid placeholder of these: the ThumbHash, the BlurHash, the colour (one pixel). Null if none is
     * valid.
     *
     * @param side the length of the longer side in pixels, 1 to 1000.
     */
    fun pixels(side: Int = 32): PlaceholderPixels? =
        thumbhash?.let { decodeBase64(it) }?.let { decodeThumbHash(it, side) }
            // A BlurHash does not contain the image's shape.
            ?: blurhash?.let { decodeBlurHash(it, sized((width ?: 1).toDouble() / (height ?: 1), side)) }
            ?: argb?.let { PlaceholderPixels(1, 1, intArrayOf(it)) }

    private companion object {
        val hexadecimal = Regex("#[0-9A-Fa-f]{6}")
    }
}

/**
 * A small image to scale up.
 *
 * `Bitmap.createBitmap(argb, width, height, Bitmap.Config.ARGB_8888)` makes a bitmap of it.
 */
class PlaceholderPixels(
    val width: Int,
    val height: Int,
    /** 8-bit sRGB with alpha, not premultiplied, as Android's `Color`: 0xAARRGGBB. Rows from top to bottom. */
    val argb: IntArray
)

/** A size of a shape. */
internal fun sized(ratio: Double, side: Int): Size {
    val longest = minOf(1000, maxOf(1, side)).toDouble()
    fun rounded(length: Double) = maxOf(1, (length + 0.5).toInt())
    return if (ratio > 1) Size(rounded(longest), rounded(longest / ratio)) else Size(rounded(longest * ratio), rounded(longest))
}

/** Draws an image from samples of 0 to 255 of red, green, blue and alpha. */
internal fun pixels(size: Size, samples: (x: Int, y: Int) -> DoubleArray) =
    PlaceholderPixels(size.width, size.height, IntArray(size.width * size.height) { place ->
        val (red, green, blue, alpha) = samples(place % size.width, place / size.width)
        fun sample(value: Double) = (maxOf(0.0, minOf(255.0, value)) + 0.5).toInt()
        sample(alpha) shl 24 or (sample(red) shl 16) or (sample(green) shl 8) or sample(blue)
    })

/**
 * The bytes that a text in Base64 encodes (RFC 4648, section 4); null if it has other characters. Padding may be absent: some
 * tools write a ThumbHash without it. `java.util.Base64` needs API level 26.
 */
internal fun decodeBase64(text: String): ByteArray? {
    val digits = text.trimEnd('=')
    // A group of four has at most two characters of padding.
    if ((text.length + 3) / 4 * 4 - digits.length > 2) return null
    var (bits, place) = Pair(0, 0)
    val bytes = ByteArray(digits.length * 3 / 4)
    digits.forEachIndexed { index, digit ->
        val value = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".indexOf(digit)
        if (value < 0) return null
        bits = bits shl 6 or value
        // The second, third and fourth digit of a group complete a byte.
        if (index % 4 > 0) bytes[place++] = (bits shr 6 - index % 4 * 2).toByte()
    }
    return bytes
}
