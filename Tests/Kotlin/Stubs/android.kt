// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled.
@file:Suppress("ClassName")

package android

class R {
    object drawable {
        const val stat_notify_sync = 17301624
    }
}
