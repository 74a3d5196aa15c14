package tessera.catalog

import tessera.catalog.json.JsonFailure
import tessera.catalog.json.JsonScanner
import tessera.catalog.json.int
import tessera.catalog.json.list
import tessera.catalog.json.optional
import tessera.catalog.json.skip
import tessera.catalog.json.string

/** Collects the members of a document that are not images, in whatever order they arrive. */
internal class HeadReader {
    private val seen = HashSet<String>()
    private var schema: String? = null
    private var generator: Generator? = null
    private var pipeline: Pipeline? = null
    private var baseURL: String? = null
    private var slots: Map<String, Slot>? = null
    private var scales: List<Int>? = null
    private var digest: String? = null
    private var tables: CatalogValue? = null
    /** The number of images that the catalog states; null if an older version wrote it. */
    var count: Int? = null
        private set

    /** The first required member that has not arrived; null if the head is complete. */
    val missing: String?
        get() = when {
            schema == null -> "schema"
            generator == null -> "generator"
            pipeline == null -> "pipeline"
            slots == null -> "slots"
            scales == null -> "scales"
            else -> null
        }

    /** The catalog without its images; null until all required members have arrived. */
    val head: Catalog?
        get() {
            return Catalog(
                schema ?: return null, generator ?: return null, pipeline ?: return null, baseURL,
                slots ?: return null, scales ?: return null, digest,
                tables = tables)
        }

    /** Reads the value of one member. */
    fun read(name: String, scanner: JsonScanner) {
        val start = scanner.start()
        if (!seen.add(name)) throw JsonFailure(start, "duplicate member \"$name\"").within(name)
        try {
            readValue(name, scanner)
        } catch (failure: JsonFailure) {
            throw failure.within(name)
        }
        val base = baseURL
        if (name == "baseURL" && base != null && !isBase(base)) {
            throw JsonFailure(
                start, "expected a URL that begins with http:// or https://, or one without a scheme, found \"${base.take(80)}\""
            ).within(name)
        }
        val found = schema
        if (name == "schema" && found != Catalog.SCHEMA) {
            throw JsonFailure(
                start, "expected \"${Catalog.SCHEMA}\", the only version that this library reads, found \"$found\""
            ).within(name)
        }
    }

    private fun readValue(name: String, scanner: JsonScanner) {
        when (name) {
            "schema" -> schema = scanner.string()
            "generator" -> generator = scanner.generator()
            "pipeline" -> pipeline = scanner.pipeline()
            "baseURL" -> baseURL = scanner.optional { scanner.string() }
            "slots" -> slots = scanner.named { scanner.slot() }
            "scales" -> scales = scanner.list { scanner.int() }
            "digest" -> digest = scanner.optional { scanner.string() }
            "tables" -> tables = scanner.optional { scanner.value() }
            "count" -> count = scanner.optional { scanner.int() }
            else -> scanner.skip()
        }
    }
}
