package tessera.check

import tessera.catalog.CatalogException
import tessera.catalog.CatalogIndex
import tessera.catalog.JsonParser

/** Counts comparisons, and keeps those that failed. */
class Check {
    var count = 0
        private set
    val failures = ArrayList<String>()

    fun equal(found: Any?, expected: Any?, about: Any?) {
        count++
        if (found != expected) failures.add("$about: found $found, expected $expected")
    }

    /** The error of a body that must fail; null if it did not. */
    fun error(about: Any?, body: () -> Unit): CatalogException? {
        count++
        try {
            body()
        } catch (error: CatalogException) {
            return error
        }
        failures.add("$about: there is no error")
        return null
    }

    /** Prints one line for a part. Returns whether all is well. */
    fun report(part: String): Boolean {
        println("$part: $count comparisons, ${failures.size} failures")
        for (failure in failures.take(20)) println("  $failure")
        return failures.isEmpty()
    }
}

/** A catalog of a test. */
fun open(text: String, from: String? = "https://example.com/feed/catalog.json") = CatalogIndex(text.toByteArray(), everything, from)

val everything = setOf("image/webp", "image/avif", "image/jpeg", "image/png", "image/gif")

fun json(bytes: ByteArray): Any? = JsonParser(String(bytes), "").document()

@Suppress("UNCHECKED_CAST")
operator fun Any?.get(name: String): Any? = (this as? Map<String, Any?>)?.getOrDefault(name, null)

fun Any?.text(): String = this as? String ?: ""

fun Any?.list(): List<Any?> = this as? List<*> ?: emptyList()

fun Any?.texts(): List<String> = list().map { it.text() }

/** Texts stand for the numbers that JSON does not have. */
fun Any?.number(): Double? = when (this) {
    "nan" -> Double.NaN
    "inf" -> Double.POSITIVE_INFINITY
    "-inf" -> Double.NEGATIVE_INFINITY
    else -> (this as? Number)?.toDouble()
}

fun Any?.int(): Int = number()?.toInt() ?: 0

/** A generator of pseudorandom numbers with a seed (SplitMix64), as the Swift tests use it. */
class SplitMix(private var state: Long) {
    fun next(): Long {
        state += -0x61c8864680b583ebL
        var bits = state
        bits = (bits xor (bits ushr 30)) * -0x40a7b892e31b1a47L
        bits = (bits xor (bits ushr 27)) * -0x6b2fb644ecceee15L
        return bits xor (bits ushr 31)
    }

    fun below(limit: Int): Int = ((next() ushr 1) % limit).toInt()
}
