package tessera.catalog

/** A stale image is the last good one of a source that could not be reached; a pending one has a size, and no files yet. */
enum class Status { OK, STALE, FAILED, PENDING }

/** Which file of an animated image is wanted. */
enum class Motion {
    /** A still in a place with no side over 64 points, or else the first format, which mostly moves. */
    AUTO,
    /** A still if there is one: for people who want less motion, or before an animation plays. */
    STILL,
    /** The first format. */
    MOVING
}

/** An image of a catalog as one device sees it: its place in each slot, or in any box, and the file to request for it. */
class CatalogEntry internal constructor(node: Node, private val index: CatalogIndex) {
    val id: String = node["id"].text()
    /** The manifest's URL, without secrets; of a file, its path from the manifest. Null if the pipeline does not show URLs. */
    val url: String? = node.optional("url")?.text()
    val status: Status = node["status"].word(
        "ok" to Status.OK, "stale" to Status.STALE, "failed" to Status.FAILED, "pending" to Status.PENDING)
    /** Pixels, as displayed. Null if the size is unknown. */
    val width: Int? = node.optional("width")?.int()
    /** Pixels, as displayed. */
    val height: Int? = node.optional("height")?.int()
    /** Whether the source moves. */
    val isAnimated: Boolean = node.optional("animated")?.boolean() ?: false
    /** Why the status is failed or stale. */
    val error: Failure? = node.optional("error")?.let { Failure(it["code"].text(), it["message"].text(), it["retryable"].boolean()) }
    /** What an app can show until a file has loaded. */
    val placeholder: Placeholder? = node.optional("placeholder")?.let { Placeholder(it, width, height) }
    /** What the image shows, for a screen reader. Empty for an ornament; null if the manifest does not say. */
    val alt: String? = node.optional("alt")?.text()
    /** The point that crops keep in view. */
    val focus: Focus? = node.optional("focus")?.focus()
    /** The manifest's extra: a Map, List, String, Long, Double, Boolean or null. */
    val extra: Any? = node.optional("extra")?.value
    /** Smallest first. */
    internal val variants: List<Variant> = node.optional("source")?.hexadecimal(32).let { source ->
        node.optional("variants")?.list { Variant(it, node, source, isAnimated, index) } ?: emptyList()
    }
    private val uses = node.optional("slots")?.named { SlotUse(it) } ?: emptyMap()
    /** The names of the slots where the image is used. */
    val slots: Set<String> get() = uses.keys

    /**
     * The size of the image's box in a slot, in points, also if the image has failed. Null if it is not used in the slot.
     * No side of a box is below 1 or over 100,000.
     */
    fun box(slot: String): Size? = placed(slot)?.box

    /**
     * The size of the image in any box, in the unit of the box: the box if the image covers it, or else a size of the image's
     * shape, rounded; a square of a box's one side if the image's own size is unknown. Null if the box is not there yet: it has no
     * side, or one that is not a positive number.
     */
    fun box(box: Box): Size? = placed(box)?.box

    /** Where the image is drawn in its box in a slot: it has the box's size, or covers it. */
    fun frame(slot: String): Frame? = placed(slot)?.let { Frame(it, focus) }

    /** Where the whole image is drawn in any box. */
    fun frame(box: Box): Frame? = placed(box)?.let { Frame(it, focus) }

    /**
     * The file to request for a slot on a screen: the one for the smallest scale that is at least `scale`, or for the largest
     * scale, in the first format that the device shows. Null if the image is not used in the slot, or has no such file.
     *
     * @param scale device pixels per point: the density of Android's display metrics.
     */
    fun file(slot: String, scale: Double, motion: Motion = Motion.AUTO) = file(variant(slot, scale), placed(slot), motion)

    /**
     * The file to request for any box on a screen: the smallest with at least one pixel per device pixel, or the largest.
     * Files that were cropped for a slot are ignored, unless all were. Null if the box is not there yet.
     */
    fun file(box: Box, scale: Double, motion: Motion = Motion.AUTO) = file(variant(box, scale), placed(box), motion)

    /** The file for a slot on a screen of high dynamic range: a JPEG with a gain map. Null if there is none that the device shows. */
    fun highDynamicRangeFile(slot: String, scale: Double) = variant(slot, scale)?.highDynamicRange?.takeIf(::isShown)

