package tessera.catalog

/** A value of a document that is being read, with the path to it. Throws [Mismatch] for a value of another kind. */
internal class Node(val value: CatalogValue, private val path: String) {
    fun fail(reason: String): Nothing = throw Mismatch(path, reason)

    fun mismatch(expected: String): Nothing {
        val found = when (value) {
            // A message is one line.
            is CatalogValue.Text -> ", found \"${value.value.take(80)}\""
            is CatalogValue.Elements, is CatalogValue.Members -> ""
            is CatalogValue.Null -> ", found null"
            else -> ", found ${value.boolean ?: value.long ?: value.double}"
        }
        fail("expected $expected$found")
    }

    fun text(): String = value.string ?: mismatch("a string")

    fun boolean(): Boolean = value.boolean ?: mismatch("true or false")

    fun long(): Long = value.long ?: mismatch("a whole number")

    fun int(): Int = value.long?.takeIf { it in Int.MIN_VALUE..Int.MAX_VALUE }?.toInt() ?: mismatch("a whole number")

    /** A word from a fixed list. */
    fun <Word> word(words: Array<Word>, text: (Word) -> String): Word = words.firstOrNull { text(it) == value.string }
        ?: mismatch("one of ${words.joinToString { "\"${text(it)}\"" }}")

    fun <Element> list(read: (Node) -> Element): List<Element> =
        (value.list ?: mismatch("an array")).mapIndexed { index, element -> read(Node(element, "$path[$index]")) }

    /** An object with free names. */
    fun <Value> named(read: (Node) -> Value): Map<String, Value> =
        members().mapValues { (name, value) -> read(Node(value, within(name))) }

    /** A member that must be there. */
    operator fun get(name: String): Node = Node(members()[name] ?: fail("\"$name\" is missing"), within(name))

    /** A member that may be absent, for which a `null` stands, too. */
    fun optional(name: String): Node? =
        members()[name]?.takeIf { it !== CatalogValue.Null }?.let { Node(it, within(name)) }

    private fun members() = (value as? CatalogValue.Members)?.values ?: mismatch("an object")

    private fun within(name: String) = if (path == "") name else "$path.$name"
}
