// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
package android.graphics.drawable

import android.content.res.Resources
import android.graphics.Bitmap

abstract class Drawable

class BitmapDrawable(val resources: Resources, val bitmap: Bitmap) : Drawable()
