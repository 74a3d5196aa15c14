package tessera.check

import java.net.HttpURLConnection
import java.net.URL
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import tessera.catalog.ImageFile
import tessera.catalog.ImageState
import tessera.catalog.Prefetch
import tessera.catalog.Prefetcher

/** What a prefetcher starts and cancels, as `PrefetcherTests` of the Swift library has it; and what a server sees of it. */
class Prefetching(private val check: Check) {
    private val log = ArrayList<String>()
    private val cached = HashSet<String>()
    private val ends = ArrayList<Pair<String, (Boolean) -> Unit>>()
    private var endsAtOnce = false
    private var now = 0.0
    /** When it ends, and what it calls. */
    private var timer: Pair<Double, () -> Unit>? = null

    fun run() {
        steps()
        retries()
        order()
        server()
    }

    private fun steps() {
        val two = prefetcher(Prefetch(2, 0))
        cached.add("b")
        two.update(listOf(files("abcd")), emptyList())
        news("+a +c", "what is cached is not started")
        end("a")
        news("a:loaded +d", "the next file starts when one ends")
        two.update(listOf(files("c")), emptyList())
        two.update(emptyList(), emptyList())
        news("-d -c", "what no place needs is cancelled")

        val one = prefetcher(Prefetch(1, 1))
        one.update(listOf(files("a")), emptyList())
        one.update(emptyList(), emptyList())
        one.update(listOf(files("a")), files("fg"))
        news("+a -a +a +f!", "a file in flight once more")
        ends[ends.size - 3].second(true)
        news("", "a cancelled request may end late")
        one.update(listOf(files("af")), files("g"))
        news("f:visible +g!", "a place becomes visible")
        one.update(listOf(files("f")), files("a"))
        news("-g a:upcoming", "another one is not visible any more")
        end("a")
        end("a")
        end("f")
        one.update(listOf(files("af")), emptyList())
        news("a:loaded f:loaded", "a file ends once for a place")
        one.update(listOf(files("f")), emptyList())
        one.update(listOf(files("f")), files("a"))
        news("+a!", "and again for another place")

        endsAtOnce = true
        val memory = prefetcher(Prefetch(2, 1))
        memory.update(listOf(files("acg")), files("de"))
        memory.update(emptyList(), emptyList())
        news("+a a:loaded +c c:loaded +d! d:loaded +g g:loaded +e! e:loaded", "files may end while they start")
        endsAtOnce = false
    }

    private fun retries() {
        cached.clear()
        val one = prefetcher(Prefetch(2, 1))
        fun wait(): Double? = timer?.let { it.first - now }
        one.update(listOf(files("a")), emptyList())
        check.equal(one.state("a"), ImageState.LOADING, "loading")
        val waits = (0 until 8).map {
            end("a", isLoaded = false)
            check.equal(one.state("a"), ImageState.FAILED, "failed")
            wait().also { elapse() }
        }
        check.equal(waits, listOf(1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0), "waits")
        check.equal(one.state("a"), ImageState.LOADING, "loading again")
        end("a")
        check.equal(one.state("a"), ImageState.LOADED, "loaded")
        log.clear()

        one.update(listOf(files("bc")), emptyList())
        end("b", isLoaded = false)
        one.retry("c")
        news("+b +c b:failed", "what did not fail is not tried again")
        one.retry("b")
        news("b:loading +b", "a tap")
        end("b", isLoaded = false)
        check.equal(wait(), 2.0, "a tap does not forget the count")
        end("c", isLoaded = false)
        one.reconnect()
        news("b:failed c:failed b:loading +b c:loading +c", "the network returned")
        check.equal(timer, null, "nothing to wait for")
        end("b", isLoaded = false)
        one.update(listOf(files("c")), files("b"))
        news("b:failed", "a failed file waits for an upcoming place, too")
        one.update(listOf(files("c"), files("b")), emptyList())
        news("b:loading +b", "and starts when the place is visible again")
        end("b")
        one.update(listOf(files("b")), emptyList())
        one.update(listOf(files("bc")), emptyList())
        end("c", isLoaded = false)
        check.equal(wait(), 1.0, "what no place needs is forgotten")
        one.update(emptyList(), emptyList())
        check.equal(timer, null, "no place, no timer")
        log.clear()
    }

    private fun elapse() {
        val (time, body) = timer ?: return
        now = time
        timer = null
        body()
    }

    private fun prefetcher(limits: Prefetch): Prefetcher {
        val prefetcher = Prefetcher(
            limits, { it in cached },
            { seconds, body ->
                timer = Pair(now + seconds, body);
                { timer = null }
            },
            { now }, { reference, isVisible -> log.add("$reference:${if (isVisible) "visible" else "upcoming"}") }
        ) { file, isVisible, ended ->
            log.add("+${file.reference}${if (isVisible) "" else "!"}")
            ends.add(Pair(file.reference, ended))
            if (endsAtOnce) ended(true)
            return@Prefetcher { log.add("-" + file.reference) }
        }
        prefetcher.changed = { log.add("$it:${prefetcher.state(it).name.toLowerCase()}") }
        return prefetcher
    }