    fun highDynamicRangeFile(box: Box, scale: Double) = variant(box, scale)?.highDynamicRange?.takeIf(::isShown)

    /**
     * The best file that an app has already, to show at once while the wanted one loads: the wanted size, or else the smallest
     * larger one of the same part of the image, or else the largest smaller one. It moves only if the wanted one does. Null if the
     * app has none of these.
     *
     * @param wanted the file chosen for the place.
     * @param isCached whether the file with this reference is at hand.
     */
    fun cachedFile(wanted: ImageFile, isCached: (reference: String) -> Boolean): ImageFile? {
        val alike = variants.filter { it.crop == wanted.crop }
        val (smaller, others) = alike.partition { it.width < wanted.width || it.height < wanted.height }
        val files = (others + smaller.asReversed()).flatMap { it.files }
            .filter { isShown(it) && (wanted.isAnimated || !it.isAnimated) }
        return (listOf(wanted) + files).firstOrNull { isCached(it.reference) }
    }

    /**
     * What to draw for the image in a state. The size of its place does not depend on the state.
     *
     * @param file the one chosen for the place; null if there is none.
     */
    fun appearance(state: ImageState, file: ImageFile?): Appearance = when {
        // A run that only lays out makes no files, so a pending image is still expected to arrive.
        file == null -> if (status == Status.FAILED) Appearance.Failed(error) else Appearance.Loading(placeholder)
        state == ImageState.LOADED -> Appearance.Loaded(file)
        state == ImageState.FAILED -> Appearance.Failed(null)
        else -> Appearance.Loading(placeholder)
    }

    private fun isShown(file: ImageFile) = file.type in index.accepting

    private fun file(variant: Variant?, placed: Placed?, motion: Motion): ImageFile? {
        val files = variant?.files?.filter(::isShown) ?: return null
        val isSmall = placed != null && placed.box.width <= 64 && placed.box.height <= 64
        val wantsStill = motion == Motion.STILL || motion == Motion.AUTO && isSmall
        return (if (wantsStill) files.firstOrNull { !it.isAnimated } else null) ?: files.firstOrNull()
    }

    private fun placed(slot: String): Placed? = uses[slot]?.let { use ->
        if (use.box == null) index.slots[slot]?.let(::placed) else Placed(use.image ?: use.box, use.box)
    }

    private fun placed(box: Box) =
        Placed.of(if (width == null || height == null || width <= 0 || height <= 0) null else Size(width, height), box)

    private fun variant(slot: String, scale: Double): Variant? {
        val use = uses[slot]?.takeIf { isLength(scale) } ?: return null
        val enough = index.scales.indexOfFirst { it >= scale }
        // Both numbers come from a document, so both may be out of range.
        return use.variants.getOrNull(if (enough < 0) index.scales.size - 1 else enough)?.let { variants.getOrNull(it) }
    }

    private fun variant(box: Box, scale: Double): Variant? {
        val shown = placed(box)?.takeIf { isLength(scale) } ?: return null
        val candidates = variants.filter { it.crop == null }.ifEmpty { variants }
        // A file's sides are rounded, so it may be up to half a pixel smaller than computed.
        return candidates.firstOrNull { it.width + 0.5 >= shown.box.width * scale && it.height + 0.5 >= shown.box.height * scale }
            ?: candidates.lastOrNull()
    }
}

/** Why an image could not be made or refreshed. */
data class Failure(
    /** A stable word: `http-status`, `timeout`, `not-image`… */
    val code: String,
    /** A sentence for people. */
    val message: String,
    /** Whether the same request may succeed later. */
    val retryable: Boolean
)

/** The state of a file on the screen. One that will be requested is loading, too. */
enum class ImageState { LOADING, LOADED, FAILED }

/** What to draw in an image's place. */
sealed class Appearance {
    /** Something that waits: the placeholder, or whatever the app uses for an empty place. */
    data class Loading(val placeholder: Placeholder?) : Appearance()
    data class Loaded(val file: ImageFile) : Appearance()
    /** Something that offers to try again. With an error the catalog has no file, so there is nothing to try. */
    data class Failed(val error: Failure?) : Appearance()
}

