package tessera.check

import tessera.catalog.Appearance
import tessera.catalog.Box
import tessera.catalog.CatalogEntry
import tessera.catalog.CatalogException
import tessera.catalog.CatalogIndex
import tessera.catalog.Frame
import tessera.catalog.ImageFile
import tessera.catalog.ImageState
import tessera.catalog.Mode
import tessera.catalog.Motion
import tessera.catalog.PlaceholderPixels
import tessera.catalog.Prefetch
import tessera.catalog.Size
import tessera.catalog.Variant
import tessera.catalog.decodeBase64
import tessera.catalog.decodeBlurHash
import tessera.catalog.decodeThumbHash
import tessera.catalog.isServiceURL
import tessera.catalog.resolve

/**
 * The table of cases that the libraries for Swift, TypeScript and Kotlin have in common.
 *
 * @param document of the table's catalog.
 */
class Cases(bytes: ByteArray, private val document: ByteArray, private val check: Check) {
    private val cases = json(bytes)
    private val index = CatalogIndex(document, everything, checksDigest = true)

    /** Checks all sections, also that there is none but these. */
    fun run() {
        val sections = linkedMapOf(
            "slotSizes" to ::slotSize, "slotFrames" to ::slotFrame, "boxFrames" to ::boxFrame,
            "slotFiles" to ::slotFile, "boxSizes" to ::boxSize, "boxFiles" to ::boxFile, "motion" to ::motion,
            "filesFor" to ::fileFor, "highDynamicRange" to ::highDynamicRangeFile, "urls" to ::url,
            "appearance" to ::appearance, "cached" to ::cached, "prefetch" to ::prefetch,
            "acceptedFiles" to ::acceptedFile, "resolved" to ::resolved, "thumbhashes" to ::thumbhash,
            "blurhashes" to ::blurhash, "errors" to ::error, "references" to ::references, "changesURLs" to ::changesURL)
        for ((name, body) in sections) {
            val rows = cases[name].list()
            check.equal(rows.isEmpty(), false, "$name has rows")
            for (row in rows) body(row)
        }
        check.equal(index.formats.filter { it.dynamicRange == null }.map { it.type }.distinct(), cases["types"].texts(), "types")
        lenient()
        misspeltSlots()
        noBase()
        cachedStill()
        // `accept` is for servers, `blurRule` for style sheets.
        val others = setOf("about", "catalog", "types", "accept", "blurRule", "lenient")
        check.equal((cases as Map<*, *>).keys - others, sections.keys, "sections")
    }

    private fun variant(reference: Any?): Variant? =
        index.images.flatMap { it.variants }.firstOrNull { it.files[0].reference == reference }

    private fun box(value: Any?): Box {
        val mode = Mode.values().first { it.name.equals(value["mode"].text(), ignoreCase = true) }
        return Box(value["width"].number(), value["height"].number(), mode)
    }

    private fun size(value: Any?): Size? = (value as? List<*>)?.let { (width, height) -> Size(width.int(), height.int()) }

    private fun slotSize(row: Any?) {
        val (id, slot, expected) = row.list()
        check.equal(index.image(id.text())?.box(slot.text()), size(expected), row)
    }

    /** Thousandths, because not all fractions are exact. */
    private fun frame(frame: Frame?): List<Long>? =
        frame?.let { listOf(it.x, it.y, it.width.toDouble(), it.height.toDouble()).map { side -> Math.round(side * 1000) } }

    private fun frame(value: Any?): List<Long>? = (value as? List<*>)?.map { Math.round((it.number() ?: 0.0) * 1000) }

    private fun slotFrame(row: Any?) {
        val (id, slot, expected) = row.list()
        check.equal(frame(index.image(id.text())?.frame(slot.text())), frame(expected), row)
    }

    private fun boxFrame(row: Any?) {
        val (id, box, expected) = row.list()
        check.equal(frame(index.image(id.text())?.frame(box(box))), frame(expected), row)
    }

    private fun slotFile(row: Any?) {
        val (id, slot, scale, expected) = row.list()
        check.equal(index.image(id.text())?.file(slot.text(), scale.number() ?: 0.0)?.reference, expected, row)
    }

    private fun boxSize(row: Any?) {
        val (id, box, expected) = row.list()
        check.equal(index.image(id.text())?.box(box(box)), size(expected), row)
    }

