package tessera.check

import java.io.ByteArrayInputStream
import java.io.InputStream
import tessera.catalog.Catalog
import tessera.catalog.CatalogPages
import tessera.catalog.CatalogReader
import tessera.catalog.canonicalJson
import tessera.catalog.contentDigest
import tessera.catalog.json.CanonicalJson

/** A stream that returns at most so many bytes at a time. */
class Pieces(bytes: ByteArray, private val size: Int) : InputStream() {
    private val all = ByteArrayInputStream(bytes)

    override fun read(): Int = all.read()

    override fun read(bytes: ByteArray, offset: Int, length: Int): Int = all.read(bytes, offset, minOf(size, length))
}

/** A catalog with every member, unusual spelling and unknown members; and what can be wrong with one. */
class Reading(private val check: Check) {
    private val file = "variants/aa/" + "a".repeat(32) + "-1x1.webp"
    private val head = """{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0",""" +
        """"libvips":"8.14.1"},"pipeline":{"name":"feed","fingerprint":"00"},""" +
        """"slots":{"card":{"width":180,"mode":"fit"}},"scales":[1,2]"""
    private val images = listOf(
        """{"id":"a","url":"https://a/ä\u00e4\ud83d\ude00\n.jpg","status":"ok","width":30,"height":40,""" +
            """"format":"jpeg","alpha":false,"animated":true,"frames":2,"warnings":["odd"],""" +
            """"placeholder":{"color":"#010203","thumbhash":"AA","blurhash":"LL","lqip":"data:,"},""" +
            """"variants":[{"path":"$file","type":"image/webp","width":30,"height":40,"bytes":9,"sha256":"ab",""" +
            """"quality":71,"score":69,"fallback":"webp-size-limit","also":[{"path":"$file","type":"image/png","bytes":7,"sha256":"cd",""" +
            """"quality":72,"score":-3,"fallback":"x"},{"url":"https://a/ä","type":"image/avif"}]},""" +
            """{"path":"$file","url":"http://a","bytes":1,"type":"image/webp","width":1,"height":1}],""" +
            """"slots":{"card":{"width":180,"height":240,"variants":[0,0]}},"source":{"url":"u",""" +
            """"bytes":1,"sha256":"ef","width":40,"height":30,"orientation":6,"colourSpace":"rgb","profile":"sRGB",""" +
            """"etag":"e","lastModified":"l","robots":"noindex"},"alt":"\"}]\\","focus":[0.5,1],""" +
            """"extra":{"n":[1,2.5,-3e2,null,true,false,"x",{}]},"later":{"a":[{}]}}""",
        """{"id":"b","url":"u","status":"failed","error":{"code":"c","message":"m","retryable":true}}""",
        """ { "id" : "c" , "url" : "u" , "status" : "stale" , "width" : null , "variants" : [ ] } """)
    private val json = head + ",\"later\":[1],\"images\":[\n" + images.joinToString(",\n") + "\n]}\n"
    private val lines = "$head,\"later\":[1]}\n" + images.joinToString("\n") + "\n"

    fun run() {
        val expected = Catalog.read(json.toByteArray())
        check.equal(expected.images.size, 3, "images")
        check.equal(expected.images[0].url, "https://a/ää😀\n.jpg", "escapes")
        check.equal(expected.images[0].alt, "\"}]\\", "escapes")
        check.equal(expected.images[0].extra?.get("n")?.list?.get(2)?.long, -300L, "a number")
        for (size in listOf(1, 7, 100, 100_000)) pieces(size, expected)
        check.equal(Catalog.read(expected.canonicalJson()), expected, "another order of members")
        cutOff()
        counts()
        errors()
        numbers()
        strayBrackets()
        deepNesting()
        places()
        pages()
    }

    private fun pieces(size: Int, expected: Catalog) {
        val digests = HashSet<String?>()
        for (text in listOf(json, lines)) {
            val reader = CatalogReader(Pieces(text.toByteArray(), size), checksDigest = true)
            val images = reader.images.map { image ->
                check.equal(reader.head?.scales, listOf(1, 2), "the head before the images, pieces of $size")
                image
            }.toList()
            check.equal(images, expected.images, "pieces of $size")
            digests.add(reader.digest)
            check.equal(Catalog.read(Pieces(text.toByteArray(), size)), expected, "pieces of $size")
        }
        check.equal(digests.size, 1, "the digests of both forms in pieces of $size")
    }

