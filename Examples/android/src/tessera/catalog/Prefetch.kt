package tessera.catalog

/**
 * Decides which files an app should request next, and which requests it should cancel. A pure function of what is on
 * the screen: no clock, no network.
 *
 * Files of visible places come first, in the order of their distance to where the user reads: the places that appeared
 * last before those that appeared earlier, and of places that appeared together, such as a first screen, the upper
 * before the lower. Files of upcoming places follow in their order. Files that are loaded or in flight are not
 * requested again.
 */
data class Prefetch(
    /** The maximum number of requests in flight. The default is what browsers use per host over HTTP/1.1. */
    val requests: Int = 6,
    /** The maximum number of bytes in flight for places that are not visible yet. */
    val bytes: Long = 2_000_000
) {
    /** A file that a place needs. */
    data class Request(
        /** Relative to the catalog. */
        val path: String,
        val bytes: Long
    ) {
        constructor(variant: Variant) : this(variant.path, variant.bytes)

        internal val cost: Double get() = maxOf(0L, bytes).toDouble()
    }

    /** What to do now. */
    data class Step(
        /** Files to request, the most urgent first. */
        val start: List<Request>,
        /** Requests to cancel: no place needs their files any more, or a visible place has to wait for one. */
        val cancel: List<Request>
    )

    /**
     * What to request and what to cancel now. Call it whenever places appear or leave, and whenever a request ends.
     *
     * @param visible the files of places on the screen. Those that appeared together are a group, from top to bottom;
     *   groups are in the order in which they appeared.
     * @param upcoming the files of places that may appear next, the nearest first.
     * @param inFlight the files in flight.
     * @param isLoaded whether the file with this path has loaded.
     */
    fun step(
        visible: List<List<Request>>, upcoming: List<Request>, inFlight: List<Request>,
        isLoaded: (path: String) -> Boolean
    ): Step {
        val urgent = visible.asReversed().flatten()
        val urgentPaths = urgent.mapTo(HashSet()) { it.path }
        val neededPaths = upcoming.mapTo(HashSet(urgentPaths)) { it.path }
        val cancel = ArrayList(inFlight.filter { it.path !in neededPaths })
        val flying = inFlight.mapTo(HashSet()) { it.path }
        for (request in cancel) flying.remove(request.path)
        val waiting = missing(urgent, flying, isLoaded)
        // A visible place does not wait for a file of one that is not: the farthest of these gives way.
        var needed = waiting.size + flying.size - requests
        for (request in upcoming.asReversed()) {
            if (needed <= 0) break
            if (request.path in urgentPaths || !flying.remove(request.path)) continue
            cancel.add(request)
            needed--
        }
        val start = ArrayList(waiting.take(maxOf(0, requests - flying.size)))
        // The budget is for places that are not visible, so files of visible places use none of it.
        var budget = bytes.toDouble()
        for (request in inFlight) {
            if (request.path in flying && request.path !in urgentPaths) budget -= request.cost
        }
        val cancelled = cancel.mapTo(HashSet()) { it.path }
        for (request in missing(upcoming, flying + urgentPaths, isLoaded)) {
            if (start.size + flying.size >= requests || request.path in cancelled) continue
            // A file that exceeds the rest of the budget waits, and so do those after it: otherwise smaller files could
            // overtake it indefinitely. A file larger than the whole budget is requested alone.
            if (request.cost > budget && budget != bytes.toDouble()) break
            start.add(request)
            budget -= request.cost
        }
        return Step(start, cancel)
    }

    /** Files that are neither loaded nor known, each once. */
    private fun missing(
        requests: List<Request>, known: Set<String>, isLoaded: (path: String) -> Boolean
    ): List<Request> {
        val paths = HashSet(known)
        return requests.filter { !isLoaded(it.path) && paths.add(it.path) }
    }
}
