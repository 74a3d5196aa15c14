// Stubs: the declarations of kotlinx.coroutines 1 that Sources/Clients/android uses. Nothing is run.
@file:Suppress("UNUSED_PARAMETER")

package kotlinx.coroutines.sync

interface Mutex

@Suppress("FunctionName")
fun Mutex(locked: Boolean = false): Mutex = throw NotImplementedError()

@Suppress("RedundantSuspendModifier")
suspend inline fun <Value> Mutex.withLock(owner: Any? = null, action: () -> Value): Value = action()
