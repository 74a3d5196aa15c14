package tessera.catalog

/** The state of an image on the screen. */
enum class ImageState {
    /** The app has requested the file, or will request it. */
    LOADING,
    /** The file has loaded. */
    LOADED,
    /** The file could not be loaded. */
    FAILED
}

/** What to draw in an image's place. */
sealed class Appearance {
    /** The file itself. */
    data class File(val file: ImageFile) : Appearance()
    /** A blurred image, made from the most detailed placeholder. */
    data class Blurred(val placeholder: PlaceholderData) : Appearance()
    /** Nothing is known of the image. The app draws whatever it uses for an empty place. */
    object Empty : Appearance()
    /**
     * There is nothing to show and nothing to wait for. The error is null if the catalog has a file and the client
     * failed to load it.
     */
    data class Failed(val error: Failure?) : Appearance()
}

/**
 * Of the sizes of an image those that may stand in for one, the best first: that size, then the larger ones of the same part
 * of the image from the smallest on, then the smaller ones from the largest on.
 */
internal fun Image.cachedVariants(width: Int, height: Int): List<Variant> {
    val alike = variants.filter { hasSameShape(it.width, it.height, width, height) }
    return alike.filter { it.width == width && it.height == height } +
        alike.filter { it.width >= width && it.height >= height } +
        alike.filter { it.width <= width && it.height <= height }.asReversed()
}

/**
 * Whether two files show the same part of an image: their sides are in the same proportion, up to the rounding of the
 * smaller one's shorter side.
 */
private fun hasSameShape(oneWidth: Int, oneHeight: Int, otherWidth: Int, otherHeight: Int): Boolean {
    val one = Size(oneWidth, oneHeight)
    val other = Size(otherWidth, otherHeight)
    val (small, large) = if (one.width <= other.width) Pair(one, other) else Pair(other, one)
    if (small.width <= 0 || small.height <= 0) return false
    // As Double, because a catalog may state any size.
    val width = small.width.toDouble()
    val height = small.height.toDouble()
    val across = large.width.toDouble()
    val down = large.height.toDouble()
    return if (width >= height) Math.abs(width * down / across - height) <= 0.5 + width / across
    else Math.abs(height * across / down - width) <= 0.5 + height / down
}
