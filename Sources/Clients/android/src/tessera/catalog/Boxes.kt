package tessera.catalog

/** A size, in points unless the documentation says pixels. */
data class Size(val width: Int, val height: Int)

/** A place in the layout that is not a slot, in points. A null side is free; at most one side may be null. */
data class Box(val width: Double? = null, val height: Double? = null, val mode: Mode = Mode.FIT)

/** The whole box, if every image covers it. */
private val Box.covered: Size?
    get() = if (mode == Mode.FIT || width == null || height == null) null
    else Size(rounded(width, 1.0), rounded(height, 1.0))

/**
 * The size that the image takes in any box, in the unit of the box: the box if the image covers it, or else a size of the
 * image's shape, even if the image has fewer pixels. Sides are rounded to the nearest whole number and are at least 1.
 *
 * Null if the image's own size is unknown, or if both sides of the box are null.
 */
internal fun Image.layoutSize(box: Box): Size? = wholeSize(box)?.let { box.covered ?: it }

/** Where the whole image is drawn in any box. */
internal fun Image.frame(box: Box): Frame? = wholeSize(box)?.let { frameOf(it, box.covered ?: it, focus) }

/** The size of the whole image, which covers the box or is inside. */
private fun Image.wholeSize(box: Box): Size? {
    // As Double: a product of sides that an untrusted catalog states could overflow an Int.
    val own = (width ?: return null).toDouble()
    val other = (height ?: return null).toDouble()
    if (own <= 0 || other <= 0) return null
    val across = box.width
    val down = box.height
    fun byWidth(width: Double) = Size(rounded(width, 1.0), rounded(width * other, own))
    fun byHeight(height: Double) = Size(rounded(height * own, other), rounded(height, 1.0))
    if (across == null) return down?.let { byHeight(it) }
    if (down == null) return byWidth(across)
    val isTighterAcross = across * other <= down * own
    return if ((box.mode == Mode.FIT) == isTighterAcross) byWidth(across) else byHeight(down)
}

/** A quotient as the length of a side: the nearest whole number, halves rounded up. */
private fun rounded(dividend: Double, divisor: Double): Int {
    val side = Math.floor((2 * dividend + divisor) / (2 * divisor))
    // A catalog is untrusted input: no side is longer than 1e9, also if the quotient is not a number.
    return if (side < 1e9) maxOf(1, side.toInt()) else 1_000_000_000
}

/**
 * The file to fetch for any box on a screen: the smallest file with at least one pixel per device pixel, or the largest
 * file. Files that were cropped for a slot are ignored, unless all were.
 *
 * @param scale device pixels per point.
 */
internal fun Image.variantFor(box: Box, scale: Double): Variant? {
    // A file of the whole image covers a box if both sides do.
    val shown = layoutSize(box) ?: return null
    val whole = wholeVariants
    val candidates = if (whole.isEmpty()) variants else whole
    // NaN and infinity come from a layout that is not there yet.
    if (scale.isNaN() || scale.isInfinite()) return candidates.lastOrNull()
    val across = shown.width * scale
    val down = shown.height * scale
    // A file's sides are rounded, so it may be up to half a pixel smaller than computed.
    return candidates.firstOrNull { it.width + 0.5 >= across && it.height + 0.5 >= down } ?: candidates.lastOrNull()
}

/** The files that show the whole image, smallest first. The others were cropped for a slot. */
internal val Image.wholeVariants: List<Variant> get() = variants.filter { it.crop == null }
