package tessera.catalog

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
