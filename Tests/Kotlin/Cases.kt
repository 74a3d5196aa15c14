package tessera.check

import tessera.catalog.Appearance
import tessera.catalog.Box
import tessera.catalog.Catalog
import tessera.catalog.CatalogContext
import tessera.catalog.CatalogEntry
import tessera.catalog.CatalogException
import tessera.catalog.CatalogIndex
import tessera.catalog.CatalogValue
import tessera.catalog.Frame
import tessera.catalog.ImageFile
import tessera.catalog.ImageState
import tessera.catalog.Mode
import tessera.catalog.PlaceholderData
import tessera.catalog.PlaceholderKind
import tessera.catalog.PlaceholderPixels
import tessera.catalog.Prefetch
import tessera.catalog.Size
import tessera.catalog.SupportedTypes
import tessera.catalog.UnknownSlotException
import tessera.catalog.Variant
import tessera.catalog.changesURL
import tessera.catalog.requireSlots
import tessera.catalog.types

/**
 * The table of cases that the libraries for Swift, TypeScript and Kotlin have in common.
 *
 * @param document of the table's catalog.
 */
class Cases(bytes: ByteArray, document: ByteArray, private val check: Check) {
    private val cases = json(bytes)
    private val catalog = Catalog.read(document, checksDigest = true)
    private val index = CatalogIndex(catalog, catalog.types.toSet())

    /** Checks all sections, also that there is none but these. */
    fun run() {
        val sections = linkedMapOf(
            "slotSizes" to ::slotSize, "slotFrames" to ::slotFrame, "boxFrames" to ::boxFrame,
            "slotFiles" to ::slotFile, "boxSizes" to ::boxSize, "boxFiles" to ::boxFile,
            "filesFor" to ::fileFor, "highDynamicRange" to ::highDynamicRangeFile,
            "accept" to ::accept, "urls" to ::url, "appearance" to ::appearance,
            "cached" to ::cached, "prefetch" to ::prefetch, "prefetchFiles" to ::prefetchFiles,
            "acceptedFiles" to ::acceptedFile, "resolved" to ::resolved,
            "errors" to ::error, "references" to ::references, "changesURLs" to ::changesURL)
        for ((name, body) in sections) {
            val rows = cases[name]?.list ?: emptyList()
            check.equal(rows.isEmpty(), false, "$name has rows")
            for (row in rows) body(row)
        }
        check.equal(index.types, cases["types"].texts(), "types")
        for (row in cases["thumbhashes"]?.list ?: emptyList()) pixels(PlaceholderKind.THUMBHASH, row)
        for (row in cases["blurhashes"]?.list ?: emptyList()) pixels(PlaceholderKind.BLURHASH, row)
        lenient()
        misspeltSlots()
        val others = setOf("about", "catalog", "types", "thumbhashes", "blurhashes", "blurRule", "lenient")
        check.equal((cases as CatalogValue.Members).values.keys - others, sections.keys, "sections")
    }

    private fun row(value: CatalogValue): List<CatalogValue> = value.list ?: emptyList()

    private fun variant(reference: String?): Variant? =
        catalog.images.flatMap { it.variants }.firstOrNull { it.files[0].reference == reference }

    private fun box(value: CatalogValue): Box {
        val mode = Mode.values().first { it.name.equals(value["mode"].text(), ignoreCase = true) }
        return Box(value["width"]?.double, value["height"]?.double, mode)
    }

    private fun size(value: CatalogValue): Size? = value.list?.let { sides ->
        Size((sides[0].long ?: 0).toInt(), (sides[1].long ?: 0).toInt())
    }

    private fun slotSize(value: CatalogValue) {
        val (id, slot, expected) = row(value)
        check.equal(index[id.text()]?.layoutSize(slot.text()), size(expected), value)
    }

    /** Thousandths, because not all fractions are exact. */
    private fun frame(frame: Frame?): List<Long>? =
        frame?.let { listOf(it.x, it.y, it.width.toDouble(), it.height.toDouble()).map { side -> Math.round(side * 1000) } }

    private fun frame(value: CatalogValue): List<Long>? =
        value.list?.map { Math.round((it.double ?: 0.0) * 1000) }

