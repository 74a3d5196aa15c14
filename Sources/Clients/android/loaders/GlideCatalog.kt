package tessera.loaders

import android.content.Context
import android.graphics.drawable.Drawable
import android.os.Handler
import android.os.Looper
import com.bumptech.glide.Priority
import com.bumptech.glide.RequestBuilder
import com.bumptech.glide.RequestManager
import com.bumptech.glide.load.DataSource
import com.bumptech.glide.load.engine.GlideException
import com.bumptech.glide.load.model.GlideUrl
import com.bumptech.glide.request.RequestListener
import com.bumptech.glide.request.target.Target
import tessera.catalog.ImageFile
import tessera.catalog.Prefetch
import tessera.catalog.Prefetcher

/** The images of a catalog with Glide 4, for an app to copy; Pipelines/APPS.md shows how to use it. Use it on the main thread. */
class GlideCatalog(private val context: Context, private val requests: RequestManager) {
    /** The references of files that have loaded: Glide does not say what its caches have. */
    private val loaded = HashSet<String>()
    private val main = Handler(Looper.getMainLooper())

    /**
     * The request for a file, which Glide's caches know by its reference. The file has this size, so nothing scales it; all
     * requests for it are alike, so that one in flight serves them all.
     */
    fun request(file: ImageFile): RequestBuilder<Drawable> =
        requests.load(FileUrl(file)).override(file.width, file.height).dontTransform()
            .addListener(End { isLoaded -> if (isLoaded) loaded.add(file.reference) })

    /** Loads and shows the files of a screen. Glide keeps the priority that a request started with. */
    fun screen(prefetch: Prefetch = Prefetch()): CatalogScreen {
        val prefetcher = Prefetcher(prefetch, { it in loaded }, ::timer) { file, isVisible, ended ->
            val target = request(file).priority(if (isVisible) Priority.HIGH else Priority.LOW)
                // Not at once: a listener must neither start nor clear a request.
                .addListener(End { isLoaded -> main.post { ended(isLoaded) } }).preload(file.width, file.height)
            return@Prefetcher { requests.clear(target) }
        }
        return CatalogScreen(context, prefetcher) { view, file ->
            if (file == null) requests.clear(view) else request(file).into(view)
        }
    }

    private class FileUrl(file: ImageFile) : GlideUrl(file.url) {
        private val reference = file.reference

        override fun getCacheKey(): String = reference
    }

    private class End(private val ended: (isLoaded: Boolean) -> Unit) : RequestListener<Drawable> {
        override fun onLoadFailed(
            e: GlideException?, model: Any?, target: Target<Drawable>, isFirstResource: Boolean
        ): Boolean = end(false)

        override fun onResourceReady(
            resource: Drawable, model: Any, target: Target<Drawable>, dataSource: DataSource, isFirstResource: Boolean
        ): Boolean = end(true)

        /** False: Glide goes on and shows the image. */
        private fun end(isLoaded: Boolean): Boolean {
            ended(isLoaded)
            return false
        }
    }
}
