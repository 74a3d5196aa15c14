// Stubs: the declarations of Coil 2 that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
package coil.intercept

import coil.request.ImageRequest
import coil.request.ImageResult

interface Interceptor {
    suspend fun intercept(chain: Chain): ImageResult

    interface Chain {
        val request: ImageRequest

        suspend fun proceed(request: ImageRequest): ImageResult
    }
}