    private fun slotFrame(value: CatalogValue) {
        val (id, slot, expected) = row(value)
        check.equal(frame(index[id.text()]?.frame(slot.text())), frame(expected), value)
    }

    private fun boxFrame(value: CatalogValue) {
        val (id, box, expected) = row(value)
        check.equal(frame(index[id.text()]?.frame(box(box))), frame(expected), value)
    }

    private fun slotFile(value: CatalogValue) {
        val (id, slot, scale, expected) = row(value)
        check.equal(index[id.text()]?.file(slot.text(), scale.double ?: 0.0)?.reference, expected.string, value)
    }

    private fun boxSize(value: CatalogValue) {
        val (id, box, expected) = row(value)
        check.equal(index[id.text()]?.layoutSize(box(box)), size(expected), value)
    }

    private fun boxFile(value: CatalogValue) {
        val (id, box, scale, expected) = row(value)
        check.equal(index[id.text()]?.file(box(box), scale.double ?: 0.0)?.reference, expected.string, value)
    }

    private fun fileFor(value: CatalogValue) {
        val (reference, types, expected) = row(value)
        val context = CatalogContext(catalog, types.texts().toSet())
        val file = variant(reference.string)?.let { context.file(it) }
        check.equal(file?.reference, expected.string, value)
    }

    private fun highDynamicRangeFile(value: CatalogValue) {
        val (reference, expected) = row(value)
        check.equal(variant(reference.string)?.highDynamicRange?.reference, expected.string, value)
    }

    private fun accept(value: CatalogValue) {
        val (header, expected) = row(value)
        check.equal(SupportedTypes.accept(header.text()).sorted(), expected.texts(), value)
    }

    private fun url(value: CatalogValue) {
        val (reference, expected) = row(value)
        check.equal(index.context.url(reference.text()), expected.text(), value)
    }

    private fun acceptedFile(value: CatalogValue) {
        val (id, slot, scale, types, from) = row(value)
        val index = CatalogIndex(catalog, types.texts().toSet(), from.string)
        check.equal(index[id.text()]?.file(slot.text(), scale.double ?: 0.0)?.url, row(value)[5].string, value)
    }

    private fun resolved(value: CatalogValue) {
        val (base, from, reference, expected) = row(value)
        val context = CatalogContext(catalog.copy(baseURL = base.string), emptySet(), from.string)
        check.equal(context.url(reference.text()), expected.text(), value)
    }

    /** A file of the catalog in any format, with its image. */
    private fun file(reference: String): Pair<CatalogEntry, ImageFile> {
        for (image in catalog.images) {
            for (variant in image.variants) {
                val file = variant.files.firstOrNull { it.reference == reference } ?: continue
                return Pair(index.context.entry(image), index.context.file(file, variant))
            }
        }
        error("no file $reference")
    }

    private fun appearance(value: CatalogValue) {
        val (id, state, reference, expected) = row(value)
        val now = ImageState.values().first { it.name.equals(state.text(), ignoreCase = true) }
        val found = index[id.text()]?.appearance(now, reference.string?.let { file(it).second })
        val text = when (found) {
            is Appearance.File -> "image"
            is Appearance.Blurred -> when (found.placeholder.kind) {
                PlaceholderKind.LQIP -> "lqip"
                PlaceholderKind.THUMBHASH -> "thumbhash"
                PlaceholderKind.BLURHASH -> "blurhash"
                PlaceholderKind.COLOR -> "color"
            }
            is Appearance.Empty -> "empty"
            is Appearance.Failed -> "failure ${found.error?.code ?: ""}".trim()
            null -> "none"
        }
        check.equal(text, expected.text(), value)
    }

    private fun cached(value: CatalogValue) {
        val (reference, cached, expected) = row(value)
        val (image, wanted) = file(reference.text())
        check.equal(image.cachedFile(wanted) { it in cached.texts() }?.reference, expected.string, value)
    }

