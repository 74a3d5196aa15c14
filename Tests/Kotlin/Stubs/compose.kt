// Stubs: the declarations of Compose 1, and of Coil 2 for it, that Sources/Clients/android/README.md uses. Nothing is run.
@file:Suppress("UNUSED_PARAMETER")

package compose.stubs

import android.content.Context
import coil.ImageLoader

annotation class Composable

class Dp

val Int.dp: Dp get() = Dp()

interface Modifier {
    companion object : Modifier
}

fun Modifier.size(width: Dp, height: Dp): Modifier = this

class Density(val density: Float)

class CompositionLocal<Value>(val current: Value)

val LocalDensity = CompositionLocal(Density(3f))

val LocalContext = CompositionLocal(Context())

fun <Value> remember(key1: Any?, key2: Any?, calculation: () -> Value): Value = calculation()

@Composable
fun AsyncImage(
    model: Any?, contentDescription: String?, imageLoader: ImageLoader, modifier: Modifier = Modifier
) = Unit