/**
 * A file to request: in a format that the device shows, with its whole URL. There is no other way to one than a [CatalogEntry],
 * so what can't be shown can't be requested.
 */
class ImageFile internal constructor(
    private val prefix: String,
    /**
     * What caches know the file by, wherever the catalog came from: its URL at an image service if it has one, or else the path
     * in the catalog. The content behind a path never changes.
     */
    val reference: String,
    /** The media type. */
    val type: String,
    /** Pixels. */
    val width: Int,
    /** Pixels. */
    val height: Int,
    /** Null if it is not known, because an image service makes the file. */
    val bytes: Long? = null,
    /** Whether the file moves. */
    val isAnimated: Boolean = false,
    internal val crop: String? = null
) {
    /** The URL to request. */
    val url: String get() = prefix + reference

    override fun equals(other: Any?) = other is ImageFile && other.reference == reference && other.prefix == prefix
    override fun hashCode() = reference.hashCode()
    override fun toString() = url
}

/** An image in one size, or a part of it. The names of its files follow from the source, the size and the format. */
internal class Variant(node: Node, image: Node, source: String?, isAnimated: Boolean, index: CatalogIndex) {
    /** Pixels. */
    val width = node["width"].int()
    val height = node["height"].int()
    /** Names the part of the image that the files show. Null if they show all of it. */
    val crop = node.optional("crop")?.hexadecimal(8)
    /** In the order of preference. At the end the source itself if a service offers it. */
    val files = ArrayList<ImageFile>(index.formats.size)
    /** The file with a gain map. */
    var highDynamicRange: ImageFile? = null

    init {
        // What differs by format is in the order of the head's formats, `null` for those that the image does not have.
        fun <Value> values(name: String, read: (Node) -> Value): List<Value?> {
            val list = node.optional(name) ?: return emptyList()
            val values = list.list { if (it.value == null) null else read(it) }
            if (values.size > index.formats.size) list.fail("expected at most ${index.formats.size} values, found ${values.size}")
            return values
        }
        fun url(node: Node) = node.text("a URL that begins with http:// or https://", ::isServiceURL)
        val sizes = values("bytes") { it.long() }
        val urls = values("urls", ::url)
        val stills = node.optional("stills")?.list { it.int() } ?: emptyList()
        if (source == null && sizes.any { it != null }) image.fail("\"source\" is missing")
        val name = "variants/${source?.take(2)}/${source?.substring(2, 4)}/$source-${width}x$height${if (crop == null) "" else "-$crop"}"
        index.formats.forEachIndexed { place, format ->
            val (size, url) = Pair(sizes.getOrNull(place), urls.getOrNull(place))
            val path = if (size == null || format.recipe == null || format.extension == null) null
            else "$name-${format.recipe}.${format.extension}"
            val reference = url ?: path ?: return@forEachIndexed
            val file = ImageFile(
                if (url == null) index.prefix else "", reference, format.type, width, height, size,
                isAnimated && place !in stills, crop)
            if (format.dynamicRange == null) files.add(file) else if (format.dynamicRange == "high") highDynamicRange = file
        }
        node.optional("original")?.let {
            files.add(ImageFile("", url(it["url"]), it["type"].text(), width, height, it.optional("bytes")?.long(), isAnimated, crop))
        }
        if (files.isEmpty()) node.fail("expected a file or a URL")
    }
}

/** How an image fills one slot. */
private class SlotUse(node: Node) {
    /** Null if it is not known, because the image has failed. */
    val box = if (node.optional("width") == null) null else Size(node)
    /** If it is larger than its box. */
    val image = node.optional("image")?.let { Size(it) }
    /** A number of one of the image's variants for each of the catalog's scales. */
    val variants = node.optional("variants")?.list { it.int() } ?: emptyList()
}

/** The media types that Android shows, by API level (`Build.VERSION.SDK_INT`). Animated WebP moves from 28 on. */
fun androidTypes(level: Int): Set<String> = listOfNotNull(
    "image/jpeg", "image/png", "image/gif", "image/webp".takeIf { level >= 18 }, "image/heic".takeIf { level >= 28 },
    "image/avif".takeIf { level >= 31 }).toSet()
