package tessera.check

import java.io.File
import tessera.catalog.CatalogIndex
import tessera.catalog.Focus
import tessera.catalog.ImageFile
import tessera.catalog.JsonParser
import tessera.catalog.Size

/** A catalog with every member, unusual spelling and unknown members; and what can be wrong with one. */
class Reading(private val check: Check) {
    private val source = "0123456789abcdef".repeat(2)
    private val recipe = "fedcba9876543210"
    private val formats = """[{"type":"image/webp","extension":"webp","recipe":"$recipe"},{"type":"image/avif"},""" +
        """{"type":"image/jpeg","extension":"jpg","recipe":"$recipe","fallback":true},""" +
        """{"type":"image/jpeg","extension":"jpg","recipe":"$recipe","dynamicRange":"high"}]"""
    private val head = """"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0",""" +
        """"libvips":"8.14.1"},"pipeline":{"name":"feed","fingerprint":"00"},"formats":$formats,""" +
        """"slots":{"card":{"width":180,"mode":"fit"}},"scales":[1,2],"later":[1]"""
    private val images = listOf(
        """{"id":"a","url":"https://a/ä\u00e4\ud83d\ude00\n.jpg","status":"ok","width":30,"height":40,""" +
            """"format":"jpeg","alpha":false,"animated":true,"frames":2,"warnings":["odd"],""" +
            """"placeholder":{"color":"#010203","thumbhash":"AA","blurhash":"LL"},""" +
            """"variants":[{"width":30,"height":40,"crop":"89abcdef","fallback":"webp-size-limit","bytes":[9,8,null,7],""" +
            """"urls":[null,"https://a/ä"],"sha256":["ab"],"stills":[0,3],"headroom":2.5,""" +
            """"original":{"url":"https://a/o","type":"image/gif","bytes":5}},""" +
            """{"bytes":[null,2],"urls":[null,null,"http://a"],"width":1,"height":1}],""" +
            """"slots":{"card":{"width":180,"height":240,"variants":[0,0]},"hero":{}},"source":"$source","provenance":{"url":"u",""" +
            """"bytes":1,"sha256":"ef","width":40,"height":30,"orientation":6,"colourSpace":"rgb","profile":"sRGB",""" +
            """"etag":"e","lastModified":"l","robots":"noindex"},"alt":"\"}]\\","focus":[0.5,1],""" +
            """"extra":{"n":[1,2.5,-3e2,null,true,false,"x",{}]},"later":{"a":[{}]}}""",
        """{"id":"b\"\u00e4","url":"u","status":"failed","error":{"code":"c","message":"m","retryable":true}}""",
        """{"id":"c" , "url" : "u" , "status" : "stale" , "width" : null , "variants" : [ ], "extra":null }""",
        """{"id":"a","status":"pending"}""")

    /** A document whose digest nothing checks. */
    private fun document(head: String = this.head, lines: List<String> = images, count: Int = lines.size) =
        "{\"digest\":\"${"0".repeat(64)}\",$head,\"count\":$count,\"images\":[\n${lines.joinToString(",\n")}" +
            (if (lines.isEmpty()) "" else "\n") + "]}\n"

    fun run(golden: ByteArray) {
        members()
        cutOff()
        errors()
        json()
        parts()
        millions()
        val url = "https://example.com/feed/catalog.json"
        val catalog = CatalogIndex(golden, everything, url, checksDigest = true)
        check.equal(catalog.images.size > 0, true, "a catalog of a run")
        for (image in catalog.images) check.equal(catalog.image(image.id)?.id, image.id, "ids")
        val altered = String(golden).replaceFirst("\"ok\"", "\"stale\"").toByteArray()
        val error = check.error("altered") { CatalogIndex(altered, everything, url, checksDigest = true) }
        check.equal(error?.message?.take(48), "line 1: digest: the catalog was altered: it stat", "altered")
        CatalogIndex(altered, everything, url)
        val file = File.createTempFile("catalog", ".json")
        file.writeBytes(golden)
        check.equal(CatalogIndex.open(file, everything, url, checksDigest = true).digest, catalog.digest, "a file")
        file.delete()
    }

