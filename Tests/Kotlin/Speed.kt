package tessera.check

import java.io.File
import java.lang.management.ManagementFactory
import tessera.catalog.CatalogIndex
import tessera.catalog.applyChanges

/** Measures what an app waits for, with a catalog of 20,000 images. */
class Speed(private val arguments: Array<String>) {
    private val path = arguments[1]
    /** Of the processor: other programs don't count. */
    private val clock = ManagementFactory.getThreadMXBean()

    fun run() {
        when (arguments[0]) {
            "speed" -> {
                measure("opened, all ids found") { if (load(false).image("image-19999") != null) 1 else 0 }
                measure("opened, digest checked") { load(true).images.size }
                measure("all images parsed") { load(false).images.count { it.id != "" } }
                val index = load(false)
                measure("changed") { index.applyChanges(File(arguments[2]).readBytes()).images.size }
                val ids = List(1000) { "image-${it.toLong() * 7_919 % index.images.size}" }
                val slots = index.slots.keys.sorted()
                measure("100,000 lookups") {
                    (0 until 100_000).count {
                        index.image(ids[it % 1000])?.file(slots[it % slots.size], it % 3 + 1.0) != null
                    }
                }
            }
            // Each in a process of its own, whose heap is limited.
            "open" -> println(load(false).image("image-19999")?.id)
            "plain" -> measure("Android's JSONObject") { plain() }
            "plain-once" -> println(plain())
            "changed" -> println(load(false).applyChanges(File(arguments[2]).readBytes()).images.size)
        }
    }

    private fun load(checksDigest: Boolean) =
        CatalogIndex.open(File(path), setOf("image/webp"), "https://example.com/catalog.json", checksDigest)

    /** The number of images, by Android's own reader of JSON. */
    private fun plain(): Int {
        val kind = Class.forName("org.json.JSONObject")
        val document = kind.getConstructor(String::class.java).newInstance(File(path).readText())
        val images = kind.getMethod("getJSONArray", String::class.java).invoke(document, "images")
        return images.javaClass.getMethod("length").invoke(images) as Int
    }

    /** The first time, before anything is compiled, and the best of five. */
    private fun measure(name: String, body: () -> Int) {
        val times = List(5) {
            val start = clock.currentThreadCpuTime
            val result = body()
            val seconds = (clock.currentThreadCpuTime - start) / 1e9
            check(result > 0)
            seconds
        }
        println("%s: %.3f s at first, %.3f s at best".format(name, times[0], times.sorted()[0]))
    }
}
