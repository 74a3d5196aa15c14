// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
package android.graphics

class Bitmap {
    enum class Config { ARGB_8888 }

    companion object {
        fun createBitmap(colors: IntArray, width: Int, height: Int, config: Config): Bitmap {
            check(colors.size == width * height && config == Config.ARGB_8888)
            return Bitmap()
        }
    }
}
