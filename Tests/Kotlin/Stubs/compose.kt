// Stubs: the declarations of Compose 1, and of Coil 2 for it, that Pipelines/APPS.md uses, and what an app has
// beside them. Nothing is run.
@file:Suppress("UNUSED_PARAMETER")

package compose.stubs

import coil.ImageLoader
import kotlin.reflect.KProperty
import tessera.catalog.ImageState
import tessera.catalog.Placeholder

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

fun <Value> remember(key1: Any?, calculation: () -> Value): Value = calculation()

class MutableState<Value>(var value: Value)

fun <Value> mutableStateOf(value: Value) = MutableState(value)

operator fun <Value> MutableState<Value>.getValue(thisObj: Any?, property: KProperty<*>): Value = value

operator fun <Value> MutableState<Value>.setValue(thisObj: Any?, property: KProperty<*>, value: Value) {
    this.value = value
}

class DisposableEffectResult

class DisposableEffectScope {
    fun onDispose(effect: () -> Unit) = DisposableEffectResult()
}

@Composable
fun DisposableEffect(key1: Any?, effect: DisposableEffectScope.() -> DisposableEffectResult) = Unit

@Composable
fun AsyncImage(
    model: Any?, contentDescription: String?, imageLoader: ImageLoader, modifier: Modifier = Modifier
) = Unit

// In an app, these types are annotated @Composable.
typealias Content = (Modifier, Placeholder?) -> Unit

typealias RetryContent = (Modifier, () -> Unit) -> Unit

object R {
    object drawable {
        const val retry = 1
    }
}

class Call {
    fun cancel() = Unit
}

val memory = HashSet<String>()

fun start(url: String, priority: Int, ended: (ByteArray?) -> Unit) = Call()

fun after(seconds: Double, body: () -> Unit): () -> Unit = {}

fun redraw(reference: String, state: ImageState) = Unit
