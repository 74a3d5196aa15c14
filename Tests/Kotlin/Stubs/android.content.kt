// Stubs: the declarations of Android that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
package android.content

import android.content.res.Resources

open class Context {
    val resources = Resources()
}
