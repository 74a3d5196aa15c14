// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled; tests look at what a view shows.
package android.view

import android.view.animation.Animation

open class View {
    var animation: Animation? = null
        private set
    var click: ((View) -> Unit)? = null
        private set

    fun startAnimation(animation: Animation) {
        this.animation = animation
    }

    fun clearAnimation() {
        animation = null
    }

    fun hasOnClickListeners() = click != null

    fun setOnClickListener(listener: ((View) -> Unit)?) {
        click = listener
    }
}
