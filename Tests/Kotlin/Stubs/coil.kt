// Stubs: the declarations of Coil 2 that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
@file:Suppress("UNUSED_PARAMETER")

package coil

import android.content.Context
import coil.intercept.Interceptor
import coil.memory.MemoryCache
import coil.request.Disposable
import coil.request.ImageRequest

interface ImageLoader {
    val memoryCache: MemoryCache?

    fun enqueue(request: ImageRequest): Disposable

    class Builder(context: Context) {
        fun components(builder: ComponentRegistry.Builder.() -> Unit): Builder = this
        fun build(): ImageLoader = throw NotImplementedError()
    }
}

class ComponentRegistry {
    class Builder {
        fun add(interceptor: Interceptor): Builder = this
    }
}