    private fun members() {
        val index = open(document())
        check.equal(index.images.size, 4, "images")
        val first = index.images[0]
        check.equal(first.url, "https://a/ää😀\n.jpg", "escapes")
        check.equal(first.alt, "\"}]\\", "escapes")
        check.equal(first.focus, Focus(0.5, 1.0), "focus")
        val numbers = listOf(1L, 2.5, -300L, null, true, false, "x", emptyMap<String, Any?>())
        check.equal(first.extra["n"], numbers, "extra")
        fun path(extension: String) = "variants/01/23/$source-30x40-89abcdef-$recipe.$extension"
        fun files(files: List<ImageFile>) = files.map { listOf(it.reference, it.type, it.width, it.height, it.bytes, it.isAnimated, it.crop) }
        check.equal(files(first.variants[0].files), listOf(
            listOf(path("webp"), "image/webp", 30, 40, 9L, false, "89abcdef"),
            listOf("https://a/ä", "image/avif", 30, 40, 8L, true, "89abcdef"),
            listOf("https://a/o", "image/gif", 30, 40, 5L, true, "89abcdef")), "files")
        check.equal(first.variants[0].highDynamicRange?.reference, path("jpg"), "files")
        check.equal(
            files(first.variants[1].files), listOf(listOf("http://a", "image/jpeg", 1, 1, null, true, null)), "files")
        check.equal(first.slots, setOf("card", "hero"), "slots")
        check.equal(listOf("card", "hero", "none").map { first.box(it) }, listOf(Size(180, 240), null, null), "boxes")
        check.equal(first.error, null, "no error")
        check.equal(index.images[1].error?.code, "c", "an error")
        check.equal(index.images[2].width, null, "a null that stands for nothing")
        val ids = listOf("a", "b\"ä", "c", "d")
        check.equal(ids.map { index.image(it)?.id }, ids.take(3) + null as String?, "ids")
        check.equal(index.image("a")?.width, 30, "of two images with one id the first counts")
        check.equal(open(document(lines = emptyList())).images.size, 0, "no images")
    }

    /** A catalog that is cut off anywhere is rejected. */
    private fun cutOff() {
        val bytes = document().toByteArray()
        for (count in bytes.indices) {
            check.error("$count bytes") { CatalogIndex(bytes.copyOf(count), everything, "https://example.com/catalog.json") }
        }
    }

    /** The same sentences as in Tests/Web/node.mjs. */
    private fun errors() {
        val notACatalog = "line 1: expected a catalog, which begins with {\"digest\":\" and 64 hexadecimal digits"
        fun image(members: String) = document(lines = listOf("{\"id\":\"a\",\"status\":\"ok\",$members}"))
        val one = image("\"width\":1")
        for ((text, expected) in listOf(
            "5" to notACatalog,
            "\ufeff{}" to notACatalog,
            one.dropLast(1) to "line 1: the catalog is cut off",
            one.replace("\"images\":[\n", "\"images\":[ \n") to
                "line 1: expected \"images\":[ at the end of the first line, and an image on each other line",
            one.replace("\"count\":1", "\"count\":3") to "line 1: the catalog has 1 of its 3 images",
            one.replace("}\n]", "},\n]") to "line 2: expected a comma after each image but the last",
            one.replace("catalog/1", "catalog/2") to "line 1: schema: expected \"tessera-catalog/1\", the only version " +
                "that this library reads, found \"tessera-catalog/2\"",
            one.replace("\"formats\"", "\"x\"") to "line 1: \"formats\" is missing",
            document(lines = listOf("{\"id\":\"a\"}")) to "line 2: images[0]: \"status\" is missing",
            document(lines = listOf("5")) to "line 2: images[0]: expected an object, found 5",
            one.replace("\"ok\"", "\"new\"") to
                "line 2: images[0].status: expected one of \"ok\", \"stale\", \"failed\", \"pending\", found \"new\"",
            image("\"variants\":[{\"width\":\"wide\",\"height\":1}]") to
                "line 2: images[0].variants[0].width: expected a whole number, found \"wide\"",
            image("\"variants\":[{\"width\":1,\"height\":1}]") to "line 2: images[0].variants[0]: expected a file or a URL",
            image("\"variants\":[{\"width\":1,\"height\":1,\"bytes\":[7]}]") to "line 2: images[0]: \"source\" is missing",
            image("\"variants\":[{\"width\":1,\"height\":1,\"urls\":[null,null,null,null,null]}]") to
                "line 2: images[0].variants[0].urls: expected at most 4 values, found 5",
            image("\"source\":\"ab\"") to "line 2: images[0].source: expected 32 hexadecimal digits, found \"ab\"",
            image("\"width\":1.5") to "line 2: images[0].width: expected a whole number, found 1.5",
            image("\"width\":9223372036854775808") to
                "line 2: images[0].width: expected a whole number, found 9.223372036854776E18",
            image("\"variants\":{}") to "line 2: images[0].variants: expected an array",
            image("\"slots\":{\"card\":{\"width\":1,\"height\":true,\"variants\":[]}}") to
                "line 2: images[0].slots.card.height: expected a whole number, found true"
        )) {
            val error = check.error(text) { open(text).images.toList() }
            check.equal(error?.message, expected, text)
        }
        val bytes = image("\"alt\":\"äx\"").toByteArray()
        bytes[bytes.indexOf(0xA4.toByte())] = 0x78
        val error = check.error("UTF-8") { CatalogIndex(bytes, everything, "https://example.com/catalog.json").images.toList() }
        check.equal(error?.message, "line 2: images[0]: expected UTF-8", "UTF-8")
    }

