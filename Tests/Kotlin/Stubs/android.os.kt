// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled; tests run what is posted.
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
    fun post(runnable: () -> Unit): Boolean = posted.add(Pair(0L, Runnable(runnable)))

    fun postDelayed(runnable: Runnable, milliseconds: Long): Boolean = posted.add(Pair(milliseconds, runnable))

    fun removeCallbacks(runnable: Runnable) {
        posted.removeAll { it.second === runnable }
    }

    companion object {
        val posted = ArrayList<Pair<Long, Runnable>>()

        /** Runs what is due. */
        fun run(milliseconds: Long = 0) {
            while (true) posted.firstOrNull { it.first <= milliseconds }?.also { posted.remove(it) }?.second?.run() ?: return
        }
    }
}
