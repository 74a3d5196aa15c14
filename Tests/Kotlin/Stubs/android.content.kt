// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled.
package android.content

import android.content.res.Resources
import android.graphics.drawable.Drawable
import android.net.ConnectivityManager
import java.io.File

class ContentResolver

open class Context {
    val resources = Resources()
    val contentResolver = ContentResolver()
    val filesDir = File("files")
    private val connectivity = ConnectivityManager()

    fun getSystemService(name: String): Any = connectivity.also { check(name == CONNECTIVITY_SERVICE) }

    fun getDrawable(id: Int): Drawable? = object : Drawable() {}.also { check(id != 0) }

    companion object {
        const val CONNECTIVITY_SERVICE = "connectivity"
    }
}
