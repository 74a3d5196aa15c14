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
    /** How the image fills each slot, by the slot's name. */
    val slots: Map<String, SlotUse> = emptyMap(),
    /** Only in catalogs of the full profile. */
    val source: Source? = null,
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

/** A file ([path] and [bytes]), an image that a service makes ([url]), or both: then an app requests the URL. */
data class Variant(
    /** Relative to the catalog. The content behind a path never changes. */
    val path: String? = null,
    /** An image service makes the image when this URL is requested. */
    val url: String? = null,
    /** The media type. */
    val type: String,
    /** Pixels. */
    val width: Int,
    /** Pixels. */
    val height: Int,
    /** The file's size; of an [original] the source's, if it is known. */
    val bytes: Long? = null,
    /** Only in catalogs of the full profile: SHA-256 of the file, in hexadecimal. */
    val sha256: String? = null,
    /** Why the file is not the requested one: `webp-size-limit`, `avif-no-animation`, `service-limit`… */
    val fallback: String? = null,
    /** The same image in the other formats, in their order of preference, and with a gain map. */
    val also: List<Alternative>? = null,
    /** Only in catalogs of the full profile: the quality that was found for the image. */
    val quality: Int? = null,
    /** The SSIMULACRA 2.1 score that the image has at this quality, at most 100. */
    val score: Int? = null,
    /** True if the URL is the source's own, because the image service can't make the image: all of it, in its own size. */
    val original: Boolean? = null
)

/** The same image in another format. */
data class Alternative(
    /** Relative to the catalog. */
    val path: String? = null,
    val url: String? = null,
    /** The media type. */
    val type: String,
    val bytes: Long? = null,
    val sha256: String? = null,
    val fallback: String? = null,
    val quality: Int? = null,
    val score: Int? = null,
    /** "high" if the file has a gain map, so that it is brighter on screens of high dynamic range. */
    val dynamicRange: String? = null,
    /** With [dynamicRange]: how many times as bright as white the brightest parts may become. */
    val headroom: Double? = null
)

/** How an image fills one slot. */
data class SlotUse(
    /** The box in the layout, in points. */
    val width: Int,
    /** The box in the layout, in points. */
    val height: Int,
    /** An index into the image's variants for each of the catalog's scales. */
    val variants: List<Int>,
    /** The size of the image, in points, if it is larger than its box: see [frame]. */
    val image: Size? = null,
    /** True if the files show only a part of the image, because the slot bounds its shape. */
    val cropped: Boolean? = null
)

/** The bytes that an image was made from. A member is null if the source has no such property. */
data class Source(
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
