package tessera.check

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

/** A web server on the loopback address, which logs what it is asked for. */
class Server(private val answer: Server.(exchange: HttpExchange) -> Unit) {
    private val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)
    private val threads = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
    /** The paths of requests in their order, and when they came, in seconds. */
    val log = ArrayList<Pair<String, Double>>()
    /** The most requests at a time, by the first letter of the path. */
    val most = HashMap<Char, Int>()
    val sent = AtomicInteger()
    private val inFlight = HashMap<Char, Int>()

    init {
        server.executor = threads
        server.createContext("/") { exchange ->
            val path = exchange.requestURI.path.drop(1)
            synchronized(this) {
                log.add(Pair(path, System.nanoTime() / 1e9))
                inFlight[path[0]] = (inFlight[path[0]] ?: 0) + 1
                most[path[0]] = maxOf(most[path[0]] ?: 0, inFlight.getValue(path[0]))
            }
            try {
                answer(exchange)
            } catch (error: java.io.IOException) {
                // The client has gone.
            } finally {
                synchronized(this) { inFlight[path[0]] = inFlight.getValue(path[0]) - 1 }
                exchange.close()
            }
        }
        server.start()
    }

    fun url(path: String) = "http://${server.address.hostString}:${server.address.port}/$path"

    /** How often a path was requested. */
    fun count(path: String) = synchronized(this) { log.count { it.first == path } }

    fun send(exchange: HttpExchange, status: Int, bytes: ByteArray) {
        exchange.sendResponseHeaders(status, if (bytes.isEmpty()) -1L else bytes.size.toLong())
        exchange.responseBody.write(bytes)
        sent.addAndGet(bytes.size)
    }

    /** Sends the range that is asked for. */
    fun sendRange(exchange: HttpExchange, bytes: ByteArray) {
        val (first, last) = exchange.requestHeaders.getFirst("Range").drop(6).split("-").map { it.toInt() }
        exchange.responseHeaders.set("Content-Range", "bytes $first-${minOf(last, bytes.size - 1)}/${bytes.size}")
        if (first >= bytes.size) send(exchange, 416, ByteArray(0))
        else send(exchange, 206, bytes.copyOfRange(first, minOf(last + 1, bytes.size)))
    }

    fun stop() {
        server.stop(0)
        threads.shutdownNow()
    }
}

/** Waits until something is true, at most some seconds. */
fun eventually(seconds: Double = 10.0, isTrue: () -> Boolean): Boolean {
    val end = System.nanoTime() + seconds * 1e9
    while (System.nanoTime() < end) if (isTrue()) return true else Thread.sleep(5)
    return isTrue()
}
