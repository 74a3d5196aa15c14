package tessera.catalog

/** The kinds of placeholders. */
enum class PlaceholderKind {
    /** An image as a `data:` URL. */
    LQIP,
    /** In Base64; see [ThumbHash]. */
    THUMBHASH,
    /** See [BlurHash]. */
    BLURHASH,
    /** `#rrggbb`. */
    COLOR
}

/** One kind of placeholder, with its data. */
data class PlaceholderData(val kind: PlaceholderKind, val text: String) {
    /**
     * The pixels of the placeholder. Null if it is not valid, and for a `data:` URL, which the system's image decoder
     * reads.
     *
     * @param size the size in pixels at which to draw a BlurHash. A ThumbHash has a shape of its own, so that only the
     *   longer side of the size counts; a colour is one pixel.
     */
    fun pixels(size: Size = Size(32, 32)): PlaceholderPixels? = when (kind) {
        PlaceholderKind.LQIP -> null
        PlaceholderKind.THUMBHASH -> decodeBase64(text)?.let { ThumbHash.decode(it, maxOf(size.width, size.height)) }
        PlaceholderKind.BLURHASH -> BlurHash.decode(text, size.width, size.height)
        PlaceholderKind.COLOR -> colorOf(text)?.let { PlaceholderPixels(1, 1, intArrayOf(it)) }
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

/** The most detailed placeholder; null if there is none. */
val Placeholder.best: PlaceholderData?
    get() = part(PlaceholderKind.LQIP, lqip) ?: part(PlaceholderKind.THUMBHASH, thumbhash)
        ?: part(PlaceholderKind.BLURHASH, blurhash) ?: part(PlaceholderKind.COLOR, color)

/** The colour as Android's `Color`: 0xFFRRGGBB; null if it is absent or malformed. */
val Placeholder.argb: Int? get() = color?.let { colorOf(it) }

/**
 * The pixels of the first valid placeholder of these: the ThumbHash, the BlurHash, the colour. Null if none is valid.
 *
 * @param size the size in pixels at which to draw; see [PlaceholderData.pixels].
 */
fun Placeholder.pixels(size: Size = Size(32, 32)): PlaceholderPixels? =
    part(PlaceholderKind.THUMBHASH, thumbhash)?.pixels(size)
        ?: part(PlaceholderKind.BLURHASH, blurhash)?.pixels(size)
        ?: part(PlaceholderKind.COLOR, color)?.pixels(size)

private fun part(kind: PlaceholderKind, text: String?) = text?.let { PlaceholderData(kind, it) }

private fun colorOf(text: String): Int? {
    if (text.length != 7 || text[0] != '#') return null
    var color = 0xFF
    for (index in 1 until 7) {
        val letter = text[index]
        // ASCII only: Character.digit accepts the digits of all scripts.
        val digit = if (letter < '\u0080') Character.digit(letter, 16) else -1
        if (digit < 0) return null
        color = color shl 4 or digit
    }
    return color
}

/** A pixel of samples from 0 to 255. */
internal fun pixel(alpha: Int, red: Int, green: Int, blue: Int): Int =
    alpha shl 24 or (red shl 16) or (green shl 8) or blue

private const val BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/**
 * The bytes that a text in Base64 encodes (RFC 4648, section 4); null if it has other characters. Padding may be
 * absent: some tools write a ThumbHash without it. `java.util.Base64` needs API level 26.
 */
private fun decodeBase64(text: String): ByteArray? {
    val digits = text.trimEnd('=')
    // A group of four has at most two characters of padding.
    if ((text.length + 3) / 4 * 4 - digits.length > 2) return null
    val bytes = ByteArray(digits.length * 3 / 4)
    var bits = 0
    var count = 0
    var place = 0
    for (digit in digits) {
        val value = BASE64.indexOf(digit)
        if (value < 0) return null
        // At most 24 bits are pending: four digits, or three bytes.
        bits = (bits shl 6 or value) and 0xFFFFFF
        count += 6
        if (count >= 8) {
            count -= 8
            bytes[place++] = (bits shr count).toByte()
        }
    }
    return bytes
}
