package tessera.check

import tessera.catalog.ImageFile
import tessera.catalog.Prefetch
import tessera.catalog.Prefetcher

/** What a prefetcher starts and cancels, as `PrefetcherTests` of the Swift library has it. */
class Prefetching(private val check: Check) {
    private val log = ArrayList<String>()
    private val cached = HashSet<String>()
    private val ends = ArrayList<Pair<String, () -> Unit>>()
    private var endsAtOnce = false

    fun run() {
        val two = prefetcher(2)
        cached.add("b")
        two.update(listOf(files("abc")), files("de"))
        news("+a +c", "what is cached is not started")
        end("a")
        news("+d", "the next file starts when one ends")
        two.update(listOf(files("c")), emptyList())
        two.update(emptyList(), emptyList())
        news("-d -c", "what no place needs is cancelled")

        val one = prefetcher(1)
        one.update(listOf(files("a")), emptyList())
        one.update(emptyList(), emptyList())
        one.update(listOf(files("a")), files("f"))
        news("+a -a +a", "a file in flight once more")
        ends[ends.size - 2].second()
        news("", "a cancelled request may end late")
        end("a")
        end("a")
        one.update(listOf(files("a")), files("f"))
        news("+f", "a file ends once for a place")
        end("f")
        one.update(listOf(files("f")), emptyList())
        one.update(listOf(files("f")), files("a"))
        news("+a", "and again for another place")

        endsAtOnce = true
        val memory = prefetcher(2)
        memory.update(listOf(files("acg")), files("de"))
        memory.update(emptyList(), emptyList())
        news("+a +c +g +d +e", "files may end while they start")
    }

    private fun prefetcher(requests: Int) = Prefetcher(Prefetch(requests), { it in cached }) { file, ended ->
        log.add("+" + file.reference)
        ends.add(Pair(file.reference, ended))
        if (endsAtOnce) ended()
        return@Prefetcher { log.add("-" + file.reference) }
    }

    private fun files(references: String) = references.map {
        ImageFile("https://example.com/$it", it.toString(), "image/webp", 8, 8, 100)
    }

    /** The last request of a file ends. */
    private fun end(reference: String) = ends.last { it.first == reference }.second()

    private fun news(expected: String, about: String) {
        check.equal(log.joinToString(" "), expected, about)
        log.clear()
    }
}
