package tessera.catalog

import tessera.catalog.json.JsonFailure
import tessera.catalog.json.JsonScanner
import tessera.catalog.json.int
import tessera.catalog.json.list
import tessera.catalog.json.long
import tessera.catalog.json.members
import tessera.catalog.json.skip
import tessera.catalog.json.string

/**
 * The index of a catalog's pages, `catalog/index.json`, which a run writes with `catalog: {pages: 1000}`. Each page is a
 * catalog of some of the images, so that an app reads what it shows, and after an update only the pages that are new.
 *
 * A page is named by its digest, so it never changes and may be cached forever.
 */
data class CatalogPages(
    /** The number of images of all pages. */
    val count: Int,
    /** The [Catalog.digest] of the whole catalog. */
    val digest: String,
    /** In the order of the images. */
    val pages: List<CatalogPage>
) {
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
    val digest: String
)

private fun JsonScanner.page(): CatalogPage {
    val start = start()
    var path = ""
    var count = 0
    var bytes = 0L
    var digest = ""
    members { name ->
        when (name) {
            "path" -> path = string()
            "count" -> count = int()
            "bytes" -> bytes = long()
            "digest" -> digest = string()
            else -> skip()
        }
    }
    // Paths are joined to URLs, so they lead nowhere else.
    val name = path.removePrefix("catalog/").removeSuffix(".json")
    val isPath = path == "catalog/$name.json" && name.length == 32 && name.all { it in '0'..'9' || it in 'a'..'f' }
    if (!isPath) {
        val found = path.take(80)
        throw JsonFailure(start, "expected a path such as catalog/3f9c….json, found \"$found\"")
    }
    return CatalogPage(path, count, bytes, digest)
}
