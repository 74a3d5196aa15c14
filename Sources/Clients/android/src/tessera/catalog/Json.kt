package tessera.catalog

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/** A value that is not what a document has in its place. The caller knows the line. */
internal class Mismatch(
    /** The path to the value: `images[3].variants[0].width`. */
    val member: String,
    /** What was expected, and what was found: a clause. */
    val reason: String
) : RuntimeException(reason)

/**
 * A value of a document. Throws [Mismatch] for a value of another kind than the one that is asked for.
 *
 * @param value a Map, List, String, Long, Double, Boolean or null.
 * @param name of the member, or the number of the element, in what is above it; or the path of the whole.
 */
internal class Node(val value: Any?, private val above: Node?, private val name: Any) {
    private fun path(): String = when (val path = above?.path()) {
        null, "" -> "$name"
        else -> if (name is Int) "$path[$name]" else "$path.$name"
    }

    fun fail(reason: String): Nothing = throw Mismatch(path(), reason)

    fun mismatch(expected: String): Nothing {
        // A message is one line.
        val found = if (value is String) "\"${value.take(80)}\"" else "$value"
        fail("expected $expected${if (value is List<*> || value is Map<*, *>) "" else ", found $found"}")
    }

    fun text() = value as? String ?: mismatch("a string")
    /** @param expected says which texts are right. */
    fun text(expected: String, isRight: (String) -> Boolean) = text().takeIf(isRight) ?: mismatch(expected)
    fun boolean() = value as? Boolean ?: mismatch("true or false")
    fun long() = value as? Long ?: mismatch("a whole number")
    fun int() = (value as? Long)?.takeIf { it in Int.MIN_VALUE..Int.MAX_VALUE }?.toInt() ?: mismatch("a whole number")

    /** What a word from a list stands for. */
    fun <Meaning> word(vararg words: Pair<String, Meaning>): Meaning = words.firstOrNull { it.first == value }?.second
        ?: mismatch("one of ${words.joinToString { "\"${it.first}\"" }}")

    fun <Element> list(read: (Node) -> Element): List<Element> =
        (value as? List<*> ?: mismatch("an array")).mapIndexed { index, element -> read(Node(element, this, index)) }

    /** An object with free names. */
    fun <Value> named(read: (Node) -> Value): Map<String, Value> = members().mapValues { (name, value) -> read(Node(value, this, name)) }

    /** A member that must be there. */
    operator fun get(name: String) =
        members().let { if (it.containsKey(name)) Node(it[name], this, name) else fail("\"$name\" is missing") }

    /** A member that may be absent, for which a `null` stands, too. */
    fun optional(name: String) = members()[name]?.let { Node(it, this, name) }

    @Suppress("UNCHECKED_CAST")
    private fun members() = value as? Map<String, Any?> ?: mismatch("an object")
}

/** Parses some bytes of a document. */
internal fun parse(bytes: ByteArray, start: Int, end: Int, path: String = "", more: String = ""): Node {
    val text = try {
        Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, start, end - start)).toString()
    } catch (error: CharacterCodingException) {
        throw Mismatch(path, "expected UTF-8")
    }
    return Node(JsonParser(text + more, path).document(), null, path)
}

/**
 * Reads JSON (RFC 8259). Of two members with one name the last counts, as in `JSON.parse`. Android's own `JSONObject` also accepts
 * what is not JSON, and is not there on other Java VMs.
 */
internal class JsonParser(private val text: String, private val path: String) {
    private var place = 0

    /** The value that is the whole text. */
    fun document(): Any? {
        val value = value(0)
        if (place < text.length) fail("nothing more")
        return value
    }

    private fun fail(expected: String): Nothing {
        val found = if (place < text.length) "\"${text[place]}\"" else "the end of the text"
        throw Mismatch(path, "expected JSON: $expected instead of $found at character ${place + 1}")
    }

    /** No JSON has the character 0 outside of strings, and a string ends before it. */
    private fun peek() = if (place < text.length) text[place] else '\u0000'

    private fun take(letter: Char) = (peek() == letter).also { if (it) place++ }

    private fun skipSpace() {
        while (peek() in " \t\r\n") place++
    }

    /** A value, and the space around it. */
    private fun value(depth: Int): Any? {
        // Texts of 100,000 brackets exist to exhaust the stack of a recursive reader like this one.
        if (depth > 64) fail("at most 64 levels")
        skipSpace()
        val value = when (peek()) {
            '{' -> members(depth)
            '[' -> ArrayList<Any?>(4).also { each(']') { it.add(value(depth + 1)) } }
            '"' -> string()
            't' -> word("true", true)
            'f' -> word("false", false)
            'n' -> word("null", null)
            else -> number()
        }
        skipSpace()
        return value
    }

    private fun word(word: String, value: Boolean?): Boolean? {
        if (!text.startsWith(word, place)) fail("a value")
        place += word.length
        return value
    }

    private fun members(depth: Int) = LinkedHashMap<String, Any?>(8).also { values ->
        each('}') {
            skipSpace()
            if (peek() != '"') fail("a name")
            val name = string()
            skipSpace()
            if (!take(':')) fail("\":\"")
            values[name] = value(depth + 1)
        }
    }

    /** Reads what is between two brackets and commas. */
    private inline fun each(end: Char, read: () -> Unit) {
        place++
        skipSpace()
        if (take(end)) return
        while (true) {
            read()
            if (take(end)) return
            if (!take(',')) fail("\",\" or \"$end\"")
        }
    }

    private fun string(): String {
        val start = ++place
        while (peek() >= ' ' && peek() != '"' && peek() != '\\') place++
        if (take('"')) return text.substring(start, place - 1)
        val content = StringBuilder(text.substring(start, place))
        while (!take('"')) content.append(if (take('\\')) escape() else if (peek() >= ' ') text[place++] else fail("a quote"))
        return content.toString()
    }

    private fun escape(): Char {
        if (take('u')) {
            val code = (0 until 4).fold(0) { sum, _ ->
                // ASCII only: Character.digit accepts the digits of all scripts.
                val digit = if (peek() < '\u0080') Character.digit(peek(), 16) else -1
                if (digit < 0) fail("four hexadecimal digits")
                place++
                sum * 16 + digit
            }
            return code.toChar()
        }
        val kind = "\"\\/bfnrt".indexOf(peek())
        if (kind < 0) fail("an escape")
        place++
        return "\"\\/\b\u000C\n\r\t"[kind]
    }

    private fun number(): Any? {
        val start = place
        take('-')
        // A leading zero ends the integer part: "01" is not a number.
        if (!take('0')) digits()
        if (take('.')) digits()
        if (take('e') || take('E')) {
            if (!take('+')) take('-')
            digits()
        }
        val spelling = text.substring(start, place)
        spelling.toLongOrNull()?.let { return it }
        val number = spelling.toDouble()
        // Below 2^53, each whole Double is one whole number.
        return if (number == Math.rint(number) && Math.abs(number) < 9.007199254740992E15) number.toLong() else number
    }

    private fun digits() {
        if (peek() !in '0'..'9') fail("a value")
        while (peek() in '0'..'9') place++
    }
}
