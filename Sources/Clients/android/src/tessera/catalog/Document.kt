package tessera.catalog

import java.security.MessageDigest

/** `digest` is of the bytes from here on: behind `{"digest":"…",`. */
private const val DIGESTED_FROM = 77
private const val LINE_BREAK: Byte = 0x0A
private const val COMMA: Byte = 0x2C

private val beginning = Regex("\\{\"digest\":\"[0-9a-f]{64}\",")

/** Reads the head of a catalog, and where its images are. */
internal fun readDocument(bytes: ByteArray): Catalog {
    fun text(start: Int, end: Int) = String(bytes, maxOf(0, start), minOf(end, bytes.size) - maxOf(0, start), Charsets.ISO_8859_1)
    if (!beginning.matches(text(0, DIGESTED_FROM))) {
        throw CatalogException(1, "", "expected a catalog, which begins with {\"digest\":\" and 64 hexadecimal digits")
    }
    if (text(bytes.size - 4, bytes.size) != "\n]}\n") throw CatalogException(1, "", "the catalog is cut off")
    val first = bytes.indexOf(LINE_BREAK)
    if (text(first - 10, first) != "\"images\":[") {
        throw CatalogException(
            1, "", "expected \"images\":[ at the end of the first line, and an image on each other line")
    }
    var starts = IntArray(64)
    var count = 0
    for (place in first until bytes.size - 3) {
        if (bytes[place] != LINE_BREAK) continue
        if (count == starts.size) starts = starts.copyOf(count * 2)
        starts[count++] = place + 1
    }
    val node = located(1) { Node(parsed(bytes, 0, first, "", "]}"), "") }
    val catalog = located(1) { node.head { ImageList(bytes, starts.copyOf(count), it) } }
    val stated = located(1) { node["count"].int() }
    val size = catalog.images.size
    if (size != stated) throw CatalogException(1, "", "the catalog has $size of its $stated images")
    for (index in 1..size) {
        val hasComma = bytes[starts[index] - 2] == COMMA
        if (hasComma != index < size) {
            throw CatalogException(index + 1, "", "expected a comma after each image but the last")
        }
    }
    return catalog
}

/** The SHA-256 that a document should state, in hexadecimal. */
internal fun digestOf(bytes: ByteArray): String {
    val hash = MessageDigest.getInstance("SHA-256")
    hash.update(bytes, minOf(DIGESTED_FROM, bytes.size), maxOf(0, bytes.size - DIGESTED_FROM))
    val digits = "0123456789abcdef"
    val text = StringBuilder(64)
    for (byte in hash.digest()) text.append(digits[byte.toInt() shr 4 and 15]).append(digits[byte.toInt() and 15])
    return text.toString()
}
