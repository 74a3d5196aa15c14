package tessera.catalog

import java.io.InputStream

/**
 * A Tessera catalog (`tessera-catalog/1`): everything an app needs to lay out its screens before the first image has
 * loaded. Members that this version does not know are ignored, so an app can read catalogs of later minor versions.
 *
 * The number of images that a catalog states is checked while reading and is not a member: it follows from the images.
 */
data class Catalog(
    /** "tessera-catalog/1" */
    val schema: String,
    val generator: Generator,
    val pipeline: Pipeline,
    /** The prefix of a path. Ends in "/". */
    val baseURL: String? = null,
    /** The places in the layout, by name. */
    val slots: Map<String, Slot>,
    /** Device pixels per point, ascending. [SlotUse.variants] has one entry for each. */
    val scales: List<Int>,
    /**
     * SHA-256 of the catalog as it was written: of its canonical form. A patch names the catalogs that it leads from
     * and to by it. Null if an older version wrote the catalog.
     */
    val digest: String? = null,
    /** In the order of the manifest. */
    val images: List<Image> = emptyList(),
    /** Ready pixels of small slots, by the slot's name, as `TABLES.md` describes them. This library does not read the files. */
    val tables: CatalogValue? = null
) {
    companion object {
        const val SCHEMA = "tessera-catalog/1"

        /**
         * Reads a whole catalog, JSON or JSON Lines. For a catalog that is larger than memory, use [CatalogReader].
         *
         * @param checksDigest whether a catalog whose content differs from its [digest] is rejected. One that states no
         *   digest is accepted.
         * @param skipping called for each image that cannot be read, which is then left out; null for an error instead.
         * @throws CatalogException with the line, the column, the member and the reason.
         */
        fun read(
            bytes: ByteArray, checksDigest: Boolean = false, skipping: ((CatalogException) -> Unit)? = null
        ): Catalog = CatalogReader(bytes, checksDigest, skipping).readAll()

        /** The same from a stream, which stays open. */
        fun read(
            stream: InputStream, checksDigest: Boolean = false, skipping: ((CatalogException) -> Unit)? = null
        ): Catalog = CatalogReader(stream, checksDigest, skipping).readAll()
    }
}

/** The program that made the catalog. */
data class Generator(val name: String, val version: String, val libvips: String)

/** The pipeline file behind the catalog. */
data class Pipeline(
    val name: String,
    /** Changes whenever a key changes that affects the catalog or the bytes of its variants. */
    val fingerprint: String
)

/** How an image fills a box. */
enum class Mode(internal val word: String) {
    /** The whole image inside the box. */
    FIT("fit"),
    /** The whole image covering the box. */
    FILL("fill"),
    /** The image cropped to the shape of the box. */
    CLIP("clip")
}

/** A place in the layout, in points. */
data class Slot(
    /** Free if absent. */
    val width: Int? = null,
    /** Free if absent. */
    val height: Int? = null,
    val mode: Mode
)

/** Why a catalog cannot be read, and where. */
class CatalogException(
    /** From 1. */
    val line: Int,
    /** From 1, in bytes. */
    val column: Int,
    /** The path to the member: `images[3].variants[0].width`. Empty for the document itself. */
    val member: String,
    /** What was expected, and what was found: a clause. */
    val reason: String
) : Exception("line $line, column $column: ${if (member == "") "" else "$member: "}$reason")
