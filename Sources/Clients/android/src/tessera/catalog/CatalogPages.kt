package tessera.catalog

import java.security.MessageDigest
import tessera.catalog.json.JsonFailure
import tessera.catalog.json.JsonScanner
import tessera.catalog.json.int
import tessera.catalog.json.list
import tessera.catalog.json.long
import tessera.catalog.json.members
import tessera.catalog.json.skip
import tessera.catalog.json.string

/**
 * An index of pages: of a catalog, `catalog/index.json`, which a run writes with `catalog: {pages: 1000}`, or of a screen,
 * `screens/feed/index.json` and `screens/feed/lookup.json` (`catalog: {screens: …}`). Each page is a
 * catalog of some of the images, so that an app reads what it shows, and after an update only the pages that are new.
 *
 * A page is named by its bytes, so it never changes and may be cached forever.
 */
data class CatalogPages(
    /** The number of images of all pages. */
    val count: Int,
    /** The [Catalog.digest] of the whole catalog. */
    val digest: String,
    /** In the order of the images; in `lookup.json` in that of the hashes of their ids. */
    val pages: List<CatalogPage>
) {
    /** The one page of `lookup.json` that has an image, if the catalog has it; null in an index without prefixes. */
    fun page(id: String): CatalogPage? {
        val hash = MessageDigest.getInstance("SHA-256").digest(id.toByteArray())
        fun digit(place: Int) = '0'.toInt() + (hash[place / 8].toInt() shr (7 - place % 8) and 1)
        return pages.firstOrNull { page ->
            page.prefix != null && page.prefix.length <= hash.size * 8 && page.prefix.indices.all { page.prefix[it].toInt() == digit(it) }
        }
    }

    /** The pages that are not in an older index: what an app with that one has to fetch. */
    fun newSince(old: CatalogPages): List<CatalogPage> {
        val known = old.pages.mapTo(HashSet()) { it.path }
        return pages.filter { it.path !in known }
    }

    companion object {
        const val SCHEMA = "tessera-catalog-pages/1"

        /** @throws CatalogException if the bytes are not such an index. */
        fun read(bytes: ByteArray): CatalogPages {
            val buffer = DocumentBuffer(bytes)
            var schema: String? = null
            var count: Int? = null
            var digest: String? = null
            var pages: List<CatalogPage>? = null
            val scanner = buffer.scanner(bytes.size)
            try {
                scanner.members { name ->
                    when (name) {
                        "schema" -> schema = scanner.string()
                        "count" -> count = scanner.int()
                        "digest" -> digest = scanner.string()
                        "pages" -> pages = scanner.list { scanner.page() }
                        else -> scanner.skip()
                    }
                }
            } catch (failure: JsonFailure) {
                throw buffer.located(failure)
            }
            val total = count
            val whole = digest
            val list = pages
            if (schema != SCHEMA || total == null || whole == null || list == null) {
                throw buffer.error("expected \"$SCHEMA\" with count, digest and pages")
            }
            return CatalogPages(total, whole, list)
        }
    }
}

/** A part of the images of a catalog. */
data class CatalogPage(
    /** Relative to the folder of `catalog.json`. */
    val path: String,
    /** The number of images. */
    val count: Int,
    /** The file's size. */
    val bytes: Long,
    /** The [Catalog.digest] of the page. */
    val digest: String,
    /** In `lookup.json`: the leading bits, `0` and `1`, of the SHA-256 of each id that the page has. Else null. */
    val prefix: String? = null
)

private fun JsonScanner.page(): CatalogPage {
    val start = start()
    var path = ""
    var count = 0
    var bytes = 0L
    var digest = ""
    var prefix: String? = null
    members { name ->
        when (name) {
            "path" -> path = string()
            "count" -> count = int()
            "bytes" -> bytes = long()
            "digest" -> digest = string()
            "prefix" -> prefix = string()
            else -> skip()
        }
    }
    // Paths are joined to URLs, so they lead nowhere else.
    if (!isPagePath(path)) {
        val found = path.take(80)
        throw JsonFailure(start, "expected a path such as catalog/3f9c….json, found \"$found\"")
    }
    return CatalogPage(path, count, bytes, digest, prefix)
}

/** `catalog/` or `screens/`, the screen's name and `/`, then 32 hexadecimal digits and `.json`. */
private fun isPagePath(path: String): Boolean {
    val parts = path.split('/')
    fun isLetter(letter: Char) = letter in 'a'..'z' || letter in 'A'..'Z' || letter in '0'..'9'
    val isFolder = when (parts.size) {
        2 -> parts[0] == "catalog"
        3 -> parts[0] == "screens" && parts[1] != "" && isLetter(parts[1][0]) &&
            parts[1].all { isLetter(it) || it == '-' || it == '_' }
        else -> false
    }
    val digits = parts.last().removeSuffix(".json")
    return isFolder && parts.last() == "$digits.json" && digits.length == 32 &&
        digits.all { it in '0'..'9' || it in 'a'..'f' }
}
