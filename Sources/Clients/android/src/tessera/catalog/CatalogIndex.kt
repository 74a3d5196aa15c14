package tessera.catalog

/**
 * Looks up images by id, for one device.
 *
 * Creating an index takes one pass over the catalog. Each lookup then takes constant time.
 */
class CatalogIndex(
    val catalog: Catalog,
    /** The media types that the device shows; see [SupportedTypes]. */
    accepting: Set<String>,
    /** The URL of the catalog; needed if it has no absolute `baseURL`. */
    from: String? = null
) {
    /** What the images have in common. */
    val context = CatalogContext(catalog, accepting, from)

    /** The media types of all files, in their order of preference. */
    val types: List<String> = catalog.types

    private val positions = HashMap<String, Int>(catalog.images.size * 4 / 3 + 1)

    init {
        // Of two images with the same id, the first counts, as in the manifest.
        catalog.images.forEachIndexed { position, image ->
            if (!positions.containsKey(image.id)) positions[image.id] = position
        }
    }

    /** The image with an id. */
    operator fun get(id: String): CatalogEntry? = positions[id]?.let { context.entry(catalog.images[it]) }

    /** The position of an image in the catalog's order. */
    fun position(id: String): Int? = positions[id]
}
