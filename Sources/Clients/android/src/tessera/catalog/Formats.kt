package tessera.catalog

/** A file of an image in one format. */
data class VariantFile(
    /** Relative to the catalog. */
    val path: String?,
    /** An image service makes the image when this URL is requested. */
    val url: String?,
    /** The media type. */
    val type: String,
    /** Pixels. */
    val width: Int,
    /** Pixels. */
    val height: Int,
    /** Null if only a service has the file. */
    val bytes: Long?
) {
    /** What names the file in caches and requests: its URL at a service if it has one, or else its path. */
    val reference: String get() = url ?: path ?: ""
}

/** What names the variant in caches and requests: its URL at a service if it has one, or else its path. */
val Variant.reference: String get() = url ?: path ?: ""

/** The image at this size in the first format. */
internal val Variant.firstFile: VariantFile get() = VariantFile(path, url, type, width, height, bytes)

/** The image at this size in all its formats, in their order of preference; without [highDynamicRangeFile]. */
val Variant.files: List<VariantFile>
    get() {
        val others = also ?: return listOf(firstFile)
        return listOf(firstFile) + others.filter { it.dynamicRange == null }.map { file(it) }
    }

/**
 * The image at this size for screens of high dynamic range, which on all others looks like the others; null if there is
 * none.
 */
val Variant.highDynamicRangeFile: VariantFile?
    get() = also?.firstOrNull { it.dynamicRange == "high" }?.let { file(it) }

private fun Variant.file(other: Alternative) =
    VariantFile(other.path, other.url, other.type, width, height, other.bytes)

/**
 * The first file in a format that the client supports; null if there is none.
 *
 * @param types the media types that the client supports; see [SupportedTypes].
 */
fun Variant.fileAccepting(types: Set<String>): VariantFile? {
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

/** The URL of the variant's first file. */
fun Catalog.url(variant: Variant): String = url(variant.reference)

/** The URL of a file. */
fun Catalog.url(file: VariantFile): String = url(file.reference)

/**
 * The URL of a file by its reference: a URL at a service as it is, or a path with [Catalog.baseURL] before it. Without
 * a base URL, the result is the path itself; the app resolves it against the URL of the catalog.
 */
fun Catalog.url(reference: String): String =
    if (isServiceURL(reference)) reference else (baseURL ?: "") + reference

/** Sets of media types that clients show, for [fileAccepting]. */
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
