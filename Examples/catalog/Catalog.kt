// Kotlin types of a Tessera catalog, version 1, for kotlinx.serialization. Set `ignoreUnknownKeys = true`: later minor
// versions may add members.
package tessera.catalog

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonElement

@Serializable
data class Catalog(
    /** "tessera-catalog/1" */
    val schema: String,
    val generator: Generator,
    val pipeline: Pipeline,
    /** The prefix of a path. */
    val baseURL: String? = null,
    val slots: Map<String, Slot>,
    /** Device pixels per point, ascending. */
    val scales: List<Int>,
    /** The number of images: with others, the catalog is cut off. */
    val count: Int? = null,
    /** In the order of the manifest. */
    val images: List<Image> = emptyList(),
)

@Serializable
data class Generator(val name: String, val version: String, val libvips: String)

@Serializable
data class Pipeline(val name: String, val fingerprint: String)

@Serializable
enum class Mode {
    @SerialName("fit") FIT,
    @SerialName("fill") FILL,
    @SerialName("clip") CLIP,
}

@Serializable
data class Slot(
    /** Points. Free if absent. */
    val width: Int? = null,
    /** Points. Free if absent. */
    val height: Int? = null,
    val mode: Mode,
)

@Serializable
enum class Status {
    @SerialName("ok") OK,
    @SerialName("stale") STALE,
    @SerialName("failed") FAILED,
    @SerialName("pending") PENDING,
}

@Serializable
data class Image(
    val id: String,
    /** The manifest's URL, without secrets. */
    val url: String,
    val status: Status,
    /** Pixels, as displayed. */
    val width: Int? = null,
    /** Pixels, as displayed. */
    val height: Int? = null,
    val format: String? = null,
    val alpha: Boolean? = null,
    val animated: Boolean? = null,
    val frames: Int? = null,
    /** Why the status is failed or stale. */
    val error: Failure? = null,
    val warnings: List<String>? = null,
    val placeholder: Placeholder? = null,
    /** Smallest first. Empty if there is nothing to show. */
    val variants: List<Variant> = emptyList(),
    val slots: Map<String, SlotUse> = emptyMap(),
    /** Only in catalogs of the full profile. */
    val source: Source? = null,
    /** The manifest's extra. */
    val extra: JsonElement? = null,
)

@Serializable
data class Failure(val code: String, val message: String, val retryable: Boolean)

@Serializable
data class Placeholder(
    /** #rrggbb */
    val color: String? = null,
    /** In Base64. */
    val thumbhash: String? = null,
    val blurhash: String? = null,
    /** A data: URL. */
    val lqip: String? = null,
)

@Serializable
data class Variant(
    /** Relative to the catalog. The content behind a path never changes. */
    val path: String,
    /** The media type. */
    val type: String,
    /** Pixels. */
    val width: Int,
    /** Pixels. */
    val height: Int,
    val bytes: Long,
    /** Why the format is not the requested one. */
    val fallback: String? = null,
    /** The same image in the other formats, in their order of preference. */
    val also: List<Alternative>? = null,
    val sha256: String? = null,
)

@Serializable
data class Alternative(
    val path: String,
    val type: String,
    val bytes: Long,
    val fallback: String? = null,
    val sha256: String? = null,
)

@Serializable
data class SlotUse(
    /** The size in the layout, in points. */
    val width: Int,
    /** The size in the layout, in points. */
    val height: Int,
    /** An index into the image's variants for each of the catalog's scales. */
    val variants: List<Int>,
)

@Serializable
data class Source(
    val url: String? = null,
    val bytes: Long? = null,
    val sha256: String,
    val width: Int? = null,
    val height: Int? = null,
    /** The Exif orientation, 1 to 8. */
    val orientation: Int? = null,
    val colourSpace: String? = null,
    val profile: String? = null,
    val etag: String? = null,
    val lastModified: String? = null,
    val robots: String? = null,
)

/** The file for a slot on a screen: the one for the smallest sufficient scale, or for the largest scale. */
fun Catalog.variantFor(image: Image, slot: String, scale: Double): Variant? {
    val use = image.slots[slot] ?: return null
    val enough = scales.indexOfFirst { it >= scale }
    val place = if (enough < 0) scales.size - 1 else enough
    return use.variants.getOrNull(place)?.let { image.variants.getOrNull(it) }
}
