// The declarations of Compose, and of Coil 2 for it, that Sources/Clients/android/README.md uses.
@file:Suppress("UNUSED_PARAMETER")

package compose.stubs

import android.stubs.Bitmap

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

fun <Value> remember(key: Any?, calculation: () -> Value): Value = calculation()

abstract class Painter

class ImageBitmap

fun Bitmap.asImageBitmap(): ImageBitmap = ImageBitmap()

class BitmapPainter(val image: ImageBitmap) : Painter()

@Composable
fun AsyncImage(
    model: Any?, contentDescription: String?, modifier: Modifier = Modifier, placeholder: Painter? = null
) = Unit
