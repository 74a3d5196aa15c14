package tessera.catalog

/**
 * The current catalog: by the changes from this one if the server has them, or else as a whole; it is verified by its digest. The
 * same object means that nothing has changed. It waits for the network, so do not call it on the main thread. What `get` throws
 * is passed on; the app then keeps its catalog.
 *
 * @param get a GET, which returns the body of status 200, and null for 404 and 410, and for 403, which an object store that may
 *   not be listed answers for what is not there. It throws for any other status, and has a cached answer confirmed by the server.
 * @throws CatalogException if there is no catalog, if it was altered, or if this one does not know where it came from.
 */
fun CatalogIndex.update(get: (url: String) -> ByteArray? = ::get): CatalogIndex {
    val source = from ?: throw CatalogException(1, "", "the catalog does not know where it came from: pass its URL as `from`")
    try {
        get(resolve("from-$digest.json", source))?.let { return applyChanges(it) }
    } catch (error: CatalogException) {
        // The whole catalog does not depend on the changes.
    }
    val whole = CatalogIndex.open(source, accepting, get)
    return if (whole.digest == digest) this else whole
}

/**
 * The catalog that changes lead to; this one if they state that it is the current one.
 *
 * @param changes what `tessera diff --changes` wrote, or what is beside the catalog, as `from-DIGEST.json`.
 * @throws CatalogException if they are from another catalog, or if the result has another digest than they state.
 */
fun CatalogIndex.applyChanges(changes: ByteArray): CatalogIndex = located(1) {
    val node = parse(changes, 0, changes.size)
    if (node["schema"].value != CHANGES) node["schema"].mismatch("\"$CHANGES\"")
    val (from, to) = Pair(node["from"].text(), node["to"].text())
    val (head, lines) = Pair(node["head"].text(), node["lines"])
    if (from != digest) node["from"].fail("the changes are from the catalog ${from.take(12)}…")
    if (to == digest) this else changed(head, lines, to)
}

private const val CHANGES = "tessera-changes/1"

/** Some bytes of an array. */
private class Part(val bytes: ByteArray, val start: Int = 0, val end: Int = bytes.size) {
    constructor(text: String) : this(text.toByteArray())
}

private fun CatalogIndex.changed(head: String, lines: Node, to: String): CatalogIndex {
    val parts = arrayListOf(Part(head))
    for (line in lines.list { it }) {
        parts.add(Part(if (parts.size == 1) "\n" else ",\n"))
        parts.add(if (line.value is String) Part(line.value) else line.range(images.size).let { (first, last) ->
            Part(bytes, start(first), end(last))
        })
    }
    parts.add(Part("\n]}\n"))
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
    val catalog = CatalogIndex(result, accepting, from)
    if (catalog.digest != to) throw Mismatch("head", "the changes lead to the catalog ${to.take(12)}…, and state another digest")
    return catalog
}

/** The first and the last of consecutive lines. */
private fun Node.range(count: Int): Pair<Int, Int> {
    val numbers = (value as? List<*>)?.map { it as? Long ?: -1 }
    if (numbers?.size != 2 || numbers[0] < 0 || numbers[1] < numbers[0] || numbers[1] >= count) {
        fail("expected a line, or the numbers of the first and the last one, from 0 to ${count - 1}")
    }
    return Pair(numbers[0].toInt(), numbers[1].toInt())
}
