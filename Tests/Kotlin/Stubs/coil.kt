// Stubs: the declarations of Coil 2 that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
@file:Suppress("UNUSED_PARAMETER")

package coil

import android.content.Context
import android.widget.ImageView
import coil.memory.MemoryCache
import coil.request.Disposable
import coil.request.ImageRequest
import coil.request.ImageResult

interface ImageLoader {
    val memoryCache: MemoryCache?

    fun enqueue(request: ImageRequest): Disposable

    class Builder(context: Context) {
        fun build(): ImageLoader = throw NotImplementedError()
    }
}

fun ImageView.dispose() = Unit

val Context.imageLoader: ImageLoader get() = throw NotImplementedError()

fun ImageLoader.executeBlocking(request: ImageRequest): ImageResult = throw NotImplementedError()
