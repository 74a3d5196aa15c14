package tessera.check

import java.io.File
import tessera.catalog.CatalogIndex
import tessera.catalog.applyChanges

/**
 * Run by Tests/check-kotlin. The parts are named by the first argument; the others are files.
 */
fun main(arguments: Array<String>) {
    fun file(index: Int) = File(arguments[index]).readBytes()
    var isGood = true
    fun part(name: String, body: (Check) -> Unit) {
        val check = Check()
        body(check)
        if (!check.report(name)) isGood = false
    }
    when (arguments[0]) {
        "all" -> {
            val catalog = file(4)
            part("cases.json") { Cases(file(1), file(2), it).run() }
            part("changes.json") { Updates(file(3), it).run() }
            part("prefetcher") { Prefetching(it).run() }
            part("three states of a screen") { Screen(file(2), it).run() }
            part("headers.json") { Headers(file(5), it).run() }
            part("size fetcher") { Sizes(file(5), arguments.drop(6), it).run() }
            part("reading") { Reading(it).run(catalog) }
            part("2,000 damaged catalogs and changes") { Fuzz(catalog, file(3), it).run(2_000) }
        }
        // Catalogs of two runs, between them the changes that the command made of them.
        "changes" -> part("changes that tessera diff made") { check ->
            val new = CatalogIndex(file(1), everything, "https://example.com/catalog.json", checksDigest = true).applyChanges(file(2))
            check.equal(new.bytes.contentEquals(file(3)), true, "the changed catalog")
            check.error("another catalog") { new.applyChanges(file(2)) }
        }
        else -> Speed(arguments).run()
    }
    if (!isGood) System.exit(1)
}
