package tessera.catalog

/**
 * Carries out the steps of a [Prefetch] with whatever loads files in an app, and takes the next step by itself whenever a file
 * ends. A file that has loaded is not started again as long as a place needs it, whatever the cache drops. One that failed is
 * started again after a while, and at once when its place becomes visible again, on [reconnect] and on [retry].
 *
 * For one thread, such as the main thread: it locks nothing.
 */
class Prefetcher(
    /** The limits. */
    private val prefetch: Prefetch = Prefetch(),
    /** Whether the file with this reference is at hand. */
    private val isCached: (reference: String) -> Boolean,
    /** Calls a function on this thread after some seconds, unless what it returns is called before. */
    private val timer: (seconds: Double, body: () -> Unit) -> (() -> Unit),
    /** Seconds of a clock that never goes back. */
    private val now: () -> Double = { System.nanoTime() / 1e9 },
    /** Tells a request in flight whether its place is visible now. */
    private val prioritize: (reference: String, isVisible: Boolean) -> Unit = { _, _ -> },
    /**
     * Starts to load a file, and returns what cancels that. `ended` is to be called when the file has loaded or failed; a call is
     * ignored after the first one, and after the file was cancelled.
     */
    private val load: (file: ImageFile, isVisible: Boolean, ended: (isLoaded: Boolean) -> Unit) -> (() -> Unit)
) {
    private class Flight(var request: Prefetch.Request) {
        var cancel: () -> Unit = {}
    }

    /** Called with the reference of a file whose [state] has changed. */
    var changed: (reference: String) -> Unit = {}

    private var visible: List<List<ImageFile>> = emptyList()
    private var upcoming: List<ImageFile> = emptyList()
    /** By reference, in the order in which they started. */
    private val inFlight = LinkedHashMap<String, Flight>()
    /** The references of files that a place needs, and that have loaded. */
    private val loaded = HashSet<String>()
    private val failed = HashMap<String, Prefetch.Failures>()
    private var stopTimer: () -> Unit = {}
    private var isStepping = false
    private var hasChanged = false

    /** What a place that needs a file shows. */
    fun state(reference: String): ImageState = when (reference) {
        in loaded -> ImageState.LOADED
        in inFlight -> ImageState.LOADING
        else -> if (isCached(reference)) ImageState.LOADED else if (reference in failed) ImageState.FAILED else ImageState.LOADING
    }

    /**
     * Starts and cancels what the places need now. Call it whenever places appear or leave; without any place it cancels all.
     *
     * @param visible the files of places on the screen, in groups; see [Prefetch.step].
     * @param upcoming the files of places that may appear next, the nearest first.
     */
    fun update(visible: List<List<ImageFile>>, upcoming: List<ImageFile>) {
        val before = references(this.visible)
        this.visible = visible
        this.upcoming = upcoming
        val after = references(visible)
        val needed = upcoming.mapTo(HashSet(after)) { it.reference }
        loaded.retainAll(needed)
        failed.keys.retainAll(needed)
        again { it in after && it !in before }
    }

    /** Starts what failed again, because the network has returned. */
    fun reconnect() = again { true }

    /** Starts a file that failed again, such as by a tap. */
    fun retry(reference: String) = again { it == reference }

    private fun references(visible: List<List<ImageFile>>) = visible.flatten().mapTo(HashSet()) { it.reference }

    private fun again(isWanted: (reference: String) -> Boolean) {
        // The count stays: if the file fails once more, it waits longer.
        for (entry in failed) if (isWanted(entry.key)) entry.setValue(entry.value.copy(time = Double.NEGATIVE_INFINITY))
        step()
    }

    private fun step() {
        hasChanged = true
        // A file that is in memory may end while it is being started.
        if (isStepping) return
        isStepping = true
        try {
            while (hasChanged) {
                hasChanged = false
                stopTimer()
                val flights = inFlight.values.map { it.request }
                val step = prefetch.step(visible, upcoming, flights, failed, now()) { it in loaded || isCached(it) }
                for (reference in step.cancel) inFlight.remove(reference)?.cancel?.invoke()
                for ((reference, isVisible) in step.priorities) {
                    inFlight[reference]?.let { it.request = it.request.copy(isVisible = isVisible) }
                    prioritize(reference, isVisible)
                }
                for (request in step.start) start(request)
                stopTimer = step.wait?.let { timer(it) { step() } } ?: {}
            }
        } finally {
            isStepping = false
        }
    }

    private fun start(request: Prefetch.Request) {
        val flight = Flight(request)
        val reference = request.file.reference
        inFlight[reference] = flight
        if (reference in failed) changed(reference)
        flight.cancel = load(request.file, request.isVisible) { isLoaded ->
            // A cancelled request may end when its file is in flight once more.
            if (inFlight[reference] === flight) {
                inFlight.remove(reference)
                if (isLoaded) {
                    failed.remove(reference)
                    loaded.add(reference)
                } else failed[reference] = Prefetch.Failures((failed[reference]?.count ?: 0) + 1, now())
                changed(reference)
                step()
            }
        }
    }
}
