package tessera.catalog

import java.io.InputStream

/**
 * A Tessera catalog (`tessera-catalog/1`): everything an app needs to lay out its screens before the first image has
 * loaded. Members that this version does not know are ignored, so an app can read catalogs of later minor versions.
 */
data class Catalog(
    /** "tessera-catalog/1" */
    val schema: String,
    val generator: Generator,
    val pipeline: Pipeline,
    /** The prefix of a path. Ends in "/". */
    val baseURL: String? = null,
    /** In their order of preference; those that only take the place of another come last. */
    val formats: List<Format>,
    /** The places in the layout, by name. */
    val slots: Map<String, Slot>,
    /** Device pixels per point, ascending. [SlotUse.variants] has one entry for each. */
    val scales: List<Int>,
    /** SHA-256 of the document's bytes after this member, in hexadecimal. Each other document has another one. */
    val digest: String,
    /** In the order of the manifest. Each is parsed when it is asked for. */
    val images: ImageList,
    /** Ready pixels of small slots, by the slot's name, as `TABLES.md` describes them. This library does not read the files. */
    val tables: CatalogValue? = null,
    /**
     * Of the first document of a screen: the paths of the others, in the order of their images. [CatalogContext.url] makes URLs
     * of them.
     */
    val parts: List<String> = emptyList()
) {
    /** The document: what an app stores, so that changes apply to it. */
    val bytes: ByteArray get() = images.bytes

    companion object {
        const val SCHEMA = "tessera-catalog/1"

        /**
         * Reads a catalog: its head, and where its images are. An image is parsed when it is asked for.
         *
         * @param bytes are not copied; they must stay as they are.
         * @param checksDigest whether a catalog that was altered is rejected.
         * @throws CatalogException for what is not a catalog, or for one that is cut off.
         */
        fun read(bytes: ByteArray, checksDigest: Boolean = false): Catalog {
            val catalog = readDocument(bytes)
            val found = if (checksDigest) digestOf(bytes) else catalog.digest
            if (found == catalog.digest) return catalog
            throw CatalogException(
                1, "digest", "the catalog was altered: it states ${catalog.digest.take(12)}…, and has ${found.take(12)}…")
        }

        /** The same from a stream, which stays open. */
        fun read(stream: InputStream, checksDigest: Boolean = false): Catalog = read(stream.readBytes(), checksDigest)
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

/** A format in which images are there. */
data class Format(
    /** The media type. */
    val type: String,
    /** Of the names of its files. Null if an image service makes all of them, as the recipe is. */
    val extension: String? = null,
    /** Names how its files are made: a part of their names. */
    val recipe: String? = null,
    /** True if it only takes the place of another format that an image can't have. */
    val fallback: Boolean? = null,
    /** "high": its files have a gain map, so that they are brighter on screens of high dynamic range. */
    val dynamicRange: String? = null
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

/** Why a catalog, or a document of changes, cannot be read, and where. */
class CatalogException(
    /** The line in the document, from 1. An image has a line of its own. */
    val line: Int,
    /** The path to the member: `images[3].variants[0].width`. Empty for the document itself. */
    val member: String,
    /** What was expected, and what was found: a clause. */
    val reason: String
) : Exception("line $line: ${if (member == "") "" else "$member: "}$reason")
