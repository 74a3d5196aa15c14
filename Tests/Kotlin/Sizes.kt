package tessera.check

import java.io.File
import java.util.Collections
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicReference
import tessera.catalog.ImageSize
import tessera.catalog.SizeException
import tessera.catalog.SizeFetcher
import tessera.catalog.decodeBase64

/** The size fetcher against a web server: what it finds, and what that costs. */
class Sizes(bytes: ByteArray, private val paths: List<String>, private val check: Check) {
    private val rows = json(bytes).list().filter { it["size"] != null }
    /** Each header with the rest of an image behind it. */
    private val files = rows.associate { row ->
        val name = row["name"].text().replace(Regex("[^a-z0-9]"), "")
        name to Pair(row, (decodeBase64(row["base64"].text()) ?: ByteArray(0)) + ByteArray(60_000))
    }
    private val jpeg = files.getValue("jpeg").second

    /** A JPEG with 30 segments of 60,000 bytes before its frame header. */
    private val segments = ByteArray(1_800_000).also { bytes ->
        jpeg.copyInto(bytes, 0, 0, 2)
        for (at in 2 until bytes.size - 4 step 60_002) byteArrayOf(-1, 0xE2.toByte(), 0xEA.toByte(), 0x60).copyInto(bytes, at)
    }

    private val gate = CountDownLatch(1)

    private val server = Server { exchange ->
        val (kind, name) = exchange.requestURI.path.drop(1).split("/")
        val file = files[name]?.second ?: ByteArray(0)
        when (kind) {
            "range" -> sendRange(exchange, file)
            "whole" -> {
                exchange.sendResponseHeaders(200, 0)
                val parts = sequenceOf(file) + generateSequence { ByteArray(4_096) }.take(2_000)
                for (part in parts) {
                    exchange.responseBody.write(part)
                    sent.addAndGet(part.size)
                }
            }
            "slow" -> {
                Thread.sleep(100)
                sendRange(exchange, jpeg)
            }
            "hold" -> {
                gate.await()
                sendRange(exchange, jpeg)
            }
            "never" -> Thread.sleep(60_000)
            // A byte at a time would keep any time limit of a single read.
            "drip" -> {
                exchange.sendResponseHeaders(200, 0)
                // A JPEG may have any number of 0xFF before a marker.
                for (place in 0 until 1_200) {
                    exchange.responseBody.write(byteArrayOf(if (place == 1) jpeg[1] else -1))
                    exchange.responseBody.flush()
                    Thread.sleep(50)
                }
            }
            "lead" -> {
                exchange.responseHeaders.set("Location", name.replace("-", "/").replace("DOTS", ":"))
                send(exchange, 302, ByteArray(0))
            }
            "far" -> sendRange(exchange, segments)
            "endless" -> {
                exchange.sendResponseHeaders(200, 0)
                for (start in segments.indices step 10_000) exchange.responseBody.write(segments, start, 10_000)
            }
            else -> send(exchange, kind.toInt(), ByteArray(0))
        }
    }

    fun run() {
        everyHeader()
        images()
        errors()
        sharing()
        queue()
        server.stop()
    }

    private fun expected(row: Any?) = (row["size"] as? List<*>)?.let { (width, height) -> ImageSize(width.int(), height.int(), row["format"].text()) }

    private fun everyHeader() {
        val fetcher = SizeFetcher()
        for (kind in listOf("range", "whole")) {
            server.sent.set(0)
            val requests = server.log.size
            for ((name, file) in files) {
                val before = server.sent.get()
                check.equal(size(fetcher, "$kind/$name"), expected(file.first), "$kind/$name")
                // What the sockets between may hold; the rest of 8 MB is not sent.
                if (kind == "whole") check.equal(server.sent.get() - before < 6_000_000, true, "$name is cut off: ${server.sent.get() - before}")
            }
            if (kind == "range") {
                println("sizes of ${files.size} headers: ${server.log.size - requests} requests, ${server.sent.get()} bytes")
                check.equal(server.log.size - requests < files.size * 5 / 4, true, "one request is mostly enough: ${server.log.size - requests}")
            } else check.equal(server.log.size - requests, files.size, "a stream is one request")
        }
    }

    /** What the sizes of whole files cost: beside 40 requests and 91,250 bytes of `tessera probe`. */
    private fun images() {
        val files = paths.map { File(it) }
        val server = Server { exchange -> sendRange(exchange, files[exchange.requestURI.path.drop(1).toInt()].readBytes()) }
        val fetcher = SizeFetcher()
        for (place in files.indices) check.equal(await(fetcher, server.url("$place")) is ImageSize, true, files[place])
        println("sizes of ${files.size} images: ${server.log.size} requests, ${server.sent.get()} bytes")
        check.equal(files.size == 40 && server.log.size == 40 && server.sent.get() < 100_000, true, "40 images")
        server.stop()
    }

