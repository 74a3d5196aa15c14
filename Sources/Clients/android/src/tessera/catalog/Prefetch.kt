package tessera.catalog

/**
 * Decides which files an app should request next, and which requests it should cancel. A pure function of what is on the screen:
 * no clock, no network.
 *
 * Of visible places, those that appeared last come first, and of places that appeared together, such as a first screen, the upper
 * before the lower. Upcoming places follow in their order. A file that is loaded or in flight is not requested again.
 */
data class Prefetch(
    /** The maximum number of requests in flight for visible places. The default is what browsers use per host over HTTP/1.1. */
    val requests: Int = 6,
    /** And beside them for upcoming places. */
    val upcoming: Int = 3
) {
    /** A request in flight, or to start. */
    data class Request(val file: ImageFile, val isVisible: Boolean)

    /** How often in a row a file could not be loaded, and when last, in seconds of any clock. */
    data class Failures(val count: Int, val time: Double) {
        /** How long the file still waits: of 1, 2, 4… seconds, at most 60; no longer if the clock was set back. */
        internal fun wait(now: Double) = minOf(60.0, Math.pow(2.0, count - 1.0)).let { minOf(it, time + it - now) }
    }

    /** What to do now. */
    data class Step(
        /** Requests to start, the most urgent first. */
        val start: List<Request>,
        /** References of requests to cancel: no place needs their files any more. */
        val cancel: List<String>,
        /** References of requests in flight whose places became visible, or are not any more. */
        val priorities: Map<String, Boolean>,
        /** Seconds until the next file that failed may start again; null if there is none. */
        val wait: Double?
    )

    /**
     * What to do now. Call it whenever places appear or leave, whenever a request ends, and after [Step.wait].
     *
     * @param visible the files of places on the screen. Those that appeared together are a group, from top to bottom; groups are
     *   in the order in which they appeared.
     * @param upcoming the files of places that may appear next, the nearest first.
     * @param inFlight the requests in flight.
     * @param failed by reference, what failed and has not loaded since.
     * @param now by the clock of `failed`.
     * @param isLoaded whether the file with this reference has loaded.
     */
    fun step(
        visible: List<List<ImageFile>>, upcoming: List<ImageFile>, inFlight: List<Request>,
        failed: Map<String, Failures> = emptyMap(), now: Double = 0.0, isLoaded: (reference: String) -> Boolean
    ): Step {
        val urgent = visible.asReversed().flatten()
        val urgentReferences = urgent.mapTo(HashSet()) { it.reference }
        val neededReferences = upcoming.mapTo(HashSet(urgentReferences)) { it.reference }
        val (needed, unneeded) = inFlight.partition { it.file.reference in neededReferences }
        val priorities = LinkedHashMap<String, Boolean>()
        for ((file, wasVisible) in needed) {
            val isVisible = file.reference in urgentReferences
            if (isVisible != wasVisible) priorities[file.reference] = isVisible
        }
        val known = needed.mapTo(HashSet()) { it.file.reference }
        val start = ArrayList<Request>()
        var wait: Double? = null
        fun start(files: List<ImageFile>, isVisible: Boolean, most: Int) {
            var free = most - needed.count { (it.file.reference in urgentReferences) == isVisible }
            for (file in files) {
                if (isLoaded(file.reference) || !known.add(file.reference)) continue
                val rest = failed[file.reference]?.wait(now) ?: 0.0
                if (rest > 0) wait = minOf(wait ?: rest, rest) else if (free-- > 0) start.add(Request(file, isVisible))
            }
        }
        start(urgent, true, requests)
        start(upcoming, false, this.upcoming)
        return Step(start, unneeded.map { it.file.reference }, priorities, wait)
    }
}
