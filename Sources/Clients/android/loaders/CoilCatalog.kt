package tessera.loaders

import android.content.Context
import coil.ImageLoader
import coil.memory.MemoryCache
import coil.request.ImageRequest
import tessera.catalog.CatalogEntry
import tessera.catalog.ImageFile
import tessera.catalog.Prefetch
import tessera.catalog.Prefetcher

/** The images of a catalog with Coil 2, for an app to copy; README.md shows how to use it, and what differs in Coil 3. */
class CoilCatalog(private val context: Context, val loader: ImageLoader) {
    /**
     * The request for an image. Until its file has loaded it shows the best file of the image in the memory cache, or else
     * the placeholder.
     *
     * @param file the one for the place; null if there is none.
     */
    fun request(image: CatalogEntry, file: ImageFile?): ImageRequest.Builder {
        val waiting = image.placeholder?.let { drawable(context, it) }
        val builder = if (file == null) ImageRequest.Builder(context) else request(file)
        return builder.placeholder(waiting).fallback(waiting)
            .placeholderMemoryCacheKey(file?.let { wanted -> image.cachedFile(wanted) { isCached(it) } }?.reference)
    }

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
        return CatalogScreen(context, prefetcher) { view, image, file -> loader.enqueue(request(image, file).target(view).build()) }
    }

    private fun isCached(reference: String): Boolean = loader.memoryCache?.get(MemoryCache.Key(reference)) != null
}
