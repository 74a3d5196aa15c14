// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled.
package android.widget

import android.graphics.drawable.Drawable
import android.view.View

class ImageView : View() {
    var shown: Drawable? = null
        private set

    fun setImageDrawable(drawable: Drawable?) {
        shown = drawable
    }
}
