package tessera.loaders

import android.content.Context
import coil.ImageLoader
import coil.dispose
import coil.memory.MemoryCache
import coil.request.ImageRequest
import tessera.catalog.ImageFile
import tessera.catalog.Prefetch
import tessera.catalog.Prefetcher

/** The images of a catalog with Coil 2, for an app to copy; Pipelines/APPS.md shows how to use it. With Coil 3, import from `coil3`. */
class CoilCatalog(private val context: Context, val loader: ImageLoader) {
    /** The request for a file, which Coil's caches know by its reference. The file has this size, so nothing scales it. */
    fun request(file: ImageFile): ImageRequest.Builder =
        ImageRequest.Builder(context).data(file.url).size(file.width, file.height)
            .memoryCacheKey(file.reference).diskCacheKey(file.reference)

    /** Loads and shows the files of a screen. Coil has no priorities: what is upcoming is kept to few requests instead. */
    fun screen(prefetch: Prefetch = Prefetch()): CatalogScreen {
        val prefetcher = Prefetcher(prefetch, { isCached(it) }, ::timer) { file, _, ended ->
            val request = request(file).listener(onError = { _, _ -> ended(false) }, onSuccess = { _, _ -> ended(true) })
            loader.enqueue(request.build())::dispose
        }
        return CatalogScreen(context, prefetcher) { view, file ->
            if (file == null) view.dispose() else loader.enqueue(request(file).target(view).build())
        }
    }

    private fun isCached(reference: String): Boolean = loader.memoryCache?.get(MemoryCache.Key(reference)) != null
}
