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
    data class File(val variant: Variant) : Appearance()
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
 * What to draw for the image in a state. The size of its place does not depend on the state.
 *
 * @param variant the file chosen for the place; null if the catalog has none.
 */
fun Image.appearance(state: ImageState, variant: Variant?): Appearance {
    val waiting = placeholder?.best?.let { Appearance.Blurred(it) } ?: Appearance.Empty
    if (variant == null) {
        // A layout-only run makes no files, so a pending image is still expected to arrive.
        return if (status == Status.FAILED) Appearance.Failed(error) else waiting
    }
    return when (state) {
        ImageState.LOADING -> waiting
        ImageState.LOADED -> Appearance.File(variant)
        ImageState.FAILED -> Appearance.Failed(null)
    }
}

/**
 * The best file that an app has already, to show at once while the wanted one loads: the wanted file, or else the
 * smallest larger one of the same part of the image, or else the largest smaller one. Null if it has none of these.
 *
 * @param wanted the file chosen for the place.
 * @param isCached whether the file with this reference (see [VariantFile.reference]) is at hand.
 */
fun Image.cachedVariant(wanted: Variant, isCached: (reference: String) -> Boolean): Variant? {
    fun has(variant: Variant) = variant.files.any { isCached(it.reference) }
    if (has(wanted)) return wanted
    val alike = variants.filter { hasSameShape(it, wanted) && it.reference != wanted.reference }
    return alike.firstOrNull { it.width >= wanted.width && it.height >= wanted.height && has(it) }
        ?: alike.lastOrNull { it.width <= wanted.width && it.height <= wanted.height && has(it) }
}

/**
 * Whether two files show the same part of an image: their sides are in the same proportion, up to the rounding of the
 * smaller one's shorter side.
 */
private fun hasSameShape(one: Variant, other: Variant): Boolean {
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
