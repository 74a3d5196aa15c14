// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled.
@file:Suppress("UNUSED_PARAMETER")

package android.view.animation

abstract class Animation {
    var duration = 0L
    var repeatMode = 0
    var repeatCount = 0

    companion object {
        const val REVERSE = 2
        const val INFINITE = -1
    }
}

class AlphaAnimation(from: Float, to: Float) : Animation()
