package tessera.catalog

/**
 * A file to request: in a format that the device shows, with its whole URL. There is no other way to one than a
 * [CatalogEntry], so what can't be shown can't be requested.
 */
class ImageFile internal constructor(
    /** The URL to request. Relative if neither the catalog's `baseURL` nor where the catalog came from is known. */
    val url: String,
    /**
     * What caches know the file by, wherever the catalog came from: the URL at an image service if there is one, or else
     * the path in the catalog.
     */
    val reference: String,
    /** The media type. */
    val type: String,
    /** Pixels. */
    val width: Int,
    /** Pixels. */
    val height: Int,
    /** Null if an image service makes the file. */
    val bytes: Long?
) {
    /** The file's size, or else an estimate: a quarter of a byte for each pixel. */
    val expectedBytes: Long get() = maxOf(0L, bytes ?: width.toLong() * height / 4)

    override fun equals(other: Any?) = other is ImageFile && other.reference == reference && other.url == url
    override fun hashCode() = reference.hashCode()
    override fun toString() = url
}

/** A file of a variant in one format, not yet one that is accepted. */
internal class VariantFile(val path: String?, val url: String?, val type: String, val bytes: Long?) {
    val reference: String get() = url ?: path ?: ""
}

/** What names the variant in caches and requests: its URL at a service if it has one, or else its path. */
internal val Variant.reference: String get() = url ?: path ?: ""

private val Variant.firstFile: VariantFile get() = VariantFile(path, url, type, bytes)

/** The image at this size in all its formats, in their order of preference; without [highDynamicRangeFile]. */
internal val Variant.files: List<VariantFile>
    get() {
        val others = also ?: return listOf(firstFile)
        return listOf(firstFile) + others.filter { it.dynamicRange == null }.map { file(it) }
    }

/**
 * The image at this size for screens of high dynamic range, which on all others looks like the others; null if there is
 * none.
 */
internal val Variant.highDynamicRangeFile: VariantFile?
    get() = also?.firstOrNull { it.dynamicRange == "high" }?.let { file(it) }

private fun file(other: Alternative) = VariantFile(other.path, other.url, other.type, other.bytes)

/** The first file in a format that the client supports; null if there is none. */
internal fun Variant.fileAccepting(types: Set<String>): VariantFile? {
    // Nearly every client accepts the first format; this spares it the list of files.
    if (type in types) return firstFile
    return files.firstOrNull { it.type in types }
}

/**
 * The media types of all files in their order of preference: the formats that the pipeline requests first, then the
 * formats that occur only as fallbacks.
 */
val Catalog.types: List<String>
    get() {
        val types = LinkedHashSet<String>()
        val fallbacks = LinkedHashSet<String>()
        for (image in images) {
            for (variant in image.variants) {
                (if (variant.fallback == null) types else fallbacks).add(variant.type)
                val others = variant.also ?: continue
                for (other in others) {
                    if (other.dynamicRange == null) (if (other.fallback == null) types else fallbacks).add(other.type)
                }
            }
        }
        return (types + fallbacks).toList()
    }

/** Sets of media types that clients show, for a [CatalogIndex]. */
object SupportedTypes {
    /** What every client shows. */
    val everywhere: Set<String> = setOf("image/jpeg", "image/png", "image/gif")

    /**
     * Of Android, by API level (`Build.VERSION.SDK_INT`): WebP from 18 (animations move from 28), HEIC from 28, AVIF
     * from 31.
     */
    fun android(level: Int): Set<String> {
        val types = LinkedHashSet(everywhere)
        if (level >= 18) types.add("image/webp")
        if (level >= 28) types.add("image/heic")
        if (level >= 31) types.add("image/avif")
        return types
    }

    /**
     * Of a browser, by its header `Accept` (RFC 9110, section 12.5.1). Types of weight 0 are left out, and ranges
     * (those that end in a star) add nothing: browsers send them whatever they support.
     */
    fun accept(header: String): Set<String> {
        val types = LinkedHashSet(everywhere)
        for (part in header.split(',')) {
            val fields = part.split(';').map { lowercase(it) }.filter { it.isNotEmpty() }
            val type = fields.firstOrNull() ?: continue
            if (!type.startsWith("image/") || type.endsWith("*")) continue
            val isRejected = fields.drop(1).any { it.startsWith("q=") && it.drop(2).toDoubleOrNull() == 0.0 }
            if (isRejected) types.remove(type) else types.add(type)
        }
        return types
    }

    /** A field without spaces, in lower case. Media types are ASCII. */
    private fun lowercase(field: String): String {
        val text = StringBuilder()
        for (letter in field) if (letter != ' ' && letter != '\t') text.append(Character.toLowerCase(letter))
        return text.toString()
    }
}