    private fun boxFile(row: Any?) {
        val (id, box, scale, expected) = row.list()
        check.equal(index.image(id.text())?.file(box(box), scale.number() ?: 0.0)?.reference, expected, row)
    }

    private fun motion(row: Any?) {
        val (id, place, scale, types, wanted) = row.list()
        val image = CatalogIndex(document, types.texts().toSet()).image(id.text())
        val motion = Motion.values().firstOrNull { it.name.equals(wanted.text(), ignoreCase = true) } ?: Motion.AUTO
        val file = if (place is String) image?.file(place, scale.number() ?: 0.0, motion)
        else image?.file(box(place), scale.number() ?: 0.0, motion)
        check.equal(listOf(file?.reference, file?.isAnimated), row.list().drop(5), row)
    }

    private fun fileFor(row: Any?) {
        val (reference, types, expected) = row.list()
        val file = variant(reference)?.files?.firstOrNull { it.type in types.texts() }
        check.equal(file?.reference, expected, row)
    }

    private fun highDynamicRangeFile(row: Any?) {
        val (reference, expected) = row.list()
        check.equal(variant(reference)?.highDynamicRange?.reference, expected, row)
    }

    private fun url(row: Any?) {
        val (reference, expected) = row.list()
        check.equal(if (isServiceURL(reference.text())) reference else index.prefix + reference, expected, row)
    }

    private fun acceptedFile(row: Any?) {
        val (id, slot, scale, types, from) = row.list()
        val index = CatalogIndex(document, types.texts().toSet(), from as? String)
        check.equal(index.image(id.text())?.file(slot.text(), scale.number() ?: 0.0)?.url, row.list()[5], row)
    }

    private fun resolved(row: Any?) {
        val (base, from, reference, expected) = row.list()
        val prefix = if (isServiceURL(reference.text())) "" else resolve(base.text(), from as? String)
        check.equal(prefix + reference, expected, row)
    }

    /** A file of the catalog in any format, with its image. */
    private fun file(reference: String): Pair<CatalogEntry, ImageFile> =
        index.images.flatMap { image -> image.variants.flatMap { it.files }.map { Pair(image, it) } }
            .first { it.second.reference == reference }

    private fun appearance(row: Any?) {
        val (id, state, reference, expected) = row.list()
        val now = ImageState.values().first { it.name.equals(state.text(), ignoreCase = true) }
        val found = index.image(id.text())?.appearance(now, (reference as? String)?.let { file(it).second })
        val text = when (found) {
            is Appearance.Loaded -> "image"
            is Appearance.Loading -> found.placeholder.let {
                when {
                    it?.thumbhash != null -> "thumbhash"
                    it?.blurhash != null -> "blurhash"
                    it?.color != null -> "color"
                    else -> "empty"
                }
            }
            is Appearance.Failed -> "failure ${found.error?.code ?: ""}".trim()
            null -> "none"
        }
        check.equal(text, expected, row)
    }

    private fun cached(row: Any?) {
        val (reference, cached, expected) = row.list()
        val (image, wanted) = file(reference.text())
        check.equal(image.cachedFile(wanted) { it in cached.texts() }?.reference, expected, row)
    }

    /** Who wants less motion does not get what moves while a still loads. */
    private fun cachedStill() {
        val image = index.image("dance") ?: return
        val (moving, still) = Pair(image.file("card", 1.0), image.file("card", 2.0, Motion.STILL) ?: return)
        check.equal(image.cachedFile(still) { it == moving?.reference }, null, "a still")
        check.equal(moving?.let { image.cachedFile(it) { it == still.reference } }, still, "what moves")
    }

    private fun prefetch(row: Any?) {
        fun files(names: Any?) = names.text().map { letter(it.toString()) }
        fun names(requests: List<Prefetch.Request>) = requests.joinToString("") { it.file.reference }
        val inFlight = listOf("visible", "upcoming").flatMap { kind ->
            files(row["inFlight"][kind]).map { Prefetch.Request(it, kind == "visible") }
        }
        val failed = (row["failed"] as? Map<*, *> ?: emptyMap<Any, Any>()).map { (name, value) ->
            val (count, time) = value.list()
            name.text() to Prefetch.Failures(count.int(), time.number() ?: 0.0)
        }
        val limits = Prefetch()
        val prefetch = Prefetch(
            row["requests"]?.int() ?: limits.requests, row["upcomingRequests"]?.int() ?: limits.upcoming)
        val step = prefetch.step(
            row["visible"].list().map { files(it) }, files(row["upcoming"]), inFlight, failed.toMap(), row["now"].number() ?: 0.0
        ) { it in row["loaded"].text() }
        val (visible, upcoming) = step.start.partition { it.isVisible }
        check.equal(step.start, visible + upcoming, row)
        check.equal(names(visible), row["start"]["visible"], row)
        check.equal(names(upcoming), row["start"]["upcoming"], row)
        check.equal(step.cancel.joinToString(""), row["cancel"], row)
        check.equal(step.priorities.filter { it.value }.keys.joinToString(""), row["promote"], row)
        check.equal(step.priorities.filter { !it.value }.keys.joinToString(""), row["demote"], row)
        check.equal(step.wait, row["wait"].number(), row)
    }

