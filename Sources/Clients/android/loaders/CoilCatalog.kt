package tessera.loaders

import android.content.Context
import android.graphics.Bitmap
import android.graphics.drawable.BitmapDrawable
import coil.ImageLoader
import coil.intercept.Interceptor
import coil.memory.MemoryCache
import coil.request.ImageRequest
import coil.request.ImageResult
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import tessera.catalog.CatalogEntry
import tessera.catalog.ImageFile
import tessera.catalog.Prefetch
import tessera.catalog.Prefetcher
import tessera.catalog.pixels

/** The images of a catalog with Coil 2, for an app to copy; README.md shows how to use it, and what differs in Coil 3. */
class CoilCatalog(
    /** The app's, with [OneRequestPerFile] among its components. */
    val loader: ImageLoader
) {
    /**
     * The request for an image. Until its file has loaded it shows the best file of the image in the memory cache, or else
     * the placeholder.
     *
     * @param context the view's.
     * @param file the one for the place; null if there is none.
     */
    fun request(context: Context, image: CatalogEntry, file: ImageFile?): ImageRequest.Builder {
        val waiting = image.image.placeholder?.pixels()?.let {
            val bitmap = Bitmap.createBitmap(it.argb, it.width, it.height, Bitmap.Config.ARGB_8888)
            BitmapDrawable(context.resources, bitmap)
        }
        val builder = if (file == null) ImageRequest.Builder(context) else request(context, file)
        return builder.placeholder(waiting).fallback(waiting)
            .placeholderMemoryCacheKey(file?.let { wanted -> image.cachedFile(wanted) { isCached(it) } }?.reference)
    }

    /** The request for a file, which Coil's caches know by its reference. The file has this size, so nothing scales it. */
    fun request(context: Context, file: ImageFile): ImageRequest.Builder =
        ImageRequest.Builder(context).data(file.url).size(file.width, file.height)
            .memoryCacheKey(file.reference).diskCacheKey(file.reference)

    /** Loads files into the caches before their views appear. Use it on the main thread. */
    fun prefetcher(context: Context, prefetch: Prefetch = Prefetch()) =
        Prefetcher(prefetch, { isCached(it) }) { file, ended ->
            val request = request(context, file).listener(onError = { _, _ -> ended() }, onSuccess = { _, _ -> ended() })
            loader.enqueue(request.build())::dispose
        }

    private fun isCached(reference: String): Boolean = loader.memoryCache?.get(MemoryCache.Key(reference)) != null
}

/**
 * Lets a request wait for another one in flight with the same key, and then find its file in the memory cache: Coil 2 would
 * download the file for both, such as for a view that appears while its file is prefetched.
 */
class OneRequestPerFile : Interceptor {
    private class Turn(val mutex: Mutex = Mutex(), var users: Int = 0)

    private val turns = HashMap<String, Turn>()

    override suspend fun intercept(chain: Interceptor.Chain): ImageResult {
        val key = chain.request.memoryCacheKey?.key ?: return chain.proceed(chain.request)
        val turn = synchronized(turns) { turns.getOrPut(key) { Turn() }.also { it.users++ } }
        try {
            return turn.mutex.withLock { chain.proceed(chain.request) }
        } finally {
            synchronized(turns) { if (--turn.users == 0) turns.remove(key) }
        }
    }
}
