package tessera.catalog

import java.security.MessageDigest
import java.util.TreeMap
import tessera.catalog.json.Ascii
import tessera.catalog.json.ByteList
import tessera.catalog.json.CanonicalJson

/**
 * The catalog as canonical JSON (RFC 8785), without [Catalog.digest] and without the number of images. Equal catalogs
 * have equal bytes, whichever form they were read from.
 *
 * Members that this version does not know are not in it, so for a catalog of a later version its SHA-256 is another
 * than [Catalog.digest]; a reader that checks the digest includes them.
 */
fun Catalog.canonicalJson(): ByteArray {
    val output = ByteList(1 shl 16)
    writeCanonicalJson { bytes, count -> output.add(bytes, 0, count) }
    return output.toByteArray()
}

/** SHA-256 of [canonicalJson] in hexadecimal, without holding its bytes. */
fun Catalog.contentDigest(): String {
    val hash = MessageDigest.getInstance("SHA-256")
    writeCanonicalJson { bytes, count -> hash.update(bytes, 0, count) }
    return CanonicalHashing.hexadecimal(hash.digest())
}

/**
 * The catalog as JSON with its digest and the number of its images, which come last: what an app stores of a catalog that
 * it has read or patched, so that the next patch applies to it.
 */
fun Catalog.json(): ByteArray {
    val members = TreeMap<String, CatalogValue>(headMembers())
    members["count"] = CatalogValue.Whole(images.size.toLong())
    val output = ByteList(1 shl 16)
    output.add(Ascii.OPEN_OBJECT)
    for ((name, value) in members) {
        CanonicalJson.addString(name, output)
        output.add(Ascii.COLON)
        value.addCanonicalJson(output)
        output.add(Ascii.COMMA)
    }
    CanonicalJson.addString("images", output)
    output.add(Ascii.COLON)
    output.add(Ascii.OPEN_LIST)
    images.forEachIndexed { index, image ->
        if (index > 0) output.add(Ascii.COMMA)
        CatalogValue.Members(image.members()).addCanonicalJson(output)
    }
    output.add(Ascii.CLOSE_LIST)
    output.add(Ascii.CLOSE_OBJECT)
    return output.toByteArray()
}

/** Passes on the bytes in parts, image by image. */
private fun Catalog.writeCanonicalJson(write: (bytes: ByteArray, count: Int) -> Unit) {
    val head = headMembers()
    head.remove("digest")
    val part = ByteList(4096)
    part.add(Ascii.OPEN_OBJECT)
    var isFirst = true
    for (name in (head.keys + "images").sorted()) {
        if (!isFirst) part.add(Ascii.COMMA)
        isFirst = false
        CanonicalJson.addString(name, part)
        part.add(Ascii.COLON)
        head[name]?.addCanonicalJson(part)
        if (name != "images") continue
        part.add(Ascii.OPEN_LIST)
        images.forEachIndexed { index, image ->
            if (index > 0) part.add(Ascii.COMMA)
            CatalogValue.Members(image.members()).addCanonicalJson(part)
            write(part.bytes, part.size)
            part.clear()
        }
        part.add(Ascii.CLOSE_LIST)
    }
    part.add(Ascii.CLOSE_OBJECT)
    write(part.bytes, part.size)
}

/** Collects the members of a record that are not null. */
private class MemberTree {
    val values = LinkedHashMap<String, CatalogValue>()

    fun put(name: String, value: String?) = add(name, value?.let { CatalogValue.Text(it) })
    fun put(name: String, value: Int?) = add(name, value?.let { CatalogValue.Whole(it.toLong()) })
    fun put(name: String, value: Long?) = add(name, value?.let { CatalogValue.Whole(it) })
    fun put(name: String, value: Double?) = add(name, value?.let { numberValue(it) })
    fun put(name: String, value: Boolean?) = add(name, value?.let { CatalogValue.Flag(it) })
    fun put(name: String, value: MemberTree?) = add(name, value?.let { CatalogValue.Members(it.values) })

    fun <Value> putList(name: String, list: List<Value>?, tree: (Value) -> CatalogValue) =
        add(name, list?.let { values -> CatalogValue.Elements(values.map(tree)) })

