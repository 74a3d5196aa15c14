// The declarations of Coil 2 and Glide 4 that Sources/Clients/android/README.md uses.
@file:Suppress("UNUSED_PARAMETER")

package loaders.stubs

import android.stubs.Context
import android.stubs.Drawable
import android.stubs.ImageView

class ImageRequest {
    class Builder(val context: Context) {
        fun data(data: Any?): Builder = this
        fun size(width: Int, height: Int): Builder = this
        fun placeholder(drawable: Drawable?): Builder = this
        fun target(imageView: ImageView): Builder = this
        fun build(): ImageRequest = ImageRequest()
    }
}

class ImageLoader {
    fun enqueue(request: ImageRequest) = Unit
}

val Context.imageLoader: ImageLoader get() = ImageLoader()

class RequestManager {
    fun load(string: String?): RequestBuilder = RequestBuilder()
}

class RequestBuilder {
    fun override(width: Int, height: Int): RequestBuilder = this
    fun placeholder(drawable: Drawable?): RequestBuilder = this
    fun into(view: ImageView) = Unit
}

object Glide {
    fun with(context: Context): RequestManager = RequestManager()
}
