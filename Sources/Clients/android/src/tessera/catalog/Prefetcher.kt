package tessera.catalog

/**
 * Carries out the steps of a [Prefetch] with whatever loads files in an app, and takes the next step by itself whenever a
 * file ends. A file that has loaded or failed is not started again as long as a place needs it, whatever the cache drops.
 *
 * For one thread, such as the main thread: it locks nothing.
 */
class Prefetcher(
    /** The limits. */
    private val prefetch: Prefetch = Prefetch(),
    /** Whether the file with this reference is at hand. */
    private val isCached: (reference: String) -> Boolean,
    /**
     * Starts to load a file, and returns what cancels that. `ended` is to be called when the file has loaded or failed; a
     * call is ignored after the first one, and after the file was cancelled.
     */
    private val load: (file: ImageFile, ended: () -> Unit) -> (() -> Unit)
) {
    private class Request(val file: ImageFile) {
        var cancel: () -> Unit = {}
    }

    private var visible: List<List<ImageFile>> = emptyList()
    private var upcoming: List<ImageFile> = emptyList()
    /** By reference, in the order in which they started. */
    private val inFlight = LinkedHashMap<String, Request>()
    /** The references of files that a place needs, and that have loaded or failed. */
    private val ended = HashSet<String>()
    private var isStepping = false
    private var hasChanged = false

    /**
     * Starts and cancels what the places need now. Call it whenever places appear or leave; without any place it cancels
     * all.
     *
     * @param visible the files of places on the screen, in groups; see [Prefetch.step].
     * @param upcoming the files of places that may appear next, the nearest first.
     */
    fun update(visible: List<List<ImageFile>>, upcoming: List<ImageFile>) {
        this.visible = visible
        this.upcoming = upcoming
        ended.retainAll((visible.flatten() + upcoming).mapTo(HashSet()) { it.reference })
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
                val files = inFlight.values.map { it.file }
                val step = prefetch.step(visible, upcoming, files) { it in ended || isCached(it) }
                for (file in step.cancel) inFlight.remove(file.reference)?.cancel?.invoke()
                for (file in step.start) start(file)
            }
        } finally {
            isStepping = false
        }
    }

    private fun start(file: ImageFile) {
        val request = Request(file)
        inFlight[file.reference] = request
        request.cancel = load(file) {
            // A cancelled request may end when its file is in flight once more.
            if (inFlight[file.reference] === request) {
                inFlight.remove(file.reference)
                ended.add(file.reference)
                step()
            }
        }
    }
}
