// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled; tests say whether people want less motion.
@file:Suppress("UNUSED_PARAMETER")

package android.provider

import android.content.ContentResolver

class Settings {
    object Global {
        const val ANIMATOR_DURATION_SCALE = "animator_duration_scale"
        var scale = 1f

        fun getFloat(resolver: ContentResolver, name: String, default: Float): Float = scale.also { check(name == ANIMATOR_DURATION_SCALE) }
    }
}
