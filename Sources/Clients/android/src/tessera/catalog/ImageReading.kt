package tessera.catalog

import tessera.catalog.json.JsonFailure
import tessera.catalog.json.JsonScanner
import tessera.catalog.json.int
import tessera.catalog.json.list
import tessera.catalog.json.members
import tessera.catalog.json.optional
import tessera.catalog.json.skip
import tessera.catalog.json.string

/** The members of an image, as they are read. */
private class ImageMembers {
    var id: String? = null
    var url: String? = null
    var status: Status? = null
    var width: Int? = null
    var height: Int? = null
    var format: String? = null
    var alpha: Boolean? = null
    var animated: Boolean? = null
    var frames: Int? = null
    var error: Failure? = null
    var warnings: List<String>? = null
    var placeholder: Placeholder? = null
    var variants: List<Variant> = emptyList()
    var slots: Map<String, SlotUse> = emptyMap()
    var source: Source? = null
    var alt: String? = null
    var focus: Focus? = null
    var extra: CatalogValue? = null

    fun image(start: Int): Image {
        fun missing(name: String): Nothing = throw JsonFailure(start, "\"$name\" is missing")
        return Image(
            id ?: missing("id"), url, status ?: missing("status"), width, height, format, alpha,
            animated, frames, error, warnings, placeholder, variants, slots, source, alt, focus, extra)
    }
}

/** Reads an image, and checks its paths and URLs. */
internal fun JsonScanner.image(): Image {
    val start = start()
    val found = ImageMembers()
    members { name -> if (!basics(name, found) && !details(name, found)) skip() }
    val image = found.image(start)
    checkReferences(image, start)
    return image
}

private fun JsonScanner.basics(name: String, found: ImageMembers): Boolean {
    when (name) {
        "id" -> found.id = string()
        "url" -> found.url = optional { string() }
        "status" -> found.status = word(Status.values()) { it.word }
        "width" -> found.width = optional { int() }
        "height" -> found.height = optional { int() }
        "format" -> found.format = optional { sharedString() }
        "placeholder" -> found.placeholder = optional { placeholder() }
        "variants" -> found.variants = list { variant() }
        "slots" -> found.slots = named { slotUse() }
        else -> return false
    }
    return true
}

private fun JsonScanner.details(name: String, found: ImageMembers): Boolean {
    when (name) {
        "alpha" -> found.alpha = optional { boolean() }
        "animated" -> found.animated = optional { boolean() }
        "frames" -> found.frames = optional { int() }
        "error" -> found.error = optional { failure() }
        "warnings" -> found.warnings = optional { list { string() } }
        "source" -> found.source = optional { source() }
        "alt" -> found.alt = optional { string() }
        "focus" -> found.focus = optional { focus() }
        // A `null` is a value here.
        "extra" -> found.extra = value()
        else -> return false
    }
    return true
}

/**
 * A catalog may come from anywhere, and apps join its paths to URLs and folders: a path is one that a run makes, which
 * leads nowhere else. A URL leads to a service, and has no characters that are not part of a URL.
 */
private fun checkReferences(image: Image, offset: Int) {
    image.variants.forEachIndexed { index, variant ->
        try {
            checkReferences(variant.path, variant.url, offset)
            variant.also?.forEachIndexed { place, other ->
                try {
                    checkReferences(other.path, other.url, offset)
                } catch (failure: JsonFailure) {
                    throw failure.within("[$place]").within("also")
                }
            }
        } catch (failure: JsonFailure) {
            throw failure.within("[$index]").within("variants")
        }
    }
}

private fun checkReferences(path: String?, url: String?, offset: Int) {
    fun failure(name: String, found: String, expected: String): Nothing =
        throw JsonFailure(offset, "expected $expected, found \"${found.take(80)}\"").within(name)
    if (path != null && !isVariantPath(path)) {
        failure("path", path, "a path such as variants/3f/3f9c…-192x256.webp")
    }
    if (url != null && !isServiceURL(url)) failure("url", url, "a URL that begins with http:// or https://")
}

/** Whether a text is a URL of the schemes that services have, without characters that end it in markup and headers. */
/** Whether paths may be joined to it: a URL of the web, or one without a scheme, which is relative to the catalog's. */
internal fun isBase(text: String): Boolean {
    val hasScheme = ':' in text.takeWhile { it != '/' }
    return if (hasScheme) isServiceURL(text) else text == "" || isServiceURL("http://$text")
}

internal fun isServiceURL(url: String): Boolean {
    val start = when {
        url.startsWith("http://") -> 7
        url.startsWith("https://") -> 8
        else -> return false
    }
    return url.length > start && url.none { it <= ' ' || it in '\u007f'..'\u009f' || it in "\"<>\\" }
}

/** Whether a path has the form `variants/3f/3f9c…-192x256.webp`, with 32 hexadecimal digits. */
internal fun isVariantPath(path: String): Boolean {
    if (!path.startsWith("variants/") || path.length < 45) return false
    if (!path.startsWith(path.substring(9, 11), 12) || path[11] != '/' || path[44] != '-') return false
    for (index in 12 until 44) if (!isHexadecimal(path[index])) return false
    var place = 45
    // Digits, "x", digits, "." and an extension.
    for (separator in charArrayOf('x', '.')) {
        val start = place
        while (place < path.length && path[place] in '0'..'9') place++
        if (place - start !in 1..9 || place == path.length || path[place] != separator) return false
        place++
    }
    val extension = path.length - place
    return extension in 1..8 && (place until path.length).all { path[it] in 'a'..'z' || path[it] in '0'..'9' }
}

private fun isHexadecimal(letter: Char): Boolean = letter in '0'..'9' || letter in 'a'..'f'
