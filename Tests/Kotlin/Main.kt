package tessera.check

import java.io.File
import tessera.catalog.Catalog
import tessera.catalog.CatalogPatch
import tessera.catalog.contentDigest

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
            val catalog = file(2)
            val lines = file(3)
            part("cases.json") { Cases(file(1), it).run() }
            part("prefetcher") { Prefetching(it).run() }
            part("reading, in pieces of 1, 7, 100 and 100,000 bytes") { Reading(it).run() }
            part("digest of a catalog in both forms") { Reading(it).digest(catalog, lines) }
            part("updates") { Updates(catalog, it).run() }
            part("2,000 damaged catalogs and patches") { Fuzz(listOf(catalog, lines), file(4), it).run(2_000) }
        }
        // Catalogs of two runs, the patch that the command made of them, and the digest of the second one.
        "patch" -> part("a patch that tessera diff made") { check ->
            val patch = CatalogPatch.read(file(3))
            val new = patch.appliedTo(Catalog.read(file(1), checksDigest = true))
            check.equal(new.contentDigest(), arguments[4], "the patched catalog")
            check.equal(new.images, Catalog.read(file(2), checksDigest = true).images, "the patched catalog")
            check.error("another catalog") { patch.appliedTo(new.copy(digest = "0")) }
        }
        else -> Speed(arguments).run()
    }
    if (!isGood) System.exit(1)
}
