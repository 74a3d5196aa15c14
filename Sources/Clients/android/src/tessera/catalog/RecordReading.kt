package tessera.catalog

import tessera.catalog.json.JsonFailure
import tessera.catalog.json.JsonScanner
import tessera.catalog.json.doubleOf
import tessera.catalog.json.elements
import tessera.catalog.json.int
import tessera.catalog.json.list
import tessera.catalog.json.long
import tessera.catalog.json.members
import tessera.catalog.json.number
import tessera.catalog.json.optional
import tessera.catalog.json.skip
import tessera.catalog.json.string

// One function for each JSON object with known members. A `null` stands for an absent optional member; unknown members
// are checked and ignored.

private fun missing(name: String, start: Int): Nothing = throw JsonFailure(start, "\"$name\" is missing")

internal fun JsonScanner.generator(): Generator {
    val start = start()
    var name: String? = null
    var version: String? = null
    var libvips: String? = null
    members { member ->
        when (member) {
            "name" -> name = string()
            "version" -> version = string()
            "libvips" -> libvips = string()
            else -> skip()
        }
    }
    return Generator(
        name ?: missing("name", start), version ?: missing("version", start), libvips ?: missing("libvips", start))
}

internal fun JsonScanner.pipeline(): Pipeline {
    val start = start()
    var name: String? = null
    var fingerprint: String? = null
    members { member ->
        when (member) {
            "name" -> name = string()
            "fingerprint" -> fingerprint = string()
            else -> skip()
        }
    }
    return Pipeline(name ?: missing("name", start), fingerprint ?: missing("fingerprint", start))
}

internal fun JsonScanner.slot(): Slot {
    val start = start()
    var width: Int? = null
    var height: Int? = null
    var mode: Mode? = null
    members { member ->
        when (member) {
            "width" -> width = optional { int() }
            "height" -> height = optional { int() }
            "mode" -> mode = word(Mode.values()) { it.word }
            else -> skip()
        }
    }
    return Slot(width, height, mode ?: missing("mode", start))
}

internal fun JsonScanner.slotUse(): SlotUse {
    val start = start()
    var width: Int? = null
    var height: Int? = null
    var image: Size? = null
    var cropped: Boolean? = null
    var variants: List<Int>? = null
    members { member ->
        when (member) {
            "width" -> width = int()
            "height" -> height = int()
            "image" -> image = optional { size() }
            "cropped" -> cropped = optional { boolean() }
            "variants" -> variants = list { int() }
            else -> skip()
        }
    }
    return SlotUse(
        width ?: missing("width", start), height ?: missing("height", start), variants ?: missing("variants", start),
        image, cropped)
}

private fun JsonScanner.size(): Size {
    val start = start()
    var width: Int? = null
    var height: Int? = null
    members { member ->
        when (member) {
            "width" -> width = int()
            "height" -> height = int()
            else -> skip()
        }
    }
    return Size(width ?: missing("width", start), height ?: missing("height", start))
}

internal fun JsonScanner.failure(): Failure {
    val start = start()
    var code: String? = null
    var message: String? = null
    var retryable: Boolean? = null
    members { member ->
        when (member) {
            "code" -> code = sharedString()
            "message" -> message = string()
            "retryable" -> retryable = boolean()
            else -> skip()
        }
    }
    return Failure(
        code ?: missing("code", start), message ?: missing("message", start),
        retryable ?: missing("retryable", start))
}

internal fun JsonScanner.placeholder(): Placeholder {
    var color: String? = null
    var thumbhash: String? = null
    var blurhash: String? = null
    var lqip: String? = null
    var css: Int? = null
    members { member ->
        when (member) {
            "color" -> color = optional { string() }
            "thumbhash" -> thumbhash = optional { string() }
            "blurhash" -> blurhash = optional { string() }
            "lqip" -> lqip = optional { string() }
            "css" -> css = optional { int() }
            else -> skip()
        }
    }
    return Placeholder(color, thumbhash, blurhash, lqip, css)
}

