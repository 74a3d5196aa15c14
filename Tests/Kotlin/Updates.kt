package tessera.check

import java.io.IOException
import tessera.catalog.CatalogIndex
import tessera.catalog.applyChanges
import tessera.catalog.update

/** A catalog that is brought up to date by changes or as a whole. */
class Updates(bytes: ByteArray, private val check: Check) {
    private val table = json(bytes)
    private val rows = table["rows"].list().map { it.list() }
    private val url = "https://example.com/feed/catalog.json?v=1"

    private fun document(name: Any?): ByteArray = table["catalogs"][name.text()].text().toByteArray()

    fun run() {
        check.equal(rows.isEmpty(), false, "there are rows")
        for ((about, from, changes, result) in rows) {
            val old = CatalogIndex(document(from), everything, url, checksDigest = true)
            val bytes = changes.text().toByteArray()
            if (result == null) check.error(about) { old.applyChanges(bytes) }
            else check.equal(String(old.applyChanges(bytes).bytes), String(document(result)), about)
            check.equal(String(old.bytes), String(document(from)), about)
        }
        requests()
        server()
    }

    /** The library's own requests. */
    private fun server() {
        val (_, from, right, result) = rows[0]
        var (whole, status) = Pair(document(from), 200)
        val server = Server { exchange ->
            when (exchange.requestURI.path.drop(1).substringBefore("-")) {
                "catalog.json" -> send(exchange, status, whole)
                "from" -> if (count("catalog.json") > 1) send(exchange, 404, ByteArray(0)) else send(exchange, 200, right.text().toByteArray())
                else -> send(exchange, 410, ByteArray(0))
            }
        }
        val old = CatalogIndex.open(server.url("catalog.json"), everything)
        check.equal(old.from, server.url("catalog.json"), "where it came from")
        check.equal(String(old.update().bytes), String(document(result)), "by changes")
        check.equal(server.log.map { it.first }, listOf("catalog.json", "from-${old.digest}.json"), "two requests")
        whole = document(result)
        check.equal(CatalogIndex.open(server.url("catalog.json"), everything).digest, old.update().digest, "as a whole")
        check.error("no catalog") { CatalogIndex.open(server.url("none"), everything) }
        whole = String(whole).replaceFirst("pending", "stale").toByteArray()
        check.error("altered") { CatalogIndex.open(server.url("catalog.json"), everything) }
        status = 500
        val error = try {
            old.update()
            null
        } catch (error: IOException) {
            error.message
        }
        check.equal(error, "${server.url("catalog.json")}: the server answered 500", "an error of the server")
        server.stop()
    }

    private fun requests() {
        val (_, from, right, result) = rows[0]
        val old = CatalogIndex(document(from), everything, url)
        val next = document(result)
        val address = "https://example.com/feed/from-${old.digest}.json"
        fun update(changes: String?, whole: ByteArray?, expected: ByteArray?, vararg requests: String) {
            val found = ArrayList<String>()
            val fetch = { url: String ->
                found.add(url)
                if (url == address) changes?.toByteArray() else whole
            }
            if (expected == null) check.error(changes) { old.update(fetch) }
            else {
                val new = old.update(fetch)
                check.equal(String(new.bytes), String(expected), changes)
                check.equal(new === old, expected === old.bytes, "the same object means that nothing has changed")
            }
            check.equal(found, requests.toList(), changes)
        }
        val current = rows.first { it[0] == "the current catalog" }[2].text()
        update(right.text(), null, next, address)
        update(current, null, old.bytes, address)
        for (changes in listOf(null, "{}", right.text().replace("\"to\":\"", "\"to\":\"0"))) {
            update(changes, next, next, address, url)
        }
        update(null, old.bytes, old.bytes, address, url)
        update(null, null, null, address, url)
        update(null, String(next).replaceFirst("pending", "stale").toByteArray(), null, address, url)
        val error = try {
            old.update { throw IOException("503") }
            null
        } catch (error: IOException) {
            error
        }
        check.equal(error?.message, "503", "what a fetch throws")
        val based = String(old.bytes).replace("\"count\"", "\"baseURL\":\"https://a.example/\",\"count\"")
        check.equal(
            check.error("no from") { open(based, null).update { null } }?.reason,
            "the catalog does not know where it came from: pass its URL as `from`", "no from")
    }
}
