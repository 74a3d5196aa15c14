package tessera.check

import java.io.File
import java.io.InputStream
import tessera.catalog.Catalog
import tessera.catalog.CatalogIndex
import tessera.catalog.CatalogPatch
import tessera.catalog.CatalogReader

/** Measures what an app waits for, with a catalog of 50,000 images. */
class Speed(private val arguments: Array<String>) {
    private val path = arguments[1]
    private val webp = setOf("image/webp")

    fun run() {
        when (arguments[0]) {
            "speed" -> {
                measure("loaded with its index") { CatalogIndex(load(false), webp).types.size }
                measure("loaded, digest checked") { load(true).images.size }
                measure("read image by image") { stream(path) { CatalogReader(it).images.count() } }
                val catalog = load(false)
                measure("patched") { CatalogPatch.read(File(arguments[2]).readBytes()).appliedTo(catalog).images.size }
                val index = CatalogIndex(catalog, webp)
                val ids = List(1000) { "image-${it.toLong() * 7_919 % catalog.images.size}" }
                val slots = catalog.slots.keys.sorted()
                measure("1,000,000 lookups") {
                    (0 until 1_000_000).count {
                        index[ids[it % 1000]]?.file(slots[it % slots.size], it % 3 + 1.0) != null
                    }
                }
            }
            // Each in a process of its own, whose heap is limited.
            "load" -> println(CatalogIndex(load(false), webp).catalog.images.size)
            "stream" -> println(stream(path) { CatalogReader(it).images.count() })
            "patched" -> println(CatalogPatch.read(File(arguments[2]).readBytes()).appliedTo(load(false)).images.size)
        }
    }

    private fun load(checksDigest: Boolean): Catalog = stream(path) { Catalog.read(it, checksDigest) }

    private fun <Value> stream(path: String, read: (InputStream) -> Value): Value =
        File(path).inputStream().use { read(it) }

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
