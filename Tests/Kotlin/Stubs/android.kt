// The declarations of Android that Sources/Clients/android/README.md uses, so that its code can be compiled.
package android.stubs

class Resources

open class Context {
    val resources = Resources()
}

abstract class Drawable

class Bitmap {
    enum class Config { ARGB_8888 }

    companion object {
        fun createBitmap(colors: IntArray, width: Int, height: Int, config: Config): Bitmap {
            check(colors.size == width * height && config == Config.ARGB_8888)
            return Bitmap()
        }
    }
}

class BitmapDrawable(val resources: Resources, val bitmap: Bitmap) : Drawable()

class ImageView

object Build {
    object VERSION {
        const val SDK_INT = 34
    }
}