    fun <Value> putMap(name: String, map: Map<String, Value>, tree: (Value) -> MemberTree) =
        add(name, CatalogValue.Members(map.mapValues { CatalogValue.Members(tree(it.value).values) }))

    fun add(name: String, value: CatalogValue?) {
        if (value != null) values[name] = value
    }
}

private inline fun tree(add: MemberTree.() -> Unit): MemberTree {
    val tree = MemberTree()
    tree.add()
    return tree
}

private fun whole(value: Int): CatalogValue = CatalogValue.Whole(value.toLong())

/** Everything but the images, as a tree. */
internal fun Catalog.headMembers(): MutableMap<String, CatalogValue> = tree {
    put("schema", schema)
    put("generator", tree {
        put("name", generator.name)
        put("version", generator.version)
        put("libvips", generator.libvips)
    })
    put("pipeline", tree {
        put("name", pipeline.name)
        put("fingerprint", pipeline.fingerprint)
    })
    put("baseURL", baseURL)
    putMap("slots", slots) {
        tree {
            put("width", it.width)
            put("height", it.height)
            put("mode", it.mode.word)
        }
    }
    putList("scales", scales) { whole(it) }
    add("tables", tables)
    put("digest", digest)
}.values

/** The image as a tree. */
internal fun Image.members(): MutableMap<String, CatalogValue> = tree {
    put("id", id)
    put("url", url)
    put("status", status.word)
    put("width", width)
    put("height", height)
    put("format", format)
    put("alpha", alpha)
    put("animated", animated)
    put("frames", frames)
    put("error", error?.let { tree(it) })
    putList("warnings", warnings) { CatalogValue.Text(it) }
    put("placeholder", placeholder?.let { tree(it) })
    // A failed image has neither variants nor slots. One that has some all the same keeps them.
    if (status != Status.FAILED || variants.isNotEmpty() || slots.isNotEmpty()) {
        putList("variants", variants) { CatalogValue.Members(tree(it).values) }
        putMap("slots", slots) { tree(it) }
    }
    put("source", source?.let { tree(it) })
    put("alt", alt)
    focus?.let { putList("focus", listOf(it.x, it.y)) { number -> numberValue(number) } }
    add("extra", extra)
}.values

private fun tree(error: Failure) = tree {
    put("code", error.code)
    put("message", error.message)
    put("retryable", error.retryable)
}

private fun tree(placeholder: Placeholder) = tree {
    put("color", placeholder.color)
    put("thumbhash", placeholder.thumbhash)
    put("blurhash", placeholder.blurhash)
    put("lqip", placeholder.lqip)
    put("css", placeholder.css)
}

private fun tree(use: SlotUse) = tree {
    put("width", use.width)
    put("height", use.height)
    put("image", use.image?.let { size ->
        tree {
            put("width", size.width)
            put("height", size.height)
        }
    })
    put("cropped", use.cropped)
    putList("variants", use.variants) { whole(it) }
}

private fun tree(variant: Variant) = tree {
    put("path", variant.path)
    put("url", variant.url)
    put("type", variant.type)
    put("width", variant.width)
    put("height", variant.height)
    put("bytes", variant.bytes)
    put("original", variant.original)
    put("sha256", variant.sha256)
    put("quality", variant.quality)
    put("score", variant.score)
    put("fallback", variant.fallback)
    putList("also", variant.also) { CatalogValue.Members(tree(it).values) }
}

private fun tree(other: Alternative) = tree {
    put("path", other.path)
    put("url", other.url)
    put("type", other.type)
    put("bytes", other.bytes)
    put("sha256", other.sha256)
    put("quality", other.quality)
    put("score", other.score)
    put("fallback", other.fallback)
    put("dynamicRange", other.dynamicRange)
    put("headroom", other.headroom)
}

private fun tree(source: Source) = tree {
    put("url", source.url)
    put("bytes", source.bytes)
    put("sha256", source.sha256)
    put("width", source.width)
    put("height", source.height)
    put("orientation", source.orientation)
    put("colourSpace", source.colourSpace)
    put("profile", source.profile)
    put("etag", source.etag)
    put("lastModified", source.lastModified)
    put("robots", source.robots)
}
