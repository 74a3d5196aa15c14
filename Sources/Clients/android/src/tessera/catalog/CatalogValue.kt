package tessera.catalog

import tessera.catalog.json.Ascii
import tessera.catalog.json.ByteList
import tessera.catalog.json.CanonicalJson
import tessera.catalog.json.JsonKind
import tessera.catalog.json.JsonScanner
import tessera.catalog.json.doubleOf
import tessera.catalog.json.elements
import tessera.catalog.json.kind
import tessera.catalog.json.members
import tessera.catalog.json.number
import tessera.catalog.json.string
import tessera.catalog.json.wholeOf

/** A JSON value (RFC 8259), used for the `extra` of an image: data that Tessera passes through to the app. */
sealed class CatalogValue {
    object Null : CatalogValue()
    data class Flag(val value: Boolean) : CatalogValue()
    /** A whole number of at most 64 bits. */
    data class Whole(val value: Long) : CatalogValue()
    data class Number(val value: Double) : CatalogValue()
    data class Text(val value: String) : CatalogValue()
    data class Elements(val values: List<CatalogValue>) : CatalogValue()
    data class Members(val values: Map<String, CatalogValue>) : CatalogValue()

    /** A member of an object; null if the value is not an object or has no member of this name. */
    operator fun get(name: String): CatalogValue? = (this as? Members)?.values?.get(name)

    val string: String? get() = (this as? Text)?.value
    val long: Long? get() = (this as? Whole)?.value
    /** The value of either kind of number. */
    val double: Double? get() = (this as? Number)?.value ?: long?.toDouble()
    val boolean: Boolean? get() = (this as? Flag)?.value
    val list: List<CatalogValue>? get() = (this as? Elements)?.values
}

/**
 * Reads a value of any kind.
 *
 * @param depth the nesting depth at which the value counts.
 */
internal fun JsonScanner.value(depth: Int = 0): CatalogValue = when (kind(depth)) {
    JsonKind.OBJECT -> {
        val values = LinkedHashMap<String, CatalogValue>()
        members { name -> values[name] = value(depth + 1) }
        CatalogValue.Members(values)
    }
    JsonKind.LIST -> {
        val values = ArrayList<CatalogValue>()
        elements { values.add(value(depth + 1)) }
        CatalogValue.Elements(values)
    }
    JsonKind.STRING -> CatalogValue.Text(string())
    JsonKind.NUMBER -> numberValue(number())
    JsonKind.TRUE -> CatalogValue.Flag(true)
    JsonKind.FALSE -> CatalogValue.Flag(false)
    JsonKind.NULL -> CatalogValue.Null
}

private fun numberValue(text: String): CatalogValue =
    wholeOf(text)?.let { CatalogValue.Whole(it) } ?: numberValue(doubleOf(text))

/** A number as it is read back from JSON. */
internal fun numberValue(value: Double): CatalogValue =
    wholeOf(value)?.let { CatalogValue.Whole(it) } ?: CatalogValue.Number(value)

/** Appends the value as canonical JSON (RFC 8785). */
internal fun CatalogValue.addCanonicalJson(output: ByteList) {
    when (this) {
        is CatalogValue.Null -> output.add("null")
        is CatalogValue.Flag -> output.add(if (value) "true" else "false")
        is CatalogValue.Whole -> output.add(value.toString())
        is CatalogValue.Number -> output.add(CanonicalJson.number(value))
        is CatalogValue.Text -> CanonicalJson.addString(value, output)
        is CatalogValue.Elements -> {
            output.add(Ascii.OPEN_LIST)
            values.forEachIndexed { index, element ->
                if (index > 0) output.add(Ascii.COMMA)
                element.addCanonicalJson(output)
            }
            output.add(Ascii.CLOSE_LIST)
        }
        is CatalogValue.Members -> {
            output.add(Ascii.OPEN_OBJECT)
            // Strings compare by their UTF-16.
            values.keys.sorted().forEachIndexed { index, name ->
                if (index > 0) output.add(Ascii.COMMA)
                CanonicalJson.addString(name, output)
                output.add(Ascii.COLON)
                (values[name] ?: CatalogValue.Null).addCanonicalJson(output)
            }
            output.add(Ascii.CLOSE_OBJECT)
        }
    }
}
