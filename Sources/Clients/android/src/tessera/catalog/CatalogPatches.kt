package tessera.catalog

import tessera.catalog.json.JsonFailure
import tessera.catalog.json.JsonScanner
import tessera.catalog.json.list
import tessera.catalog.json.members
import tessera.catalog.json.skip
import tessera.catalog.json.string

/**
 * The patches of a screen, `screens/feed/from-….json`: from pages that an app has, of an earlier catalog, to pages of the
 * current one. A page that is new and has no patch is fetched as a whole.
 */
class CatalogPatches private constructor(
    /** The digest of the earlier catalog ([CatalogPages.digest]). */
    val from: String,
    /** The digest of the current one. */
    val to: String,
    /** Each leads from one page to another, by their digests. */
    val patches: List<CatalogPatch>
) {
    private val targets = patches.associateBy { it.to }

    /** The patch that leads to a page; null if there is none. */
    fun patchTo(digest: String): CatalogPatch? = targets[digest]

    companion object {
        const val SCHEMA = "tessera-catalog-patches/1"

        /** @throws CatalogException if the bytes are not such a document. */
        fun read(bytes: ByteArray): CatalogPatches {
            val buffer = DocumentBuffer(bytes)
            var schema: String? = null
            var from: String? = null
            var to: String? = null
            var patches: List<CatalogPatch>? = null
            try {
                val scanner = buffer.scanner(bytes.size)
                scanner.members { name ->
                    when (name) {
                        "schema" -> schema = scanner.string()
                        "from" -> from = scanner.string()
                        "to" -> to = scanner.string()
                        "patches" -> patches = scanner.list { CatalogPatch.read(scanner) }
                        else -> scanner.skip()
                    }
                }
                scanner.expectEnd("the patches")
            } catch (failure: JsonFailure) {
                throw buffer.located(failure)
            }
            val source = from
            val target = to
            val list = patches
            if (schema != SCHEMA || source == null || target == null || list == null) {
                throw buffer.error("expected \"$SCHEMA\" with from, to and patches")
            }
            return CatalogPatches(source, target, list)
        }
    }
}

internal fun JsonScanner.expectEnd(document: String) {
    if (!isAtEnd()) throw JsonFailure(offset, "expected nothing after $document")
}
