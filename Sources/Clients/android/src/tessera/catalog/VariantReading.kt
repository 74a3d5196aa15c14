package tessera.catalog

// What differs by format is in the order of the head's formats, `null` for those that a variant does not have.

internal fun Node.source(): String? = optional("source")?.hexadecimal(32)

/** The variants of an image. The names of their files follow from the source, the size and the format. */
internal fun Node.variants(formats: List<Format>): List<Variant> {
    val source = source()
    return optional("variants")?.list { variant ->
        val sizes = variant.values("bytes", formats) { it.long() }
        if (source == null && sizes.any { it != null }) fail("\"source\" is missing")
        variant.variant(source, sizes, formats)
    } ?: emptyList()
}

private fun Node.variant(source: String?, sizes: List<Long?>, formats: List<Format>): Variant {
    val (width, height) = Pair(this["width"].int(), this["height"].int())
    val crop = optional("crop")?.hexadecimal(8)
    val urls = values("urls", formats) { it.url() }
    val stills = optional("stills")?.list { it.int() } ?: emptyList()
    val files = ArrayList<VariantFile>(formats.size)
    var highDynamicRange: VariantFile? = null
    formats.forEachIndexed { place, format ->
        val (size, url) = Pair(sizes.getOrNull(place), urls.getOrNull(place))
        val name = if (crop == null) "${width}x$height" else "${width}x$height-$crop"
        val path = if (size == null || source == null || format.recipe == null || format.extension == null) null
        else "variants/${source.take(2)}/${source.substring(2, 4)}/$source-$name-${format.recipe}.${format.extension}"
        if (path != null || url != null) {
            val file = VariantFile(path, url, format.type, size, place in stills)
            if (format.dynamicRange == null) files.add(file) else if (format.dynamicRange == "high") highDynamicRange = file
        }
    }
    optional("original")?.let {
        files.add(VariantFile(null, it["url"].url(), it["type"].text(), it.optional("bytes")?.long(), false))
    }
    if (files.isEmpty()) fail("expected a file or a URL")
    return Variant(
        width, height, crop, optional("fallback")?.text(), files, highDynamicRange, optional("headroom")?.headroom())
}

private fun <Value> Node.values(name: String, formats: List<Format>, read: (Node) -> Value): List<Value?> {
    val node = optional(name) ?: return emptyList()
    val values = node.list { if (it.value === CatalogValue.Null) null else read(it) }
    if (values.size > formats.size) node.fail("expected at most ${formats.size} values, found ${values.size}")
    return values
}

private fun Node.url(): String =
    text().takeIf { isServiceURL(it) } ?: mismatch("a URL that begins with http:// or https://")

private fun Node.headroom(): Double =
    value.double?.takeIf { it >= 1 && !it.isInfinite() } ?: fail("expected a number of at least 1")

// Paths are made of these, and apps join paths to URLs and folders, so a path leads nowhere else.

internal fun Node.hexadecimal(count: Int): String = text().takeIf { text ->
    text.length == count && text.all { it in '0'..'9' || it in 'a'..'f' }
} ?: mismatch("$count hexadecimal digits")

internal fun Node.extension(): String = text().takeIf { text ->
    text.length in 1..9 && text.all { it in '0'..'9' || it in 'a'..'z' }
} ?: mismatch("an extension such as webp")
