// Stubs: the declarations of Coil 2 that Sources/Clients/android uses, so that its code can be compiled. Nothing is run.
package coil.memory

interface MemoryCache {
    operator fun get(key: Key): Value?

    class Key(val key: String, val extras: Map<String, String> = emptyMap())

    class Value
}
