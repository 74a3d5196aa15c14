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
    /** What to do now. */
    data class Step(
        /** Files to request, the most urgent first. */
        val start: List<ImageFile>,
        /** Requests to cancel: no place needs their files any more, or a visible place has to wait for one. */
        val cancel: List<ImageFile>
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
        visible: List<List<ImageFile>>, upcoming: List<ImageFile>, inFlight: List<ImageFile>,
        isLoaded: (reference: String) -> Boolean
    ): Step {
        val urgent = visible.asReversed().flatten()
        val urgentReferences = urgent.mapTo(HashSet()) { it.reference }
        val neededReferences = upcoming.mapTo(HashSet(urgentReferences)) { it.reference }
        val cancel = ArrayList(inFlight.filter { it.reference !in neededReferences })
        val flying = inFlight.mapTo(HashSet()) { it.reference }
        for (file in cancel) flying.remove(file.reference)
        val waiting = missing(urgent, flying, isLoaded)
        // A visible place does not wait for a file of one that is not: the farthest of these gives way.
        var needed = waiting.size + flying.size - requests
        for (file in upcoming.asReversed()) {
            if (needed <= 0) break
            if (file.reference in urgentReferences || !flying.remove(file.reference)) continue
            cancel.add(file)
            needed--
        }
        val start = ArrayList(waiting.take(maxOf(0, requests - flying.size)))
        // The budget is for places that are not visible, so files of visible places use none of it.
        var budget = bytes.toDouble()
        for (file in inFlight) {
            if (file.reference in flying && file.reference !in urgentReferences) budget -= file.expectedBytes
        }
        val cancelled = cancel.mapTo(HashSet()) { it.reference }
        for (file in missing(upcoming, flying + urgentReferences, isLoaded)) {
            if (start.size + flying.size >= requests || file.reference in cancelled) continue
            // A file that exceeds the rest of the budget waits, and so do those after it: otherwise smaller files could
            // overtake it indefinitely. A file larger than the whole budget is requested alone.
            if (file.expectedBytes > budget && budget != bytes.toDouble()) break
            start.add(file)
            budget -= file.expectedBytes
        }
        return Step(start, cancel)
    }

    /** Files that are neither loaded nor known, each once. */
    private fun missing(
        files: List<ImageFile>, known: Set<String>, isLoaded: (reference: String) -> Boolean
    ): List<ImageFile> {
        val references = HashSet(known)
        return files.filter { !isLoaded(it.reference) && references.add(it.reference) }
    }
}
