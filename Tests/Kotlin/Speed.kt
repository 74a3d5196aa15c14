package tessera.check

import java.io.File
import tessera.catalog.Catalog
import tessera.catalog.CatalogIndex
import tessera.catalog.applyChanges

/** Measures what an app waits for, with a catalog of 50,000 images. */
class Speed(private val arguments: Array<String>) {
    private val path = arguments[1]
    private val webp = setOf("image/webp")

    fun run() {
        when (arguments[0]) {
            "speed" -> {
                measure("loaded with its index") { (CatalogIndex(load(false), webp).position("image-49999") ?: 0) }
                measure("loaded, digest checked") { load(true).images.size }
                measure("all images parsed") { load(false).images.count { it.id != "" } }
                val catalog = load(false)
                measure("changed") { catalog.applyChanges(File(arguments[2]).readBytes()).images.size }
                val index = CatalogIndex(catalog, webp)
                val ids = List(1000) { "image-${it.toLong() * 7_919 % catalog.images.size}" }
                val slots = catalog.slots.keys.sorted()
                measure("100,000 lookups") {
                    (0 until 100_000).count {
                        index[ids[it % 1000]]?.file(slots[it % slots.size], it % 3 + 1.0) != null
                    }
                }
            }
            // Each in a process of its own, whose heap is limited.
            "load" -> println(CatalogIndex(load(false), webp).position("image-49999"))
            "changed" -> println(load(false).applyChanges(File(arguments[2]).readBytes()).images.size)
        }
    }

    private fun load(checksDigest: Boolean): Catalog = Catalog.read(File(path).readBytes(), checksDigest)

    /** The first time, before anything is compiled, and the best of five. */
    private fun measure(name: String, body: () -> Int) {
        val times = List(5) {
            val start = System.nanoTime()
            val result = body()
            val seconds = (System.nanoTime() - start) / 1e9
            check(result > 0)
            seconds
        }
        println("%s: %.2f s at first, %.2f s at best".format(name, times[0], times.sorted()[0]))
    }
}