    private fun errors() {
        val fetcher = SizeFetcher(timeout = 0.7)
        for ((path, code) in listOf(
            "404/x" to "status", "503/x" to "status", "lead/range-jpeg" to null, "range/none" to "cut-off", "far/x" to "too-far",
            "endless/x" to "too-far", "never/x" to "timeout", "drip/x" to "timeout", "lead/ftpDOTS--a-b" to "url"
        )) {
            val start = System.nanoTime()
            val url = if (path == "lead/range-jpeg") "lead/-range-jpeg" else path
            val error = size(fetcher, url)
            check.equal((error as? SizeException)?.code, code, "$path: $error")
            // Without one, these take a minute; a busy machine takes longer than the limit.
            check.equal(System.nanoTime() - start < 20e9, true, "$path has a limit")
        }
        check.equal(server.count("far/x") <= 8, true, "eight requests")
        for (url in listOf("file:///etc/passwd", "jar:http://a!/b", "ftp://a/b", "")) {
            check.equal((await(fetcher, url) as? SizeException)?.code, "url", url)
        }
    }

    private fun sharing() {
        val fetcher = SizeFetcher(remembered = 2)
        val (answers, end) = Pair(Collections.synchronizedList(ArrayList<Any?>()), CountDownLatch(3))
        repeat(3) {
            fetcher.size(server.url("slow/shared")) {
                answers.add(it.getOrNull())
                end.countDown()
            }
        }
        end.await(5, TimeUnit.SECONDS)
        check.equal(answers.toSet(), setOf<Any?>(ImageSize(640, 427, "jpeg")), "three answers")
        check.equal(server.count("slow/shared"), 1, "one request for the same URL at a time")
        size(fetcher, "slow/shared")
        check.equal(server.count("slow/shared"), 1, "a size is remembered")
        size(fetcher, "slow/shared", force = true)
        check.equal(server.count("slow/shared"), 2, "and asked for again")
        size(fetcher, "slow/b")
        size(fetcher, "slow/shared")
        size(fetcher, "slow/c")
        size(fetcher, "slow/shared")
        check.equal(server.count("slow/shared"), 2, "what was asked for last is remembered")
        size(fetcher, "slow/b")
        check.equal(server.count("slow/b"), 2, "the others are not")
        size(fetcher, "404/again")
        size(fetcher, "404/again")
        check.equal(server.count("404/again"), 2, "a failure is not remembered")
    }

    private fun queue() {
        val fetcher = SizeFetcher()
        val log = Collections.synchronizedList(ArrayList<String>())
        val before = server.log.size
        val cancels = (0 until 12).map { number -> fetcher.size(server.url("hold/q$number")) { log.add("q$number") } }
        check.equal(eventually { synchronized(server) { server.log.size - before == 4 } }, true, "four at a time")
        // One that waits, and one at work.
        cancels[11]()
        cancels[0]()
        check.equal(eventually { synchronized(server) { server.log.size - before == 5 } }, true, "the next one takes its turn")
        gate.countDown()
        check.equal(eventually { log.size == 10 }, true, "the others end")
        Thread.sleep(150)
        check.equal(log.sorted(), (1..10).map { "q$it" }.sorted(), "a cancelled one has no answer")
        check.equal(server.count("hold/q11"), 0, "and no request if it waited")
        check.equal(server.most['h'], 5, "four at a time, and the cancelled one")
        val order = synchronized(server) { server.log.drop(before).map { it.first.drop(6).toInt() } }
        check.equal(order.withIndex().all { (index, number) -> Math.abs(index - number) <= 3 }, true, "first in, first out: $order")
    }

    /** A size, or else the error. */
    private fun size(fetcher: SizeFetcher, path: String, force: Boolean = false): Any? = await(fetcher, server.url(path), force)
}

fun await(fetcher: SizeFetcher, url: String, force: Boolean = false): Any? {
    val (found, end) = Pair(AtomicReference<Any?>(), CountDownLatch(1))
    fetcher.size(url, force) {
        found.set(it.getOrNull() ?: it.exceptionOrNull())
        end.countDown()
    }
    check(end.await(20, TimeUnit.SECONDS)) { "$url has no end" }
    return found.get()
}
