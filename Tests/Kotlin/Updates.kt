package tessera.check

import java.io.IOException
import tessera.catalog.Catalog
import tessera.catalog.contentDigest
import tessera.catalog.json
import tessera.catalog.patched
import tessera.catalog.updateCatalog

/** A catalog that is brought up to date by a patch or as a whole. */
class Updates(bytes: ByteArray, private val check: Check) {
    private val old = stated(Catalog.read(bytes))
    private val next = stated(old.copy(images = old.images.take(1)))
    private val removed = old.images.drop(1).joinToString("") { ",\"${it.id}\":null" }
    private val url = "https://example.com/feed/catalog.json?v=1"
    private val address = "https://example.com/feed/from-${old.digest}.json"

    private fun stated(catalog: Catalog) = catalog.copy(digest = catalog.contentDigest())

    private fun patch(from: String? = old.digest, to: String? = next.digest, digest: String? = to, more: String = "") =
        """{"from":"$from","to":"$to","digest":"$digest"$more,"images":{"${old.images[0].id}":{"next":null}$removed}}"""

    fun run() {
        val other = "0".repeat(64)
        check.equal(old.patched(patch().toByteArray()), next, "a patch")
        for (bad in listOf(
            patch(from = other), patch(to = other), patch(digest = other), patch(more = ",\"baseURL\":\"/\""), "{}", "<",
            patch().replace("\"from\"", "\"x\""), patch().replace("\"to\"", "\"x\""), patch(more = ",\"scales\":null"),
            patch().replace("\"digest\":\"${next.digest}\"", "\"digest\":null")
        )) check.equal(old.patched(bad.toByteArray()), null, bad)
        check.equal(old.copy(digest = null).patched(patch().toByteArray()), null, "without a digest")
        val current = patch(to = old.digest)
        check.equal(old.patched(current.toByteArray()) === old, true, "the current catalog")
        requests(current)
    }

    private fun requests(current: String) {
        fun update(patch: String?, whole: ByteArray?, expected: Catalog?, vararg requests: String) {
            val found = ArrayList<String>()
            val fetch = { url: String ->
                found.add(url)
                if (url == address) patch?.toByteArray() else whole
            }
            if (expected == null) check.error(patch) { updateCatalog(old, url, fetch) }
            else check.equal(updateCatalog(old, url, fetch), expected, patch)
            check.equal(found, requests.toList(), patch)
        }
        update(patch(), null, next, address)
        update(current, null, old, address)
        for (patch in listOf(null, "{}", patch(to = "0"))) update(patch, next.json(), next, address, url)
        update(null, null, null, address, url)
        val altered = String(next.json()).replaceFirst("\"status\":\"ok\"", "\"status\":\"stale\"")
        update(null, altered.toByteArray(), null, address, url)
        val error = try {
            updateCatalog(old, url) { throw IOException("503") }
            null
        } catch (error: IOException) {
            error
        }
        check.equal(error?.message, "503", "what a fetch throws")
    }
}
