package tessera.loaders

import android.content.Context
import android.graphics.Bitmap
import android.graphics.drawable.BitmapDrawable
import android.graphics.drawable.Drawable
import android.net.ConnectivityManager
import android.net.Network
import android.net.NetworkRequest
import android.os.Handler
import android.os.Looper
import android.provider.Settings
import android.view.animation.AlphaAnimation
import android.view.animation.Animation
import android.widget.ImageView
import tessera.catalog.Appearance
import tessera.catalog.CatalogEntry
import tessera.catalog.ImageFile
import tessera.catalog.ImageState
import tessera.catalog.Motion
import tessera.catalog.Placeholder
import tessera.catalog.Prefetcher

/**
 * The places of a screen: it loads the files of those that are visible, then those of [upcoming] ones, and draws each place when its
 * state changes. What failed is tried again after a while, by a tap, and when the network returns, for which the app needs the
 * permission `ACCESS_NETWORK_STATE`. For an app to copy, with CoilCatalog.kt or GlideCatalog.kt. Use it on the main thread.
 *
 * @param load draws a file that is in a cache; for null it ends what it does for the view.
 */
class CatalogScreen(
    private val context: Context, private val prefetcher: Prefetcher,
    private val load: (view: ImageView, file: ImageFile?) -> Unit
) {
    private class Place(val file: ImageFile?, val draw: (ImageState) -> Unit)

    private val main = Handler(Looper.getMainLooper())
    private val connectivity = context.getSystemService(Context.CONNECTIVITY_SERVICE) as ConnectivityManager
    private val network = object : ConnectivityManager.NetworkCallback() {
        override fun onAvailable(network: Network) {
            main.post { prefetcher.reconnect() }
        }
    }
    /** Places that appeared together, by the view or any other key. */
    private val groups = ArrayList<LinkedHashMap<Any, Place>>()
    private var newest: LinkedHashMap<Any, Place>? = null
    /** Views whose taps try again. */
    private val tappable = HashSet<ImageView>()
    private var isPlanned = false

    /** The files of places that may appear next, the nearest first. */
    var upcoming: List<ImageFile> = emptyList()
        set(value) {
            field = value
            plan()
        }

    /**
     * What a view shows while its file loads, if no other file of the image is at hand. It pulses, unless people want less motion.
     */
    var loading: (CatalogEntry) -> Drawable? = { it.placeholder?.let { drawable(context, it) } }
    /** What a view shows after a failure, with a retry by tap. */
    var failed: (CatalogEntry) -> Drawable? = { context.getDrawable(android.R.drawable.stat_notify_sync) }

    /** How files are to be chosen: as people want it who removed animations in the device's settings. */
    val motion: Motion get() = if (reducesMotion) Motion.STILL else Motion.AUTO

    private val reducesMotion
        get() = Settings.Global.getFloat(context.contentResolver, Settings.Global.ANIMATOR_DURATION_SCALE, 1f) == 0f

    init {
        prefetcher.changed = { reference ->
            for (place in groups.flatMap { it.values }.filter { it.file?.reference == reference }) draw(place)
        }
        connectivity.registerNetworkCallback(NetworkRequest.Builder().build(), network)
    }

    /** A view appeared, or shows another image now. If it has a click listener of the app's, a tap is the app's, too: see [retry]. */
    fun show(view: ImageView, image: CatalogEntry, file: ImageFile?) = show(view, file) { draw(view, image, file, it) }

    private fun draw(view: ImageView, image: CatalogEntry, file: ImageFile?, state: ImageState) {
        if (tappable.remove(view)) view.setOnClickListener(null)
        view.clearAnimation()
        val isCached = { reference: String -> prefetcher.state(reference) == ImageState.LOADED }
        val shown = if (state == ImageState.FAILED) null else file?.let { image.cachedFile(it, isCached) }
        load(view, shown)
        if (shown != null) return
        val isFailed = image.appearance(state, file) is Appearance.Failed
        view.setImageDrawable(if (isFailed) failed(image) else loading(image))
        if (!isFailed && !reducesMotion) view.startAnimation(pulse())
        if (isFailed && file != null && !view.hasOnClickListeners()) {
            tappable.add(view)
            view.setOnClickListener { retry(file) }
        }
    }

    /** A place of any kind appeared. It is drawn now, and when its state changes. */
    fun show(place: Any, file: ImageFile?, draw: (ImageState) -> Unit) {
        hide(place)
        val group = newest ?: LinkedHashMap<Any, Place>().also { groups.add(it) }
        newest = group
        group[place] = Place(file, draw).also { draw(it) }
        plan()
    }

    /** A view, or another place, left. */
    fun hide(place: Any) {
        if (groups.count { it.remove(place) != null } > 0) plan()
    }

    fun retry(file: ImageFile) = prefetcher.retry(file.reference)

    /** The screen closes. */
    fun close() {
        groups.clear()
        prefetcher.update(emptyList(), emptyList())
        connectivity.unregisterNetworkCallback(network)
    }

    private fun draw(place: Place) = place.draw(place.file?.let { prefetcher.state(it.reference) } ?: ImageState.LOADING)

    /** What appears in one turn of the main thread appears together. */
    private fun plan() {
        if (isPlanned) return
        isPlanned = true
        main.post {
            isPlanned = false
            newest = null
            groups.removeAll { it.isEmpty() }
            prefetcher.update(groups.map { group -> group.values.mapNotNull { it.file } }, upcoming)
        }
    }

    private fun pulse() = AlphaAnimation(1f, 0.6f).apply {
        duration = 800
        repeatMode = Animation.REVERSE
        repeatCount = Animation.INFINITE
    }
}

/** A placeholder to draw. */
fun drawable(context: Context, placeholder: Placeholder): Drawable? = placeholder.pixels()?.let {
    BitmapDrawable(context.resources, Bitmap.createBitmap(it.argb, it.width, it.height, Bitmap.Config.ARGB_8888))
}

/** The timer of a [Prefetcher] for the main thread. */
internal fun timer(seconds: Double, body: () -> Unit): () -> Unit {
    val (main, runnable) = Pair(Handler(Looper.getMainLooper()), Runnable(body))
    main.postDelayed(runnable, (seconds * 1000).toLong() + 1)
    return { main.removeCallbacks(runnable) }
}
