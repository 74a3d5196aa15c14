package tessera.catalog.json

/**
 * Reads a value of any kind and appends it as canonical JSON (RFC 8785): members sorted by the UTF-16 of their names,
 * no white space, numbers and strings as ECMAScript writes them. Two texts with equal values have equal bytes.
 *
 * Integers of up to 64 bits keep all their digits, which the RFC would round to a Double.
 */
internal fun JsonScanner.canonical(output: ByteList, depth: Int = 0) {
    when (kind(depth)) {
        JsonKind.OBJECT -> canonicalObject(output, depth)
        JsonKind.LIST -> {
            output.add(Ascii.OPEN_LIST)
            var isFirst = true
            elements {
                if (!isFirst) output.add(Ascii.COMMA)
                isFirst = false
                canonical(output, depth + 1)
            }
            output.add(Ascii.CLOSE_LIST)
        }
        JsonKind.STRING -> canonicalString(output)
        JsonKind.NUMBER -> canonicalNumber(output)
        JsonKind.TRUE -> output.add("true")
        JsonKind.FALSE -> output.add("false")
        JsonKind.NULL -> output.add("null")
    }
}

/** One member of an object, with its name, in the output. */
private class CanonicalMember(val name: String, val start: Int, val end: Int)

private fun JsonScanner.canonicalObject(output: ByteList, depth: Int) {
    output.add(Ascii.OPEN_OBJECT)
    val start = output.size
    val found = ArrayList<CanonicalMember>(8)
    var isSorted = true
    eachMember { name ->
        if (found.isNotEmpty()) {
            // Strings compare by their UTF-16.
            isSorted = isSorted && found[found.size - 1].name <= name
            output.add(Ascii.COMMA)
        }
        val begin = output.size
        CanonicalJson.addString(name, output)
        output.add(Ascii.COLON)
        canonical(output, depth + 1)
        found.add(CanonicalMember(name, begin, output.size))
    }
    if (!isSorted) {
        val sorted = ByteList(output.size - start)
        for (member in found.sortedWith(Comparator { one, other -> one.name.compareTo(other.name) })) {
            if (sorted.size > 0) sorted.add(Ascii.COMMA)
            sorted.add(output.bytes, member.start, member.end)
        }
        output.replace(start, sorted)
    }
    output.add(Ascii.CLOSE_OBJECT)
}

private fun JsonScanner.canonicalString(output: ByteList) {
    val start = start()
    // Most strings have nothing to escape, and their text is canonical as it is.
    var index = offset + 1
    while (index < end) {
        val byte = bytes[index].toInt()
        if (byte == Ascii.QUOTE || byte == Ascii.BACKSLASH || byte < Ascii.SPACE) break
        index++
    }
    if (index < end && bytes[index].toInt() == Ascii.QUOTE) {
        offset = index + 1
        output.add(bytes, start, offset)
    } else {
        CanonicalJson.addString(string(), output)
    }
}

private fun JsonScanner.canonicalNumber(output: ByteList) {
    val start = start()
    var index = offset
    while (index < end && Ascii.isDigit(bytes[index].toInt())) index++
    val next = if (index < end) bytes[index].toInt() else Ascii.COMMA
    val isWhole = next != Ascii.DOT && next != 0x65 && next != 0x45
    // A short row of digits is a whole number in its shortest form.
    if (isWhole && index - start in 1..18 && (bytes[start].toInt() != Ascii.ZERO || index == start + 1)) {
        output.add(bytes, start, index)
        offset = index
    } else {
        output.add(CanonicalJson.number(number()))
    }
}

/** Strings and numbers as RFC 8785 writes them. */
internal object CanonicalJson {
    /** Appends a string (RFC 8785, section 3.2.2.2). */
    fun addString(text: String, output: ByteList) {
        output.add(Ascii.QUOTE)
        if (text.any { it < ' ' || it == '"' || it == '\\' }) {
            val escaped = StringBuilder(text.length + 16)
            for (letter in text) escape(letter, escaped)
            output.add(escaped.toString())
        } else {
            output.add(text)
        }
        output.add(Ascii.QUOTE)
    }

    private fun escape(letter: Char, output: StringBuilder) {
        when (letter) {
            '"', '\\' -> output.append('\\').append(letter)
            '\b' -> output.append("\\b")
            '\t' -> output.append("\\t")
            '\n' -> output.append("\\n")
            '\u000C' -> output.append("\\f")
            '\r' -> output.append("\\r")
            else -> {
                if (letter >= ' ') {
                    output.append(letter)
                } else {
                    output.append("\\u00").append(if (letter < '\u0010') "0" else "")
                    output.append((letter - '\u0000').toString(16))
                }
            }
        }
    }

    /** A number in the spelling of a JSON text. */
    fun number(text: String): String = wholeOf(text)?.toString() ?: number(doubleOf(text))

    fun number(value: Double): String = wholeOf(value)?.toString() ?: ShortestNumber.text(value)
}
