package tessera.check

import tessera.catalog.CatalogException
import tessera.catalog.CatalogValue
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

fun json(bytes: ByteArray): CatalogValue = JsonParser(String(bytes), "").document()

fun CatalogValue?.text(): String = this?.string ?: ""

fun CatalogValue?.texts(): List<String> = (this?.list ?: emptyList()).map { it.text() }

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
