package tessera.catalog

enum class Status(internal val word: String) {
    /** The image is complete. */
    OK("ok"),
    /** The source could not be reached this time. The last good result still applies. */
    STALE("stale"),
    /** There is nothing to show. */
    FAILED("failed"),
    /** The size is known, but no variants were made. */
    PENDING("pending")
}

/** One image of the catalog. */
data class Image(
    val id: String,
    /** The manifest's URL, without secrets; of a file, its path from the manifest. Null if the pipeline does not show URLs. */
    val url: String?,
    val status: Status,
    /** Pixels, as displayed. Null if the size is unknown. */
    val width: Int? = null,
    /** Pixels, as displayed. */
    val height: Int? = null,
    /** The source's format. */
    val format: String? = null,
    val alpha: Boolean? = null,
    val animated: Boolean? = null,
    val frames: Int? = null,
    /** Why the status is failed or stale. */
    val error: Failure? = null,
    /** Defects of the source that did not prevent showing it. */
    val warnings: List<String>? = null,
    val placeholder: Placeholder? = null,
    /** Smallest first. Empty if there is nothing to show. */
    val variants: List<Variant> = emptyList(),
    /** Where the image is used, by the slot's name; of failed images, too. */
    val slots: Map<String, SlotUse> = emptyMap(),
    /** Names the content that the files were made from: the first part of their names. */
    val source: String? = null,
    /** Only in catalogs of the full profile. */
    val provenance: Provenance? = null,
    /** What the image shows, for a screen reader. Empty for an ornament; null if the manifest does not say. */
    val alt: String? = null,
    /** The point that crops keep in view. */
    val focus: Focus? = null,
    /** The manifest's extra. */
    val extra: CatalogValue? = null
)

/** Why an image could not be made or refreshed. */
data class Failure(
    /** A stable word: `http-status`, `timeout`, `not-image`… */
    val code: String,
    /** A sentence for people. */
    val message: String,
    /** Whether the same request may succeed later. */
    val retryable: Boolean
)

/** What an app can show of an image until its file has loaded. Only the kinds that the pipeline requests are set. */
data class Placeholder(
    /** The dominant colour, as `#rrggbb`. */
    val color: String? = null,
    /** A ThumbHash in Base64. */
    val thumbhash: String? = null,
    val blurhash: String? = null,
    /** An image of 16 pixels as a `data:` URL. */
    val lqip: String? = null,
    /** A number of 24 bits, from which a page's style sheet draws a blurred image. */
    val css: Int? = null
)

/** A point of an image, in fractions of its width and height from the upper left corner. */
data class Focus(val x: Double, val y: Double)

/** An image in one size, or a part of it. */
data class Variant(
    /** Pixels. */
    val width: Int,
    /** Pixels. */
    val height: Int,
    /** Names the part of the image that the files show. Null if they show all of it. */
    val crop: String? = null,
    /** Why files are not the requested ones: `webp-size-limit`, `avif-no-animation`, `service-limit`… */
    val fallback: String? = null,
    /**
     * The image in each format in which it is there, in the order of preference; at the end the source itself if a service
     * offers it.
     */
    val files: List<VariantFile>,
    /** The file with a gain map, for screens of high dynamic range; it looks like the others on all other screens. */
    val highDynamicRange: VariantFile? = null,
    /** With [highDynamicRange]: how many times as bright as white the brightest parts may become. */
    val headroom: Double? = null
)

/** A file ([path] and [bytes]), an image that a service makes ([url]), or both: then an app requests the URL. */
data class VariantFile(
    /** Relative to the catalog. The content behind a path never changes. */
    val path: String?,
    /** An image service makes the image when this URL is requested. */
    val url: String?,
    /** The media type. */
    val type: String,
    /** Null if it is not known. */
    val bytes: Long?,
    /** True if the image is animated, and this file shows one of its frames. */
    val isStill: Boolean
) {
    /** What names the file in caches and requests: its URL at a service if it has one, or else its path. */
    internal val reference: String get() = url ?: path ?: ""
}

/** How an image fills one slot. */
data class SlotUse(
    /** The box in the layout, in points. Null if it is not known, because the image has failed. */
    val width: Int? = null,
    /** The box in the layout, in points. */
    val height: Int? = null,
    /** An index into the image's variants for each of the catalog's scales. Empty if the image has no files. */
    val variants: List<Int> = emptyList(),
    /** The size of the image, in points, if it is larger than its box: see [frame]. */
    val image: Size? = null
)

/** The bytes that an image was made from. A member is null if the source has no such property. */
data class Provenance(
    /** After redirects, without secrets. */
    val url: String? = null,
    val bytes: Long? = null,
    /** SHA-256 of the bytes, in hexadecimal. */
    val sha256: String,
    /** Pixels as stored, before the orientation is applied. */
    val width: Int? = null,
    val height: Int? = null,
    /** The Exif orientation, 1 to 8. */
    val orientation: Int? = null,
    val colourSpace: String? = null,
    val profile: String? = null,
    val etag: String? = null,
    val lastModified: String? = null,
    val robots: String? = null
)
