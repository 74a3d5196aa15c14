package tessera.catalog.json

/** The names of the objects that are being read, to detect duplicates. Names are equal if their UTF-16 is. */
internal class SeenNames {
    private var names = arrayOfNulls<String>(64)
    /** Sets for objects with many names, by the place of their first one. */
    private val sets = HashMap<Int, HashSet<String>>()
    var size = 0
        private set

    /**
     * Returns false for a duplicate.
     *
     * @param first the size before the object's first name.
     */
    fun insert(first: Int, name: String): Boolean {
        if (size - first >= FEW) return many(first).add(name)
        for (index in first until size) if (names[index] == name) return false
        if (size == names.size) names = names.copyOf(size * 2)
        names[size++] = name
        return true
    }

    private fun many(first: Int): HashSet<String> = sets[first] ?: HashSet<String>().also { set ->
        for (index in first until size) names[index]?.let { set.add(it) }
        sets[first] = set
    }

    /** Forgets the names of an object. */
    fun remove(first: Int) {
        if (sets.isNotEmpty()) sets.remove(first)
        size = first
    }

    private companion object {
        /** Up to this many names, comparing them one by one is faster than hashing. */
        const val FEW = 16
    }
}

/** Short texts that occur again and again, such as the names of members: each is one object. */
internal class NameCache {
    private val texts = arrayOfNulls<String>(512)

    /** The text of ASCII bytes. */
    fun text(bytes: ByteArray, start: Int, end: Int): String {
        var hash = 0
        for (index in start until end) hash = 31 * hash + bytes[index]
        val place = (hash xor (hash ushr 9)) and 511
        val known = texts[place]
        if (known != null && isSame(known, bytes, start, end)) return known
        return String(bytes, start, end - start, Charsets.ISO_8859_1).also { texts[place] = it }
    }

    private fun isSame(text: String, bytes: ByteArray, start: Int, end: Int): Boolean {
        if (text.length != end - start) return false
        for (index in text.indices) if (text[index] - '\u0000' != bytes[start + index].toInt()) return false
        return true
    }
}