    private fun thumbhash(row: Any?) {
        val side = maxOf(row["width"].int(), row["height"].int())
        pixels(decodeBase64(row["hash"].text())?.let { decodeThumbHash(it, side) }, row)
    }

    private fun blurhash(row: Any?) = pixels(
        decodeBlurHash(row["hash"].text(), Size(row["width"]?.int() ?: 1, row["height"]?.int() ?: 1)), row)

    private fun pixels(pixels: PlaceholderPixels?, row: Any?) {
        check.equal(pixels?.width, row["width"]?.int(), row)
        check.equal(pixels?.height, row["height"]?.int(), row)
        // The first and the last two pixels. Samples may differ by 1: cosines and powers are not the same to the last
        // bit on all platforms.
        val expected = row["ends"].list().map { it.int() }
        val samples = pixels?.argb?.flatMap { listOf(it shr 16 and 255, it shr 8 and 255, it and 255, it ushr 24) } ?: return
        val found = samples.take(8) + samples.takeLast(8)
        check.equal(found.size, expected.size, row)
        for ((one, other) in found.zip(expected)) check.equal(Math.abs(one - other) <= 1, true, "$found $row")
    }

    private fun error(row: Any?) {
        val (text, member) = row.list()
        // The brightness of HDR is in the file, too, where Android finds it: this library ignores the member.
        if (member.text().endsWith("headroom")) return
        val error = check.error(row) { open(text.text()).images.toList() }
        check.equal(error?.member, member, row)
        row.list().getOrNull(2)?.let { check.equal(error?.reason, it, row) }
    }

    private fun references(row: Any?) {
        val (text, expected) = row.list()
        val variants = open(text.text()).images.flatMap { it.variants }
        check.equal(variants.flatMap { it.files }.map { it.reference }, expected.texts(), row)
    }

    private fun lenient() {
        val index = open(cases["lenient"]["text"].text())
        val problems = ArrayList<String>()
        val ids = index.images.indices.mapNotNull { position ->
            try {
                index.images[position].id
            } catch (error: CatalogException) {
                problems.add(error.member)
                null
            }
        }
        check.equal(ids, cases["lenient"]["ids"].texts(), "lenient")
        check.equal(problems, cases["lenient"]["problems"].texts(), "lenient")
        for (id in ids) check.equal(index.image(id)?.id, id, "lenient")
    }

    private fun changesURL(row: Any?) {
        val (digest, url, expected) = row.list()
        check.equal(resolve("from-$digest.json", url.text()), expected, row)
    }

    private fun misspeltSlots() {
        index.requireSlots("card", "avatar")
        val message = try {
            index.requireSlots("card", "crad")
            null
        } catch (error: IllegalArgumentException) {
            error.message
        }
        check.equal(message, "the catalog has no slot \"crad\"; it has avatar, card, cover", "requireSlots")
    }

    /** A catalog that doesn't say where its files are is an error, and not a view that never loads. */
    private fun noBase() {
        val text = String(document).replace("\"baseURL\":\"https://cdn.example.com/feed/\",", "")
        val error = check.error("no base") { open(text, null) }
        check.error("a base that is relative to nothing") { open(String(document).replace("https://cdn.example.com", ""), null) }
        check.equal(
            error?.message, "line 1: baseURL: the catalog does not say where its files are: pass its URL as `from`", "no base")
        check.equal(
            open(text).image("portrait")?.file("card", 1.0)?.url?.startsWith("https://example.com/feed/variants/"), true, "from")
    }
}

/** A file whose reference is one letter, mostly. */
fun letter(reference: String) = ImageFile("https://example.com/", reference, "image/webp", 8, 8, 100)
