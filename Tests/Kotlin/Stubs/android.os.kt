// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
@file:Suppress("UNUSED_PARAMETER")

package android.os

object Build {
    object VERSION {
        const val SDK_INT = 34
    }
}

class Looper {
    companion object {
        fun getMainLooper(): Looper = Looper()
    }
}

class Handler(looper: Looper) {
    fun post(runnable: () -> Unit): Boolean = true
}
