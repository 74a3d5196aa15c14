package tessera.catalog

// One function for each JSON object with known members. Those that this version does not know are ignored.

internal fun Node.head(images: (formats: List<Format>) -> ImageList): Catalog {
    if (this["schema"].value.string != Catalog.SCHEMA) {
        this["schema"].mismatch("\"${Catalog.SCHEMA}\", the only version that this library reads")
    }
    val formats = this["formats"].list { it.format() }
    return Catalog(
        Catalog.SCHEMA, this["generator"].generator(), this["pipeline"].pipeline(), optional("baseURL")?.baseURL(),
        formats, this["slots"].named { it.slot() }, this["scales"].list { it.int() }, this["digest"].text(), images(formats),
        optional("tables")?.value, optional("parts")?.list { it.part() } ?: emptyList())
}

private fun Node.generator() = Generator(this["name"].text(), this["version"].text(), this["libvips"].text())

private fun Node.pipeline() = Pipeline(this["name"].text(), this["fingerprint"].text())

internal fun Node.format() = Format(
    this["type"].text(), optional("extension")?.extension(), optional("recipe")?.hexadecimal(16), optional("fallback")?.boolean(),
    optional("dynamicRange")?.text())

private fun Node.slot() =
    Slot(optional("width")?.int(), optional("height")?.int(), this["mode"].word(Mode.values()) { it.word })

internal fun Node.image(formats: List<Format>) = Image(
    this["id"].text(), optional("url")?.text(), this["status"].word(Status.values()) { it.word },
    optional("width")?.int(), optional("height")?.int(), optional("format")?.text(), optional("alpha")?.boolean(),
    optional("animated")?.boolean(), optional("frames")?.int(), optional("error")?.failure(),
    optional("warnings")?.list { it.text() }, optional("placeholder")?.placeholder(),
    variants(formats), optional("slots")?.named { it.slotUse() } ?: emptyMap(),
    source(), optional("provenance")?.provenance(), optional("alt")?.text(), optional("focus")?.focus(),
    // A `null` is a value here.
    value["extra"])

private fun Node.failure() = Failure(this["code"].text(), this["message"].text(), this["retryable"].boolean())

private fun Node.placeholder() = Placeholder(
    optional("color")?.text(), optional("thumbhash")?.text(), optional("blurhash")?.text(), optional("lqip")?.text(),
    optional("css")?.int())

private fun Node.slotUse() = SlotUse(
    optional("width")?.int(), optional("height")?.int(), optional("variants")?.list { it.int() } ?: emptyList(),
    optional("image")?.size())

private fun Node.size() = Size(this["width"].int(), this["height"].int())

private fun Node.provenance() = Provenance(
    optional("url")?.text(), optional("bytes")?.long(), this["sha256"].text(), optional("width")?.int(),
    optional("height")?.int(), optional("orientation")?.int(), optional("colourSpace")?.text(),
    optional("profile")?.text(), optional("etag")?.text(), optional("lastModified")?.text(), optional("robots")?.text())

private fun Node.focus(): Focus {
    val numbers = value.list?.map { it.double }
    if (numbers?.size != 2) fail("expected two numbers from 0 to 1")
    val (x, y) = numbers
    if (x == null || y == null || x !in 0.0..1.0 || y !in 0.0..1.0) fail("expected two numbers from 0 to 1")
    return Focus(x, y)
}

/** What paths may be joined to: a URL of the web, or one without a scheme, which is relative to the catalog's. */
private fun Node.baseURL(): String {
    val url = text()
    val hasScheme = ':' in url.takeWhile { it != '/' }
    val isBase = if (hasScheme) isServiceURL(url) else url == "" || isServiceURL("http://$url")
    return if (isBase) url else mismatch("a URL that begins with http:// or https://, or one without a scheme")
}

private fun Node.part(): String =
    if (partPath.matches(text())) text() else mismatch("a path such as screens/feed/3f9c….json")

private val partPath = Regex("screens/[A-Za-z0-9][A-Za-z0-9_-]*/[0-9a-f]{32}\\.json")

/** A URL of a service becomes a part of markup and headers, so it has no character that ends it there. */
internal fun isServiceURL(url: String): Boolean {
    val start = when {
        url.startsWith("http://") -> 7
        url.startsWith("https://") -> 8
        else -> return false
    }
    return url.length > start && url.none { it <= ' ' || it in '\u007f'..'\u009f' || it in "\"<>\\" }
}