    /** A catalog that is cut off anywhere is rejected; JSON Lines without a number may end after any line. */
    private fun cutOff() {
        val bytes = json.toByteArray()
        for (count in 0 until bytes.size - 1) {
            check.error("$count bytes") { Catalog.read(bytes.copyOf(count)) }
        }
    }

    private fun counts() {
        for (stated in 0..4) {
            val counted = "$head,\"count\":$stated"
            for (text in listOf(
                counted + ",\"images\":[" + images.joinToString(",") + "]}", "$counted}\n" + images.joinToString("\n")
            )) {
                if (stated == 3) {
                    check.equal(Catalog.read(text.toByteArray()).images.size, 3, text)
                } else {
                    val error = check.error(text) { Catalog.read(text.toByteArray()) }
                    check.equal(error?.reason, "the catalog has 3 of its $stated images", text)
                }
            }
        }
    }

    /** The same errors as in Tests/CatalogTests/ReadingTests.swift. */
    private fun errors() {
        val image = "$head,\"images\":[\n{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\""
        for ((text, expected) in listOf(
            "5" to "line 1, column 1: expected an object; this is not a catalog",
            "" to "line 1, column 1: the catalog is cut off here",
            "{\"schema\":\"tessera-catalog/2\"}" to "line 1, column 11: schema: expected \"tessera-catalog/1\", the " +
                "only version that this library reads, found \"tessera-catalog/2\"",
            "{}" to "line 1, column 3: the member \"schema\" is missing; this may not be a catalog",
            "$head,\"images\":[\n{\"id\":\"a\"}]}" to "line 2, column 1: images[0]: \"status\" is missing",
            "$image,\"width\":1.5}]}" to
                "line 2, column 43: images[0].width: expected a whole number, found 1.5",
            "$image,\"width\":007}]}" to
                "line 2, column 43: images[0].width: expected a whole number, found 007",
            "$image,\"id\":\"b\"}]}" to "line 2, column 35: images[0].id: duplicate member \"id\"",
            "$image,\"extra\":{\"a\":[{\"b\":1,\"b\":2}]}}]}" to
                "line 2, column 56: images[0].extra.a[0].b: duplicate member \"b\"",
            "$head,\"images\":[\n],\"x\"\n :true\"y\"}" to "line 3, column 7: x: expected \",\" or \"}\"",
            "$head,\"images\":[\n{\"id\":\"a\",\n\"" to "line 3, column 2: the catalog is cut off here",
            "$head,\"scales\":[1]}" to "line 1, column 213: scales: duplicate member \"scales\"",
            "$head,5:1}" to "line 1, column 204: expected a member's name in quotes",
            "$head,\"images\":[]} x" to "line 1, column 217: expected nothing after the catalog",
            "$head,\"digest\":\"ab\"}" to "line 1, column 218: the catalog was altered: its digest is " +
                "34a54821a1b424aa52937a4538dc36faf569ac7996352300eccdd818266c8371, and it states ab"
        )) {
            val error = check.error(text) { Catalog.read(text.toByteArray(), checksDigest = "altered" in expected) }
            check.equal(error?.message, expected, text)
        }
    }

    /** Numbers as ECMAScript writes them: RFC 8785, appendix B, and what readers other than this one round. */
    private fun numbers() {
        for ((text, expected) in listOf(
            "-0" to "0", "1.0" to "1", "1E2" to "100", "5e-324" to "5e-324", "1.7976931348623157e308" to
                "1.7976931348623157e+308", "9007199254740993" to "9007199254740993",
            "295147905179352830000" to "295147905179352830000", "1e21" to "1e+21", "1e-7" to "1e-7",
            "0.000001" to "0.000001", "333333333.3333333" to "333333333.3333333",
            "333333333.33333329" to "333333333.3333333", "4.50" to "4.5", "2e-3" to "0.002",
            "1e23" to "1e+23", "9.5367431640625e-7" to "9.5367431640625e-7", "2e400" to "1.7976931348623157e+308",
            "0.3" to "0.3", "2.2250738585072014e-308" to "2.2250738585072014e-308",
            "12345678901234567890" to "12345678901234567000", "9223372036854775807" to "9223372036854775807"
        )) check.equal(CanonicalJson.number(text), expected, text)
    }

