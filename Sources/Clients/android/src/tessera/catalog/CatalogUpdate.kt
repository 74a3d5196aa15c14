package tessera.catalog

/**
 * The URL of the changes from this catalog to the current one. A run writes them beside `catalog.json`; there are none from a
 * catalog that is too old, or that was never published.
 *
 * @param source the URL of the catalog. Its query and its fragment are left out, as in the URLs of files.
 */
fun Catalog.changesURL(source: String): String = CatalogContext.resolve("from-$digest.json", source)

/**
 * The catalog that changes lead to; this one if they state that it is the current one.
 *
 * @param changes what is at [changesURL], or what `tessera diff --changes` wrote.
 * @throws CatalogException if they are from another catalog, or if the result has another digest than they state: then fetch the
 *   whole catalog.
 */
fun Catalog.applyChanges(changes: ByteArray): Catalog = located(1) {
    val node = Node(parsed(changes, 0, changes.size, ""), "")
    if (node["schema"].value.string != CHANGES) node["schema"].mismatch("\"$CHANGES\"")
    val (from, to) = Pair(node["from"], node["to"].text())
    val (head, lines) = Pair(node["head"].text(), node["lines"])
    if (from.text() != digest) from.fail("the changes are from the catalog ${from.text().take(12)}…")
    if (to == digest) this else changed(head, lines, to)
}

private const val CHANGES = "tessera-changes/1"

/** Some bytes of an array. */
private class Part(val bytes: ByteArray, val start: Int = 0, val end: Int = bytes.size)

private fun Catalog.changed(head: String, lines: Node, to: String): Catalog {
    val parts = arrayListOf(Part(head.toByteArray()))
    for (line in lines.list { it }) {
        parts.add(Part((if (parts.size == 1) "\n" else ",\n").toByteArray()))
        val text = line.value.string
        if (text != null) {
            parts.add(Part(text.toByteArray()))
        } else {
            val (first, last) = line.range(images.size)
            parts.add(Part(bytes, images.start(first), images.end(last)))
        }
    }
    parts.add(Part("\n]}\n".toByteArray()))
    // One array of the right size: a catalog may take a good part of a phone's heap.
    val size = parts.fold(0L) { sum, part -> sum + part.end - part.start }
    // Lines may come again: a small document could lead to a huge one.
    if (size > Int.MAX_VALUE) throw Mismatch("lines", "the changes lead to a catalog of $size bytes")
    val result = ByteArray(size.toInt())
    var place = 0
    for (part in parts) {
        System.arraycopy(part.bytes, part.start, result, place, part.end - part.start)
        place += part.end - part.start
    }
    val found = digestOf(result)
    if (found != to) throw Mismatch("to", "the changes lead to the catalog ${found.take(12)}…, not to ${to.take(12)}…")
    val catalog = Catalog.read(result)
    if (catalog.digest != to) {
        throw Mismatch("head", "the changes lead to the catalog ${to.take(12)}…, and state another digest")
    }
    return catalog
}

/** The first and the last of consecutive lines. */
private fun Node.range(count: Int): Pair<Int, Int> {
    val numbers = value.list?.map { it.long }
    if (numbers?.size != 2) fail("expected a line, or the numbers of the first and the last one")
    val (first, last) = numbers
    if (first == null || last == null) fail("expected a line, or the numbers of the first and the last one")
    if (first < 0 || last < first || last >= count) fail("expected lines from 0 to ${count - 1}, found $first to $last")
    return Pair(first.toInt(), last.toInt())
}

/**
 * The current catalog, from the one that the app has: by changes if the server has them, or else as a whole. It is verified by
 * its digest. The same object means that nothing has changed. What `fetch` throws is passed on; the app then keeps its catalog.
 *
 * @param url of the catalog.
 * @param fetch a GET on the calling thread, which returns the body of status 200, and null for 404 and 410, and
 *   for 403, which an object store that may not be listed answers for what is not there. It throws for
 *   any other status, and has a cached answer confirmed by the server.
 * @throws CatalogException if there is no catalog, or if it was altered.
 */
fun updateCatalog(catalog: Catalog, url: String, fetch: (url: String) -> ByteArray?): Catalog {
    val changes = fetch(catalog.changesURL(url))
    if (changes != null) {
        try {
            return catalog.applyChanges(changes)
        } catch (error: CatalogException) {
            // The whole catalog does not depend on them.
        }
    }
    val bytes = fetch(url) ?: throw CatalogException(1, "", "there is no catalog at $url")
    val whole = Catalog.read(bytes, checksDigest = true)
    return if (whole.digest == catalog.digest) catalog else whole
}