    /** What is JSON (RFC 8259), and what is not. */
    private fun json() {
        for (text in listOf(
            "", " ", "{", "[", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":1 \"b\":2}", "01", "-", "1.", ".5",
            "1e", "+1", "0x1", "NaN", "nul", "True", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u٠٠٠٠\"", "\"\t\"", "\"\n\"", "1 1", "'a'",
            "[1]]", "\u0000", "[" + "\u00a0]", "[".repeat(66) + "]".repeat(66), "[".repeat(100_000)
        )) {
            check.error(text.take(80)) {
                open(document(lines = listOf("{\"id\":\"a\",\"status\":\"ok\",\"extra\":$text}"))).images[0]
            }
        }
        for ((text, value) in listOf(
            " [ 1 , \"a\" ] " to listOf(1L, "a"), "-0" to 0L, "1.0" to 1L, "1E+2" to 100L,
            "-9223372036854775808" to Long.MIN_VALUE, "1e400" to Double.POSITIVE_INFINITY, "2.5e-1" to 0.25, "1e18" to 1e18,
            "\"\\u00e4\\\"\\\\\\/\\b\\f\\n\\r\\t\u007f\"" to "ä\"\\/\b\u000C\n\r\t\u007f",
            "{\"a\":1,\"a\":true}" to mapOf("a" to true), "[".repeat(65) + "]".repeat(65) to null
        )) JsonParser(text, "").document().let { check.equal(it, value ?: it, text) }
    }

    private fun parts() {
        val paths = listOf("a", "b").map { "screens/feed/${it.repeat(32)}.json" }
        val text = document("$head,\"baseURL\":\"../../\",\"parts\":[${paths.joinToString { "\"$it\"" }}]")
        val first = open(text, "https://a.example/feed/screens/feed/first.json")
        check.equal(first.parts, paths.map { "https://a.example/feed/$it" }, "parts")
        check.equal(open(document()).parts, emptyList<String>(), "no parts")
    }

    /** A hostile catalog with a million slots costs time and memory, and nothing else. */
    private fun millions() {
        val slots = (0 until 1_000_000).joinToString(",") { "\"$it\":{\"mode\":\"fit\"}" }
        val image = "{\"id\":\"a\",\"status\":\"failed\",\"slots\":{\"card\":{},\"7\":{}}}"
        val index = open(document(head.replace("\"slots\":{", "\"slots\":{$slots,"), listOf(image)))
        check.equal(index.slots.size, 1_000_001, "a million slots")
        check.equal(listOf("card", "7").map { index.images[0].box(it) }, listOf(Size(180, 180), null), "a million slots")
    }
}
