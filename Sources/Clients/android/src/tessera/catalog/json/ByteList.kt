package tessera.catalog.json

/** Bytes that grow at their end. */
internal class ByteList(capacity: Int = 256) {
    var bytes = ByteArray(capacity)
        private set
    var size = 0
        private set

    fun clear() {
        size = 0
    }

    fun add(byte: Int) {
        if (size == bytes.size) reserve(1)
        bytes[size++] = byte.toByte()
    }

    fun add(from: ByteArray, start: Int, end: Int) {
        reserve(end - start)
        System.arraycopy(from, start, bytes, size, end - start)
        size += end - start
    }

    /** Appends a text as UTF-8. */
    fun add(text: String) {
        val encoded = text.toByteArray(Charsets.UTF_8)
        add(encoded, 0, encoded.size)
    }

    /** Replaces all bytes from a place on by others. */
    fun replace(start: Int, by: ByteList) {
        size = start
        add(by.bytes, 0, by.size)
    }

    fun toByteArray(): ByteArray = bytes.copyOf(size)

    private fun reserve(count: Int) {
        if (bytes.size - size < count) bytes = bytes.copyOf(maxOf(bytes.size * 2, size + count))
    }
}
