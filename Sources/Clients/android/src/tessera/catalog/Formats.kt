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
    /** Null if it is not known, because an image service makes the file. */
    val bytes: Long?
) {
    /** The file's size, or else an estimate: a quarter of a byte for each pixel. */
    val expectedBytes: Long get() = maxOf(0L, bytes ?: width.toLong() * height / 4)

    override fun equals(other: Any?) = other is ImageFile && other.reference == reference && other.url == url
    override fun hashCode() = reference.hashCode()
    override fun toString() = url
}

/** The media types of the formats, in their order of preference; those that only take the place of another come last. */
val Catalog.types: List<String> get() = formats.filter { it.dynamicRange == null }.map { it.type }.distinct()

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