    /** A bracket that nothing opened is one bad image of JSON Lines, not one that is skipped indefinitely. */
    private fun strayBrackets() {
        for (bracket in listOf("}", "]", ",")) {
            val problems = ArrayList<String>()
            val text = "$head}\n${images[1]}$bracket\n${images[2]}\n"
            val catalog = Catalog.read(text.toByteArray()) { problems.add("${it.member}: ${it.reason}") }
            check.equal(catalog.images.map { it.id }, listOf("b", "c"), text)
            check.equal(problems, listOf("images[1]: expected an object, found $bracket"), text)
        }
    }

    /** Lines and columns are right beyond the bytes that are held at a time, also after images that were skipped. */
    private fun places() {
        val bad = "{\"id\":\"a\",\n \"url\":5}"
        val text = StringBuilder("$head}\n")
        for (line in 0 until 3_000) text.append(if (line % 1_000 == 0) bad else images[1]).append("\n")
        text.append("5")
        for (size in listOf(7, 100_000)) {
            val problems = ArrayList<String>()
            val error = check.error("places") {
                Catalog.read(Pieces(text.toString().toByteArray(), size)) { problems.add("${it.line}:${it.column}") }
            }
            check.equal(problems, listOf("3:8", "1004:8", "2005:8"), "places, pieces of $size")
            check.equal(error?.message, "line 3005, column 2: the catalog is cut off here", "places")
        }
        // The end of the buffer is at each byte of an image once.
        for (count in 0..images[1].length) {
            val whole = head + "}" + " ".repeat(count) + ("\n" + images[1]).repeat(1_500)
            check.equal(Catalog.read(Pieces(whole.toByteArray(), 100_000)).images.size, 1_500, "$count spaces")
        }
    }

    private fun pages() {
        fun page(digit: String) = """{"path":"catalog/${digit.repeat(32)}.json","count":2,"bytes":9,"digest":"d"}"""
        fun index(vararg pages: String) =
            """{"schema":"tessera-catalog-pages/1","count":2,"digest":"e","later":1,"pages":[${pages.joinToString()}]}"""
        val old = CatalogPages.read(index(page("a"), page("b")).toByteArray())
        val new = CatalogPages.read(index(page("a"), page("c")).toByteArray())
        check.equal(new.newSince(old).map { it.path }, listOf("catalog/${"c".repeat(32)}.json"), "pages")
        for (text in listOf("{}", "[]", index().replace("pages/1", "pages/2"), index(page("x")), index("{}"))) {
            check.error(text) { CatalogPages.read(text.toByteArray()) }
        }
        val error = check.error("pages") { CatalogPages.read(index(page("a"), page("../")).toByteArray()) }
        check.equal(error?.member, "pages[1]", "pages")
    }

    private fun deepNesting() {
        val deep = "[".repeat(100_000) + "]".repeat(100_000)
        val text = "$head,\"images\":[{\"id\":\"a\",\"url\":\"u\",\"status\":\"ok\",\"extra\":$deep}]}"
        val error = check.error("deep nesting") { Catalog.read(text.toByteArray()) }
        check.equal(error?.reason, "nested more than 64 levels deep", "deep nesting")
    }

    /** A catalog that a run wrote, and an altered copy. */
    fun digest(bytes: ByteArray, lines: ByteArray) {
        for (form in listOf(bytes, lines)) {
            val catalog = Catalog.read(form, checksDigest = true)
            check.equal(catalog.contentDigest(), catalog.digest, "the digest of a catalog that a run wrote")
            val altered = String(form).replaceFirst("\"ok\"", "\"stale\"").toByteArray()
            val error = check.error("altered") { Catalog.read(altered, checksDigest = true) }
            check.equal(error?.reason?.take(23), "the catalog was altered", "altered")
            Catalog.read(altered)
        }
    }
}
