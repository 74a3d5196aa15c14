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
        /** The file's URL at a service if it has one, or else its path. */
        val reference: String,
        val bytes: Long
    ) {
        constructor(variant: Variant) : this(variant.firstFile)

        /** If only a service has the file, its size is an estimate: a quarter of a byte for each pixel. */
        constructor(file: VariantFile) : this(file.reference, file.bytes ?: file.width.toLong() * file.height / 4)

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
     * @param isLoaded whether the file with this reference has loaded.
     */
    fun step(
        visible: List<List<Request>>, upcoming: List<Request>, inFlight: List<Request>,
        isLoaded: (reference: String) -> Boolean
    ): Step {
        val urgent = visible.asReversed().flatten()
        val urgentReferences = urgent.mapTo(HashSet()) { it.reference }
        val neededReferences = upcoming.mapTo(HashSet(urgentReferences)) { it.reference }
        val cancel = ArrayList(inFlight.filter { it.reference !in neededReferences })
        val flying = inFlight.mapTo(HashSet()) { it.reference }
        for (request in cancel) flying.remove(request.reference)
        val waiting = missing(urgent, flying, isLoaded)
        // A visible place does not wait for a file of one that is not: the farthest of these gives way.
        var needed = waiting.size + flying.size - requests
        for (request in upcoming.asReversed()) {
            if (needed <= 0) break
            if (request.reference in urgentReferences || !flying.remove(request.reference)) continue
            cancel.add(request)
            needed--
        }
        val start = ArrayList(waiting.take(maxOf(0, requests - flying.size)))
        // The budget is for places that are not visible, so files of visible places use none of it.
        var budget = bytes.toDouble()
        for (request in inFlight) {
            if (request.reference in flying && request.reference !in urgentReferences) budget -= request.cost
        }
        val cancelled = cancel.mapTo(HashSet()) { it.reference }
        for (request in missing(upcoming, flying + urgentReferences, isLoaded)) {
            if (start.size + flying.size >= requests || request.reference in cancelled) continue
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
        requests: List<Request>, known: Set<String>, isLoaded: (reference: String) -> Boolean
    ): List<Request> {
        val references = HashSet(known)
        return requests.filter { !isLoaded(it.reference) && references.add(it.reference) }
    }
}