    private fun files(references: String) = references.map { letter(it.toString()) }

    /** The last request of a file ends. */
    private fun end(reference: String, isLoaded: Boolean = true) = ends.last { it.first == reference }.second(isLoaded)

    private fun news(expected: String, about: String) {
        check.equal(log.joinToString(" "), expected, about)
        log.clear()
    }

    /** A prefetcher over HttpURLConnection, with a thread of its own and a clock that is ten times as fast. */
    private class Client(server: Server, limits: Prefetch = Prefetch()) {
        private val thread = Executors.newSingleThreadScheduledExecutor { Thread(it).apply { isDaemon = true } }
        private val network = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
        private val prefetcher = Prefetcher(
            limits, { false },
            { seconds, body ->
                val task = thread.schedule({ body() }, (seconds * 100).toLong(), TimeUnit.MILLISECONDS);
                { task.cancel(false) }
            },
            { System.nanoTime() / 1e8 }
        ) { file, _, ended ->
            val connection = URL(server.url(file.reference)).openConnection() as HttpURLConnection
            network.execute {
                val isLoaded = try {
                    connection.inputStream.use { it.readBytes() }
                    true
                } catch (error: Exception) {
                    false
                }
                thread.execute { ended(isLoaded) }
            }
            return@Prefetcher { network.execute { connection.disconnect() } }
        }

        fun <Value> use(body: Prefetcher.() -> Value): Value = thread.submit(Callable { prefetcher.body() }).get()
    }

    private fun places(kind: String, numbers: IntRange) = numbers.map { letter("$kind$it") }

    /** The caps and the order, as the server's log has them. */
    private fun order() {
        val (first, second) = Pair(places("v", 0..9), places("v", 10..13))
        for (limits in listOf(Prefetch(), Prefetch(1, 1))) {
            val caps = hashMapOf('v' to limits.requests, 'u' to limits.upcoming)
            val server = Server { exchange ->
                // The first ones wait for each other.
                eventually(5.0) { synchronized(this) { caps.all { (most[it.key] ?: 0) >= it.value } } }
                Thread.sleep(20)
                send(exchange, 200, ByteArray(100))
            }
            val client = Client(server, limits)
            client.use {
                update(listOf(first), places("u", 0..9))
                update(listOf(first, second), places("u", 0..9))
            }
            check.equal(eventually { server.log.size == 24 }, true, "all are loaded")
            client.use { update(listOf(first, second), emptyList()) }
            Thread.sleep(60)
            check.equal(server.log.map { it.first }.toSet().size, 24, "all are loaded")
            check.equal(server.log.size, 24, "each is requested once")
            check.equal(server.most, caps, "requests at a time")
            server.stop()
            // Requests that start together may arrive in any order.
            if (limits.requests > 1) continue
            fun numbers(kind: Char) = server.log.map { it.first }.filter { it[0] == kind }.map { it.drop(1).toInt() }
            check.equal(numbers('v'), listOf(0) + (10..13) + (1..9), "those that appeared last, and each group from top to bottom")
            check.equal(numbers('u'), (0..9).toList(), "upcoming ones in their order")
        }
    }

    /** A server that fails twice, and one that fails until the network returns. */
    private fun server() {
        val server = Server { exchange ->
            val path = exchange.requestURI.path.drop(1)
            val isBad = if (path == "twice") count(path) <= 2 else count(path) <= 4
            send(exchange, if (isBad) 503 else 200, ByteArray(10))
        }
        val client = Client(server)
        client.use { update(listOf(listOf(letter("twice"))), emptyList()) }
        check.equal(eventually { client.use { state("twice") } == ImageState.LOADED }, true, "loaded after two failures")
        val times = server.log.map { it.second }
        check.equal(times.size, 3, "three requests")
        check.equal(times[1] - times[0] >= 0.09 && times[2] - times[1] >= 0.19, true, "after 1 and 2 seconds: $times")
        client.use { update(listOf(listOf(letter("later"))), emptyList()) }
        check.equal(eventually { client.use { state("later") } == ImageState.FAILED && server.count("later") == 3 }, true, "it failed thrice")
        val start = System.nanoTime()
        client.use { reconnect() }
        check.equal(eventually { server.count("later") == 4 && client.use { state("later") } == ImageState.FAILED }, true, "once more")
        client.use { retry("later") }
        check.equal(eventually { client.use { state("later") } == ImageState.LOADED }, true, "and by a tap")
        // It would have waited four seconds of this clock, and then eight.
        check.equal(System.nanoTime() - start < 1.2e9, true, "both at once")
        server.stop()
    }
}
