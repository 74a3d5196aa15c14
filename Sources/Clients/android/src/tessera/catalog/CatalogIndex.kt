package tessera.catalog

/**
 * Looks up images by id: their sizes in slots, and the files to fetch for them.
 *
 * Creating an index takes one pass over the catalog. Each lookup then takes constant time.
 */
class CatalogIndex(val catalog: Catalog) {
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
    operator fun get(id: String): Image? = positions[id]?.let { catalog.images[it] }

    /** The position of an image in the catalog's order. */
    fun position(id: String): Int? = positions[id]

    /** The file to fetch for an image in a slot; see [Catalog.variantFor]. */
    fun variantFor(id: String, slot: String, scale: Double): Variant? =
        get(id)?.let { catalog.variantFor(it, slot, scale) }

    /** The file to fetch for an image in any box; see [Image.variantFor]. */
    fun variantFor(id: String, box: Box, scale: Double): Variant? = get(id)?.variantFor(box, scale)

    /** The size of an image in a slot, in points; null if it is unknown. */
    fun layoutSize(id: String, slot: String): Size? = get(id)?.layoutSize(slot)

    /** The size of an image in any box, in points; null if it is unknown. */
    fun layoutSize(id: String, box: Box): Size? = get(id)?.layoutSize(box)

    /** Where an image is drawn in its box in a slot, in points; null if it is unknown. */
    fun frame(id: String, slot: String): Frame? = get(id)?.frame(slot)

    /** Where an image is drawn in any box, in points; null if it is unknown. */
    fun frame(id: String, box: Box): Frame? = get(id)?.frame(box)
}