    private fun prefetch(value: CatalogValue) {
        fun requests(names: String) = names.map { ImageFile("", it.toString(), "image/webp", 1, 1, 100) }
        fun names(requests: List<ImageFile>) = requests.joinToString("") { it.reference }
        val prefetch = Prefetch((value["requests"]?.long ?: 0).toInt(), value["bytes"]?.long ?: 0)
        val loaded = value["loaded"].text()
        val step = prefetch.step(
            value["visible"].texts().map { requests(it) }, requests(value["upcoming"].text()),
            requests(value["inFlight"].text())
        ) { it in loaded }
        check.equal(names(step.start), value["start"].text(), value)
        check.equal(names(step.cancel), value["cancel"].text(), value)
    }

    /** The same with files of the catalog, whose sizes may be unknown. */
    private fun prefetchFiles(value: CatalogValue) {
        fun requests(list: CatalogValue?) = list.texts().map { file(it).second }
        val prefetch = Prefetch((value["requests"]?.long ?: 0).toInt(), value["bytes"]?.long ?: 0)
        val step = prefetch.step(
            value["visible"]?.list.orEmpty().map { requests(it) }, requests(value["upcoming"]),
            requests(value["inFlight"])
        ) { it in value["loaded"].texts() }
        check.equal(step.start.map { it.reference }, value["start"].texts(), value)
        check.equal(step.cancel.map { it.reference }, value["cancel"].texts(), value)
    }

    private fun pixels(kind: PlaceholderKind, value: CatalogValue) {
        val pixels = PlaceholderData(kind, value["hash"].text()).pixels(
            Size((value["width"]?.long ?: 0).toInt(), (value["height"]?.long ?: 0).toInt()))
        check.equal(pixels?.width, value["width"]?.long?.toInt(), value)
        check.equal(pixels?.height, value["height"]?.long?.toInt(), value)
        // The first and the last two pixels. Samples may differ by 1: cosines and powers are not the same to the last
        // bit on all platforms.
        val expected = value["ends"]?.list?.map { (it.long ?: 0).toInt() }
        val found = pixels?.let { samples(it).take(8) + samples(it).takeLast(8) }
        check.equal(found?.size, expected?.size, value)
        if (found == null || expected == null) return
        for ((one, other) in found.zip(expected)) check.equal(Math.abs(one - other) <= 1, true, "$found $value")
    }

    /** Red, green, blue and alpha of each pixel. */
    private fun samples(pixels: PlaceholderPixels): List<Int> =
        pixels.argb.flatMap { listOf(it shr 16 and 255, it shr 8 and 255, it and 255, it ushr 24) }

    private fun error(value: CatalogValue) {
        val (text, member) = row(value)
        val error = check.error(value) { Catalog.read(text.text().toByteArray()).images.toList() }
        check.equal(error?.member, member.text(), value)
        row(value).getOrNull(2)?.let { check.equal(error?.reason, it.text(), value) }
    }

    private fun references(value: CatalogValue) {
        val (text, expected) = row(value)
        val variants = Catalog.read(text.text().toByteArray()).images.flatMap { it.variants }
        check.equal(variants.flatMap { it.files }.map { it.reference }, expected.texts(), value)
    }

    private fun lenient() {
        val lenient = cases["lenient"]
        val images = Catalog.read(lenient?.get("text").text().toByteArray()).images
        val problems = ArrayList<String>()
        val ids = images.indices.mapNotNull { position ->
            try {
                images[position].id
            } catch (error: CatalogException) {
                problems.add(error.member)
                null
            }
        }
        check.equal(ids, lenient?.get("ids").texts(), "lenient")
        check.equal(problems, lenient?.get("problems").texts(), "lenient")
        for (id in ids) check.equal(images.position(id)?.let { images[it].id }, id, "lenient")
    }

    private fun changesURL(value: CatalogValue) {
        val (digest, url, expected) = row(value)
        check.equal(catalog.copy(digest = digest.text()).changesURL(url.text()), expected.string, value)
    }

    private fun misspeltSlots() {
        catalog.requireSlots("card", "avatar")
        val error = try {
            catalog.requireSlots("card", "crad")
            null
        } catch (error: UnknownSlotException) {
            error
        }
        check.equal(error?.message, "the catalog has no slot \"crad\"; did you mean \"card\"?", "requireSlots")
    }
}
