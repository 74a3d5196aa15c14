// Stubs: the declarations of Coil 2 that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
@file:Suppress("UNUSED_PARAMETER")

package coil.request

import android.content.Context
import android.widget.ImageView

interface Disposable {
    fun dispose()
}

abstract class ImageResult

abstract class SuccessResult : ImageResult()

abstract class ErrorResult : ImageResult()

class ImageRequest {
    class Builder(context: Context) {
        fun data(data: Any?): Builder = this
        fun size(width: Int, height: Int): Builder = this
        fun memoryCacheKey(key: String?): Builder = this
        fun diskCacheKey(key: String?): Builder = this
        fun target(imageView: ImageView): Builder = this
        fun listener(
            onStart: (request: ImageRequest) -> Unit = {},
            onCancel: (request: ImageRequest) -> Unit = {},
            onError: (request: ImageRequest, result: ErrorResult) -> Unit = { _, _ -> },
            onSuccess: (request: ImageRequest, result: SuccessResult) -> Unit = { _, _ -> }
        ): Builder = this
        fun build(): ImageRequest = ImageRequest()
    }
}
