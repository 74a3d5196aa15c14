// A Tessera catalog, version 1, as Kotlin sees it, for kotlinx.serialization with `ignoreUnknownKeys = true`:
// members that are not named here may come in later versions.
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
    /** What goes before a path. */
    val baseURL: String? = null,
    val slots: Map<String, Slot>,
    /** Device pixels a point, ascending. */
    val scales: List<Int>,
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
    /** Points; free where it is missing. */
    val width: Int? = null,
    /** Points; free where it is missing. */
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
    /** The manifest's, without secrets. */
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
    /** Why it is failed or stale. */
    val error: Failure? = null,
    val warnings: List<String>? = null,
    val placeholder: Placeholder? = null,
    /** Smallest first. Empty where there is nothing to show. */
    val variants: List<Variant> = emptyList(),
    val slots: Map<String, SlotUse> = emptyMap(),
    /** In catalogs of the full profile alone. */
    val source: Source? = null,
    /** What the manifest says besides. */
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
    /** Relative to the catalog; never changes its content. */
    val path: String,
    /** The media type. */
    val type: String,
    /** Pixels. */
    val width: Int,
    /** Pixels. */
    val height: Int,
    val bytes: Long,
    /** Why this is not what was asked for. */
    val fallback: String? = null,
    /** The same in the other formats, in their order of preference. */
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
    /** Points, as laid out. */
    val width: Int,
    /** Points, as laid out. */
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
    /** Exif's, 1 to 8. */
    val orientation: Int? = null,
    val colourSpace: String? = null,
    val profile: String? = null,
    val etag: String? = null,
    val lastModified: String? = null,
    val robots: String? = null,
)

/** The file for a slot on a screen: the one for the smallest scale that is enough, or the largest there is. */
fun Catalog.variantFor(image: Image, slot: String, scale: Double): Variant? {
    val use = image.slots[slot] ?: return null
    val enough = scales.indexOfFirst { it >= scale }
    val place = if (enough < 0) scales.size - 1 else enough
    return use.variants.getOrNull(place)?.let { image.variants.getOrNull(it) }
}
