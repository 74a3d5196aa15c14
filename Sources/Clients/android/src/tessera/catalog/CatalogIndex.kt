package tessera.catalog

/**
 * Looks up images by id, for one device.
 *
 * The first lookup takes one pass over the catalog. Each other one then parses the image that it finds.
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

    /** The media types of the catalog's formats, in their order of preference. */
    val types: List<String> get() = catalog.types

    /** The image with an id. Throws [CatalogException] if it cannot be read. */
    operator fun get(id: String): CatalogEntry? = position(id)?.let { context.entry(catalog.images[it]) }

    /** The position of an image in the catalog's order. */
    fun position(id: String): Int? = catalog.images.position(id)
}
