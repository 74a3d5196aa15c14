package tessera.catalog.json

/** A failure at a byte. The caller converts the offset to a line and a column. */
internal class JsonFailure(val offset: Int, val reason: String) : RuntimeException(reason) {
    /** The names and indices that lead to the value, innermost first. */
    private val path = ArrayList<String>()

    /** The same failure, one level further out. */
    fun within(name: String): JsonFailure {
        path.add(name)
        return this
    }

    /** The path as one text: `images[3].variants[0].width`. */
    val member: String
        get() {
            val text = StringBuilder()
            for (name in path.asReversed()) {
                if (text.isNotEmpty() && !name.startsWith("[")) text.append('.')
                text.append(name)
            }
            return text.toString()
        }

    /** No stack trace: it costs more than reading an image, and lenient reading skips as many as are damaged. */
    override fun fillInStackTrace(): Throwable = this
}
