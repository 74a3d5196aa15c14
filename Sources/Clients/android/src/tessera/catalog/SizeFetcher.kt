package tessera.catalog

import java.io.Closeable
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.URL
import java.util.ArrayDeque
import java.util.Timer
import java.util.concurrent.Executor
import java.util.concurrent.Executors
import kotlin.concurrent.schedule

/**
 * The sizes of images that no catalog has yet, from their first bytes: a few kilobytes each, mostly in one request. Images are
 * fetched in the order in which they are asked for.
 */
class SizeFetcher(
    /** The maximum number of images at a time. */
    private val requests: Int = 4,
    /** Seconds for one image. */
    private val timeout: Double = 10.0,
    /** How many sizes are remembered: those that were asked for last. A failure is not. */
    private val remembered: Int = 1_000,
    /** Its threads wait for the network. Those of the default do not keep a program alive. */
    private val executor: Executor = Executors.newCachedThreadPool { Thread(it, "sizes").apply { isDaemon = true } }
) {
    /** The size that was asked for last is at the end. */
    private val answers = LinkedHashMap<String, ImageSize>(16, 0.75f, true)
    /** By URL, those that wait and those at work. */
    private val images = HashMap<String, RemoteImage>()
    private val waiting = ArrayDeque<String>()
    private var working = 0
    private val timer = Timer("sizes", true)
    private val milliseconds = (timeout * 1000).toInt()

    /**
     * Finds a size. Requests for the same URL share one answer.
     *
     * @param force whether to ask the server although the size is remembered.
     * @param done is called once, on any thread, and at once for a size that is remembered: with the size, a [SizeException], or the
     *   IOException of the network.
     * @return cancels the request: `done` is not called any more.
     */
    fun size(url: String, force: Boolean = false, done: (Result<ImageSize>) -> Unit): () -> Unit {
        val key = Any()
        val known = synchronized(this) {
            answers[url].takeIf { !force }.also {
                if (it == null) images.getOrPut(url) { RemoteImage(url, milliseconds).also { waiting.add(url) } }.listeners[key] = done
            }
        }
        if (known == null) work() else done(Result.success(known))
        return { cancel(url, key) }
    }

    private fun cancel(url: String, key: Any) {
        val unneeded = synchronized(this) {
            images[url]?.takeIf { it.listeners.remove(key) != null && it.listeners.isEmpty() }?.also {
                images.remove(url)
                waiting.remove(url)
            }
        }
        // On another thread: closing a connection uses the network, which Android's main thread may not.
        if (unneeded != null) timer.schedule(0) { unneeded.stop(SizeException("cancelled", "the request was cancelled")) }
    }

    private fun work() {
        val (url, image) = synchronized(this) {
            if (working >= requests) return
            val url = waiting.poll() ?: return
            working++
            Pair(url, images.getValue(url))
        }
        executor.execute {
            val limit = timer.schedule(milliseconds.toLong()) {
                image.stop(SizeException("timeout", "$url: the size is not known after $timeout seconds"))
            }
            val result = runCatching { image.use { imageSize(it) } }
            limit.cancel()
            val listeners = synchronized(this) {
                working--
                if (images[url] === image) images.remove(url)
                result.onSuccess { answers[url] = it }
                if (answers.size > remembered) answers.remove(answers.keys.first())
                image.listeners.values.toList()
            }
            work()
            for (listener in listeners) listener(result)
        }
    }
}

/** The bytes of an image at a URL: ranges of it, or from a server that ignores ranges, its beginning. For one thread, but for [stop]. */
internal class RemoteImage(private var url: String, private val milliseconds: Int) : ImageBytes, Closeable {
    val listeners = LinkedHashMap<Any, (Result<ImageSize>) -> Unit>()
    /** Bytes with their offset. */
    private val pieces = ArrayList<Pair<Int, ByteArray>>()
    private var stream: InputStream? = null
    private var requests = 0
    private var bytes = 0
    @Volatile private var connection: HttpURLConnection? = null
    @Volatile private var stopped: SizeException? = null

    override fun byte(at: Int): Int {
        while (true) {
            for ((start, bytes) in pieces) if (at - start in bytes.indices) return bytes[at - start].toInt() and 255
            get(at, at + if (requests == 0 || stream != null) FIRST else FURTHER)
        }
    }

    override fun want(start: Int, end: Int) {
        val from = pieces.fold(start) { from, piece -> if (piece.first <= from) maxOf(from, piece.first + piece.second.size) else from }
        if (from < end && stream == null) get(from, end)
    }

    /** Ends what waits for the network. */
    fun stop(reason: SizeException) {
        stopped = reason
        connection?.disconnect()
    }

    /** The rest of a stream is not read. */
    override fun close() = if (stream == null) Unit else connection?.disconnect() ?: Unit

    /** Gets at least one byte more. */
    private fun get(start: Int, end: Int) {
        try {
            if (bytes == MOST_BYTES) fail("too-far", "the size is not in the ${MOST_BYTES / 1024} KiB that were read")
            val buffer = ByteArray(minOf(end - start, MOST_BYTES - bytes))
            val source = stream ?: request(start, start + buffer.size)
            var count = 0
            // Of a stream, what has arrived.
            while (count < buffer.size && (count == 0 || stream == null)) {
                val more = source.read(buffer, count, buffer.size - count)
                if (more < 0) break
                count += more
            }
            if (count == 0) fail("cut-off", "the image is cut off")
            pieces.add(Pair(if (stream == null) start else pieces.fold(0) { sum, piece -> sum + piece.second.size }, buffer.copyOf(count)))
            bytes += count
        } catch (error: Exception) {
            // A connection that is closed meanwhile may throw anything.
            throw stopped ?: error
        }
    }

    private fun fail(code: String, reason: String): Nothing = throw SizeException(code, "$url: $reason")

    private fun request(start: Int, end: Int): InputStream {
        if (!isServiceURL(url)) fail("url", "the URL does not begin with http:// or https://")
        if (requests++ == MOST_REQUESTS) fail("too-far", "the size is not known after $MOST_REQUESTS requests")
        val connection = URL(url).openConnection() as HttpURLConnection
        this.connection = connection
        stopped?.let { throw it }
        // Before it is connected, it cannot be closed.
        connection.connectTimeout = milliseconds
        connection.instanceFollowRedirects = false
        connection.setRequestProperty("Range", "bytes=$start-${end - 1}")
        connection.setRequestProperty("Accept-Encoding", "identity")
        val status = connection.responseCode
        val location = connection.getHeaderField("Location")
        if (status == 206 && connection.getHeaderField("Content-Range").orEmpty().startsWith("bytes $start-")) return connection.inputStream
        if (status == 200) return connection.inputStream.also {
            pieces.clear()
            stream = it
        }
        connection.disconnect()
        if (status == 416) fail("cut-off", "the image is cut off")
        if (status !in 301..308 || location == null) fail("status", "the server answered $status")
        // From http to https, too, which HttpURLConnection does not follow.
        url = URL(URL(url), location).toString()
        return request(start, end)
    }
}

private const val FIRST = 4_096
private const val FURTHER = 1_024
private const val MOST_REQUESTS = 8
private const val MOST_BYTES = 262_144
