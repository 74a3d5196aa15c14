package tessera.catalog

/**
 * What the images of a catalog have in common on one device: slots and scales, where files are, and which of them the device
 * shows.
 */
class CatalogContext(
    val head: Catalog,
    /** The media types that the device shows; see [SupportedTypes]. */
    val accepted: Set<String>,
    /** The URL of the catalog; needed if it has no absolute `baseURL`. */
    source: String? = null
) {
    /** What comes before a path. */
    private val prefix = resolve(head.baseURL ?: "", source)

    /** An image of the catalog, as this device sees it. */
    fun entry(image: Image) = CatalogEntry(image, this)

    /** The URL of a file by its reference, or of a part of a screen by its path. */
    fun url(reference: String): String = if (isServiceURL(reference)) reference else prefix + reference

    internal fun file(file: VariantFile, variant: Variant) =
        ImageFile(url(file.reference), file.reference, file.type, variant.width, variant.height, file.bytes)

    /** The first format of a variant that the device shows. */
    internal fun file(variant: Variant): ImageFile? = variant.files.firstOrNull { it.type in accepted }?.let { file(it, variant) }

    internal companion object {
        /**
         * Resolves a reference against the URL of the catalog (RFC 3986, section 5.2; of dot segments only those with two
         * dots at the start are removed, which lead from a screen to the catalog's folder).
         */
        fun resolve(base: String, source: String?): String {
            if (source == null || hasScheme(base)) return base
            val whole = source.takeWhile { it != '?' && it != '#' }
            val root = root(whole)
            // With the scheme of the catalog, if it has one.
            if (base.startsWith("//")) return if (hasScheme(whole)) whole.takeWhile { it != '/' } + base else base
            if (base.startsWith("/")) return root + base
            val path = whole.drop(root.length)
            var folder = if ('/' in path) path.take(path.lastIndexOf('/') + 1) else if (root == "") "" else "/"
            var rest = base
            while (rest.startsWith("../") && folder != "") {
                rest = rest.drop(3)
                // Nothing is above the root.
                if (folder != "/") folder = folder.take(folder.lastIndexOf('/', folder.length - 2) + 1)
            }
            return root + folder + rest
        }

        /** `https://example.com`, or `//example.com`; empty for a path. */
        private fun root(url: String): String {
            val scheme = if (hasScheme(url)) url.take(url.indexOf(':') + 1) else ""
            val rest = url.drop(scheme.length)
            return if (rest.startsWith("//")) scheme + "//" + rest.drop(2).takeWhile { it != '/' } else scheme
        }

        /** Whether a URL begins with a scheme (RFC 3986, section 3.1). */
        private fun hasScheme(url: String): Boolean {
            val colon = url.indexOf(':')
            fun isLetter(letter: Char) = letter in 'a'..'z' || letter in 'A'..'Z'
            return colon > 0 && isLetter(url[0]) && url.take(colon).all { isLetter(it) || it in '0'..'9' || it in "+.-" }
        }
    }
}

/**
 * An image of a catalog as one device sees it. It knows its place in each slot, or in any box, and the file to request for it.
 */
class CatalogEntry internal constructor(
    /** The image in the catalog. */
    val image: Image,
    /** What it has in common with the other images. */
    val context: CatalogContext
) {
    val id: String get() = image.id

    /** The size of the image's box in a slot, in points. Null if its size is unknown, or if it is not used in the slot. */
    fun layoutSize(slot: String): Size? = image.layoutSize(slot)

    /**
     * The size of the image in any box, in the unit of the box: the box if the image covers it, or else a size of the image's
     * shape. Sides are rounded to the nearest whole number and are at least 1. Null if the image's own size is unknown, or if
     * both sides of the box are null.
     */
    fun layoutSize(box: Box): Size? = image.layoutSize(box)

    /** Where the image is drawn in its box in a slot: it has the box's size, or covers it. */
    fun frame(slot: String): Frame? = image.frame(slot)

    /** Where the whole image is drawn in any box. */
    fun frame(box: Box): Frame? = image.frame(box)

    /**
     * The file to request for a slot on a screen: the one for the smallest scale that is at least `scale`, or for the largest
     * scale, in the first format that the device shows. Null if the image is not used in the slot, or has no such file.
     *
     * @param scale device pixels per point: the density of Android's display metrics.
     */
    fun file(slot: String, scale: Double): ImageFile? =
        context.head.variantFor(image, slot, scale)?.let { context.file(it) }

    /**
     * The file to request for any box on a screen: the smallest with at least one pixel per device pixel, or the largest.
     * Files that were cropped for a slot are ignored, unless all were.
     */
    fun file(box: Box, scale: Double): ImageFile? = image.variantFor(box, scale)?.let { context.file(it) }

    /** The file for a slot on a screen of high dynamic range: a JPEG with a gain map. Null if there is none that the device shows. */
    fun highDynamicRangeFile(slot: String, scale: Double): ImageFile? =
        context.head.variantFor(image, slot, scale)?.let { highDynamicRangeFile(it) }

    /** The file for any box on a screen of high dynamic range: a JPEG with a gain map. Null if there is none that the device shows. */
    fun highDynamicRangeFile(box: Box, scale: Double): ImageFile? =
        image.variantFor(box, scale)?.let { highDynamicRangeFile(it) }

    private fun highDynamicRangeFile(variant: Variant): ImageFile? =
        variant.highDynamicRange?.takeIf { it.type in context.accepted }?.let { context.file(it, variant) }

    /**
     * The best file that an app has already, to show at once while the wanted one loads: the wanted size, or else the smallest
     * larger one of the same part of the image, or else the largest smaller one. Null if it has none of these.
     *
     * @param wanted the file chosen for the place.
     * @param isCached whether the file with this reference is at hand.
     */
    fun cachedFile(wanted: ImageFile, isCached: (reference: String) -> Boolean): ImageFile? {
        if (isCached(wanted.reference)) return wanted
        for (variant in image.cachedVariants(wanted.width, wanted.height)) {
            val file = variant.files.firstOrNull { it.type in context.accepted && isCached(it.reference) } ?: continue
            return context.file(file, variant)
        }
        return null
    }

    /**
     * What to draw for the image in a state. The size of its place does not depend on the state.
     *
     * @param file the one chosen for the place; null if there is none.
     */
    fun appearance(state: ImageState, file: ImageFile?): Appearance {
        val waiting = image.placeholder?.best?.let { Appearance.Blurred(it) } ?: Appearance.Empty
        if (file == null) {
            // A layout-only run makes no files, so a pending image is still expected to arrive.
            return if (image.status == Status.FAILED) Appearance.Failed(image.error) else waiting
        }
        return when (state) {
            ImageState.LOADING -> waiting
            ImageState.LOADED -> Appearance.File(file)
            ImageState.FAILED -> Appearance.Failed(null)
        }
    }
}