internal fun JsonScanner.alternative(): Alternative {
    val start = start()
    var path: String? = null
    var url: String? = null
    var type: String? = null
    var bytes: Long? = null
    var sha256: String? = null
    var fallback: String? = null
    var quality: Int? = null
    var score: Int? = null
    var dynamicRange: String? = null
    var headroom: Double? = null
    members { member ->
        when (member) {
            "path" -> path = optional { string() }
            "url" -> url = optional { string() }
            "type" -> type = sharedString()
            "bytes" -> bytes = optional { long() }
            "sha256" -> sha256 = optional { string() }
            "fallback" -> fallback = optional { sharedString() }
            "quality" -> quality = optional { int() }
            "score" -> score = optional { int() }
            "dynamicRange" -> dynamicRange = optional { sharedString() }
            "headroom" -> headroom = optional { ratio() }
            else -> skip()
        }
    }
    if (path == null && url == null) missing("path", start)
    return Alternative(
        path, url, type ?: missing("type", start), if (path == null) bytes else bytes ?: missing("bytes", start),
        sha256, fallback, quality, score, dynamicRange, headroom)
}

internal fun JsonScanner.variant(): Variant {
    val start = start()
    var path: String? = null
    var url: String? = null
    var type: String? = null
    var width: Int? = null
    var height: Int? = null
    var bytes: Long? = null
    var sha256: String? = null
    var fallback: String? = null
    var quality: Int? = null
    var score: Int? = null
    var also: List<Alternative>? = null
    var original: Boolean? = null
    members { member ->
        when (member) {
            "path" -> path = optional { string() }
            "url" -> url = optional { string() }
            "type" -> type = sharedString()
            "width" -> width = int()
            "height" -> height = int()
            "bytes" -> bytes = optional { long() }
            "original" -> original = optional { boolean() }
            "sha256" -> sha256 = optional { string() }
            "fallback" -> fallback = optional { sharedString() }
            "quality" -> quality = optional { int() }
            "score" -> score = optional { int() }
            "also" -> also = optional { list { alternative() } }
            else -> skip()
        }
    }
    if (path == null && url == null) missing("path", start)
    return Variant(
        path, url, type ?: missing("type", start), width ?: missing("width", start), height ?: missing("height", start),
        if (path == null) bytes else bytes ?: missing("bytes", start), sha256, fallback, also, quality, score,
        original)
}

internal fun JsonScanner.source(): Source {
    val start = start()
    val texts = HashMap<String, String?>()
    var bytes: Long? = null
    var width: Int? = null
    var height: Int? = null
    var orientation: Int? = null
    var sha256: String? = null
    members { member ->
        when (member) {
            "bytes" -> bytes = optional { long() }
            "sha256" -> sha256 = string()
            "width" -> width = optional { int() }
            "height" -> height = optional { int() }
            "orientation" -> orientation = optional { int() }
            "url", "colourSpace", "profile", "etag", "lastModified", "robots" ->
                texts[member] = optional { string() }
            else -> skip()
        }
    }
    return Source(
        texts["url"], bytes, sha256 ?: missing("sha256", start), width, height, orientation, texts["colourSpace"],
        texts["profile"], texts["etag"], texts["lastModified"], texts["robots"])
}

internal fun JsonScanner.focus(): Focus {
    val start = start()
    val numbers = ArrayList<Double>(2)
    elements { numbers.add(doubleOf(number())) }
    if (numbers.size != 2 || numbers.any { it < 0 || it > 1 }) {
        throw JsonFailure(start, "expected two numbers from 0 to 1")
    }
    return Focus(numbers[0], numbers[1])
}

/** A number that is at least 1. */
internal fun JsonScanner.ratio(): Double {
    val start = start()
    val number = number().toDouble()
    if (number < 1 || number.isInfinite()) throw JsonFailure(start, "expected a number of at least 1")
    return number
}

/** Reads an object with free names. */
internal inline fun <Value> JsonScanner.named(read: () -> Value): Map<String, Value> {
    val values = LinkedHashMap<String, Value>(8)
    members { name -> values[name] = read() }
    return values
}

/** Reads a word from a fixed list. */
internal inline fun <Word> JsonScanner.word(words: Array<Word>, crossinline text: (Word) -> String): Word {
    val start = start()
    val found = sharedString()
    for (word in words) if (text(word) == found) return word
    val listed = words.joinToString { "\"${text(it)}\"" }
    throw JsonFailure(start, "expected one of $listed, found \"$found\"")
}
