package tessera.catalog

import java.io.InputStream
import tessera.catalog.json.ByteList
import tessera.catalog.json.JsonFailure
import tessera.catalog.json.JsonScanner
import tessera.catalog.json.members
import tessera.catalog.json.string

/**
 * The changes from one catalog to the next, as `tessera diff --patch` writes them. An app that has the old catalog
 * downloads the patch instead of the new catalog.
 *
 * It is a JSON Merge Patch (RFC 7396) for the keyed form of a catalog. In that form `images` is an object whose names
 * are the ids of the images. Each image names its successor in `next`, and the catalog names the first image in
 * `first`. `extra` is wrapped in an array: a merge patch replaces an array as a whole, but it cannot express a null
 * member of an object.
 */
class CatalogPatch private constructor() {
    /** The digest of the catalog that the patch is for; null if an older version wrote it. */
    var from: String? = null
        private set
    /** The digest of the catalog that results. */
    var to: String? = null
        private set
    /** The members of the patch other than `images`. */
    private val members = LinkedHashMap<String, CatalogValue>()
    private val images = LinkedHashMap<String, CatalogValue>()

    companion object {
        /** @throws CatalogException if the bytes are not a patch. */
        fun read(bytes: ByteArray): CatalogPatch {
            val buffer = DocumentBuffer(bytes)
            val patch = CatalogPatch()
            try {
                val scanner = buffer.scanner(bytes.size)
                patch.read(scanner)
                scanner.expectEnd("the patch")
            } catch (failure: JsonFailure) {
                throw buffer.located(failure)
            }
            return patch
        }

        /** The same from a stream, which stays open. */
        fun read(stream: InputStream): CatalogPatch = read(stream.readBytes())

        /** One of a list. */
        internal fun read(scanner: JsonScanner): CatalogPatch = CatalogPatch().also { it.read(scanner) }
    }

    private fun read(scanner: JsonScanner) {
        scanner.members { name ->
            when (name) {
                // An image's `extra` is two levels further down here, in an object and an array. It may nest as deep as
                // in a catalog, where counting begins at `extra` itself.
                "images" -> scanner.members { id -> images[id] = scanner.value(-2) }
                "from" -> from = scanner.string()
                "to" -> to = scanner.string()
                else -> members[name] = scanner.value()
            }
        }
    }

    /**
     * The catalog that results from the patch.
     *
     * @param catalog the one that the patch is for.
     * @throws CatalogException if the patch is for another catalog, or the result is not a catalog or states another
     *   digest than the patch.
     */
    fun appliedTo(catalog: Catalog): Catalog {
        checkFrom(catalog)
        val changes = LinkedHashMap(members)
        val first = changes.remove("first")
        val (head, count) = changedHead(catalog, changes)
        val entries = entries(catalog)
        for ((id, change) in images) {
            if (change is CatalogValue.Null) entries.remove(id) else entries[id] = changed(entries[id], change, id)
        }
        // A `first` of null means that no image is left; without `first` the order begins as before.
        val start = if (first == null) catalog.images.firstOrNull()?.id else first.string
        val ordered = ordered(start, entries)
        if (count != null && count != ordered.size) {
            throw error("images", "${ordered.size} of $count; the patch is for another catalog")
        }
        if (to != null && head.digest != null && to != head.digest) {
            throw error("to", "the patch leads to the catalog ${short(to)}, and its result is ${short(head.digest)}")
        }
        return head.copy(images = ordered)
    }

    private fun checkFrom(catalog: Catalog) {
        if (from == null || catalog.digest == null || from == catalog.digest) return
        throw error("from", "the patch is for the catalog ${short(from)}, and this one is ${short(catalog.digest)}")
    }

    private fun short(digest: String?) = "${digest?.take(12)}…"

    /** The new catalog without its images, and how many it must have; null if the patch says nothing of it. */
    private fun changedHead(catalog: Catalog, changes: Map<String, CatalogValue>): Pair<Catalog, Int?> {
        val merged = merged(CatalogValue.Members(catalog.headMembers()), CatalogValue.Members(changes))
        val reader = HeadReader()
        scanned(merged, "the catalog") { scanner -> scanner.members { name -> reader.read(name, scanner) } }
        val head = reader.head ?: throw error(reader.missing ?: "", "the patch removes it")
        return Pair(head, reader.count)
    }

    /** An image of the keyed form, and the id of the image after it; null for the last one. */
    private class Entry(val image: Image, val next: String?)

    private fun entries(catalog: Catalog): HashMap<String, Entry> {
        val images = catalog.images
        val entries = HashMap<String, Entry>(images.size * 4 / 3 + 1)
        images.forEachIndexed { place, image ->
            val entry = Entry(image, if (place + 1 < images.size) images[place + 1].id else null)
            if (entries.put(image.id, entry) != null) throw error("images", "duplicate id \"${image.id}\"")
        }
        return entries
    }

    /** The entry after a change; null is an entry that does not exist yet. */
    private fun changed(entry: Entry?, change: CatalogValue, id: String): Entry {
        val before = LinkedHashMap<String, CatalogValue>()
        if (entry != null) {
            before.putAll(entry.image.members())
            // The id is the entry's name.
            before.remove("id")
            entry.next?.let { before["next"] = CatalogValue.Text(it) }
            entry.image.extra?.let { before["extra"] = CatalogValue.Elements(listOf(it)) }
        }
        val merged = merged(CatalogValue.Members(before), change) as? CatalogValue.Members
            ?: throw error("images.$id", "expected an object")
        val members = LinkedHashMap(merged.values)
        val next = members.remove("next")?.string
        members["id"] = CatalogValue.Text(id)
        val extra = members["extra"]?.list
        if (extra != null) {
            if (extra.isEmpty()) members.remove("extra") else members["extra"] = extra[0]
        }
        val image = scanned(CatalogValue.Members(members), "images.$id") { it.image() }
        return Entry(image, next)
    }

    private fun ordered(first: String?, entries: HashMap<String, Entry>): List<Image> {
        val ordered = ArrayList<Image>(entries.size)
        var id = first
        while (id != null) {
            // Removed when it is visited, so that a cycle of `next` ends in this error.
            val entry = entries.remove(id)
                ?: throw error("images", "\"$id\" is missing; the patch is for another catalog")
            ordered.add(entry.image)
            id = entry.next
        }
        if (entries.isNotEmpty()) {
            throw error("images", "${entries.size} have no place in the order; the patch is for another catalog")
        }
        return ordered
    }

    /** The value with a merge patch applied (RFC 7396, section 2). */
    private fun merged(value: CatalogValue, patch: CatalogValue): CatalogValue {
        if (patch !is CatalogValue.Members) return patch
        val members = LinkedHashMap<String, CatalogValue>()
        if (value is CatalogValue.Members) members.putAll(value.values)
        for ((name, change) in patch.values) {
            if (change is CatalogValue.Null) members.remove(name)
            else members[name] = merged(members[name] ?: CatalogValue.Null, change)
        }
        return CatalogValue.Members(members)
    }

    /** Runs a reader over the value's text, so that a patched value is checked as strictly as a file. */
    private fun <Value> scanned(value: CatalogValue, member: String, read: (JsonScanner) -> Value): Value {
        val text = ByteList(1024)
        value.addCanonicalJson(text)
        try {
            return read(JsonScanner(text.bytes, 0, text.size))
        } catch (failure: JsonFailure) {
            throw error(failure.within(member).member, failure.reason)
        }
    }

    // A value in memory has no place in a document.
    private fun error(member: String, reason: String) = CatalogException(1, 1, member, reason)
}
