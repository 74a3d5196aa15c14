package tessera.check

import java.util.concurrent.atomic.AtomicInteger
import tessera.catalog.Box
import tessera.catalog.CatalogException
import tessera.catalog.CatalogIndex
import tessera.catalog.ImageFile
import tessera.catalog.Mode
import tessera.catalog.Size
import tessera.catalog.applyChanges
import tessera.catalog.isServiceURL

/** Reads damaged catalogs and changes: the only exception is the library's own, and none takes long. */
class Fuzz(private val source: ByteArray, table: ByteArray, private val check: Check) {
    private val random = SplitMix(4)
    private val number = AtomicInteger()
    var read = 0
        private set

    fun run(count: Int) {
        watch()
        for (attempt in 0 until count) {
            number.set(attempt)
            val bytes = damaged(source)
            expectOneKind("catalog $attempt") { use(bytes) }
            expectOneKind("changes $attempt") { old.applyChanges(damaged(changes)) }
        }
        check.equal(read in 1 until count, true, "some are read, and some are not: $read")
    }

    private val cases = json(table)
    private val row = cases["rows"].list().first().list()
    private val old = open(cases["catalogs"][row[1].text()].text())
    private val changes = row[2].text().toByteArray()

    private fun use(bytes: ByteArray) {
        val index = CatalogIndex(bytes, everything, "https://example.com/feed/catalog.json")
        read++
        for (image in index.images) {
            for (slot in image.slots) expectBounded(index.prefix, image.box(slot), image.file(slot, 2.0))
            image.placeholder?.pixels()
            val box = Box(100.0, 100.0, Mode.CLIP)
            expectBounded(index.prefix, image.box(box), image.file(box, 3.0))
            expectBounded(index.prefix, image.box(Box(null, Double.MAX_VALUE)), null)
        }
    }

    /** No box is endless, and no request leaves the base but to a service. */
    private fun expectBounded(prefix: String, box: Size?, file: ImageFile?) {
        if (box != null && (box.width !in 1..100_000 || box.height !in 1..100_000)) throw AssertionError("a box of $box")
        if (file == null || isServiceURL(file.reference)) return
        if (!file.url.startsWith(prefix + "variants/") || ".." in file.reference) throw AssertionError("a request of ${file.url}")
    }

    private fun expectOneKind(about: String, body: () -> Unit) {
        try {
            body()
        } catch (error: CatalogException) {
            // The library's own.
        } catch (error: Throwable) {
            return check.equal(error, null, about)
        }
        check.equal(null, null, about)
    }

    /** Changes, removes, repeats and inserts bytes. */
    private fun damaged(source: ByteArray): ByteArray {
        var bytes = source.copyOf()
        for (change in 0..random.below(3)) {
            val place = random.below(bytes.size)
            val end = minOf(bytes.size, place + 1 + random.below(40))
            val part = bytes.copyOfRange(place, end)
            val before = bytes.copyOf(place)
            val after = bytes.copyOfRange(end, bytes.size)
            bytes = when (random.below(6)) {
                0 -> before + after
                1 -> before + part + part + after
                2 -> before
                3 -> before + tokens[random.below(tokens.size)].toByteArray() + after
                else -> bytes.also { it[place] = random.next().toByte() }
            }
            if (bytes.size == 0) return bytes
        }
        return bytes
    }

    private val tokens = listOf(
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "null", "true", "-", "1e999", "0.", "{}", "[]",
        "99999999999999999999", "\u0000", "é", "\n", "\"id\":", "\"images\":[", "\"extra\":", "[[[[[[[[",
        "\"url\":\"http://a\",")

    /** Ends the process if one input takes longer than ten seconds. */
    private fun watch() {
        val thread = Thread {
            while (true) {
                val before = number.get()
                Thread.sleep(10_000)
                if (number.get() == before) {
                    println("fuzzing: input $before takes more than ten seconds")
                    Runtime.getRuntime().halt(1)
                }
            }
        }
        thread.isDaemon = true
        thread.start()
    }
}
