package tessera.catalog.json

/** What a value is. */
internal enum class JsonKind { OBJECT, LIST, STRING, NUMBER, TRUE, FALSE, NULL }

/** What the next value is, at a nesting depth. A word is read when it is recognized. */
internal fun JsonScanner.kind(depth: Int): JsonKind {
    skipSpace()
    if (depth >= JsonScanner.MAXIMUM_DEPTH) {
        throw JsonFailure(offset, "nested more than ${JsonScanner.MAXIMUM_DEPTH} levels deep")
    }
    val byte = peek()
    return when {
        byte == Ascii.OPEN_OBJECT -> JsonKind.OBJECT
        byte == Ascii.OPEN_LIST -> JsonKind.LIST
        byte == Ascii.QUOTE -> JsonKind.STRING
        byte == Ascii.MINUS || Ascii.isDigit(byte) -> JsonKind.NUMBER
        take("true") -> JsonKind.TRUE
        take("false") -> JsonKind.FALSE
        take("null") -> JsonKind.NULL
        else -> throw unexpected("a value")
    }
}

/** Reads an object. The body receives each name and reads the value. */
internal inline fun JsonScanner.members(read: (name: String) -> Unit) {
    val first = seen.size
    eachMember { name ->
        if (!seen.insert(first, name)) throw JsonFailure(nameOffset, "duplicate member \"$name\"")
        read(name)
    }
    seen.remove(first)
}

/** Reads an object as [members] does, but accepts duplicate names. */
internal inline fun JsonScanner.eachMember(read: (name: String) -> Unit) {
    beginObject()
    var next = nextName(true)
    while (next != null) {
        val name: String = next
        try {
            read(name)
        } catch (failure: JsonFailure) {
            throw failure.within(name)
        }
        next = nextName(false)
    }
}

/** Reads an array. The body reads each element. */
internal inline fun JsonScanner.elements(read: () -> Unit) {
    skipSpace()
    if (!take(Ascii.OPEN_LIST)) throw mismatch("an array")
    skipSpace()
    if (take(Ascii.CLOSE_LIST)) return
    // From here on an element must follow: JSON allows no trailing comma (RFC 8259, section 5).
    var index = 0
    while (true) {
        try {
            read()
        } catch (failure: JsonFailure) {
            throw failure.within("[$index]")
        }
        index++
        skipSpace()
        if (take(Ascii.CLOSE_LIST)) return
        if (!take(Ascii.COMMA)) throw unexpected("\",\" or \"]\"")
    }
}

/** Reads a `null`, or a value. */
internal inline fun <Value> JsonScanner.optional(read: () -> Value): Value? = if (takeNull()) null else read()

/** Reads an array into a list of exactly its length. */
internal inline fun <Element> JsonScanner.list(read: () -> Element): List<Element> {
    val list = ArrayList<Element>(4)
    elements { list.add(read()) }
    list.trimToSize()
    return list
}

/** Reads a value of any kind and discards it. It must be as valid as any other. */
internal fun JsonScanner.skip(depth: Int = 0) {
    when (kind(depth)) {
        JsonKind.OBJECT -> members { skip(depth + 1) }
        JsonKind.LIST -> elements { skip(depth + 1) }
        JsonKind.STRING -> string()
        JsonKind.NUMBER -> number()
        else -> Unit
    }
}
