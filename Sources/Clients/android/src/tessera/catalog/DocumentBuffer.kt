package tessera.catalog

import java.io.InputStream
import tessera.catalog.json.Ascii
import tessera.catalog.json.JsonBoundary
import tessera.catalog.json.JsonFailure
import tessera.catalog.json.JsonScanner

/** The bytes of a document that have arrived and are not read yet, with their line and column. */
internal class DocumentBuffer private constructor(
    private val stream: InputStream?, private var bytes: ByteArray, private var end: Int
) {
    /** All bytes of a document. */
    constructor(bytes: ByteArray) : this(null, bytes, bytes.size)

    constructor(stream: InputStream) : this(stream, ByteArray(CAPACITY), 0)

    /** The next byte to read. */
    private var offset = 0
    /** Line breaks are counted up to here, at this place of the document. */
    private var counted = 0
    private var line = 1
    private var column = 1
    private val boundary = JsonBoundary()
    private val scanner = JsonScanner(bytes)

    /** The next byte after white space; -1 at the end of the document. */
    fun peek(): Int {
        while (true) {
            while (offset < end && Ascii.isSpace(bytes[offset].toInt())) offset++
            if (offset < end) return bytes[offset].toInt() and 0xFF
            if (!fill()) return -1
        }
    }

    fun step() {
        offset++
    }

    fun advance(to: Int) {
        offset = to
    }

    fun advanceToEnd() {
        do offset = end while (fill())
    }

    /**
     * The end of the next value; -1 if the document ends before it.
     *
     * @param least the fewest bytes that count as a value. A bracket that nothing opened ends a value of none.
     */
    fun endOfValue(least: Int): Int {
        boundary.begin(offset)
        while (true) {
            val found = boundary.end(bytes, end)
            if (found >= 0) return maxOf(found, offset + least)
            if (!fill()) return -1
        }
    }

    /** A scanner for the bytes up to an end. */
    fun scanner(to: Int): JsonScanner = scanner.reset(bytes, offset, to)

    /** The bytes up to an end. */
    fun copy(to: Int): ByteArray = bytes.copyOfRange(offset, to)

    /** Reads more bytes; returns false at the end of the stream. */
    private fun fill(): Boolean {
        if (stream == null) return false
        if (end == bytes.size) makeRoom()
        val count = stream.read(bytes, end, bytes.size - end)
        if (count > 0) {
            end += count
            return true
        }
        if (count < 0) return false
        // A stream that breaks its contract and returns no byte: read() must wait for one.
        val byte = stream.read()
        if (byte < 0) return false
        bytes[end++] = byte.toByte()
        return true
    }

    private fun makeRoom() {
        // Moving few bytes makes much room; moving many would be repeated for each piece.
        if (offset >= bytes.size / 2) {
            count(offset)
            System.arraycopy(bytes, offset, bytes, 0, end - offset)
            boundary.removedFirst(offset)
            counted -= offset
            end -= offset
            offset = 0
        } else {
            bytes = bytes.copyOf(bytes.size * 2)
        }
    }

    private fun count(to: Int) {
        while (counted < to) {
            if (bytes[counted].toInt() == Ascii.LINE_FEED) {
                line++
                column = 1
            } else {
                column++
            }
            counted++
        }
    }

    /** An error at the next byte. */
    fun error(reason: String): CatalogException {
        count(offset)
        return CatalogException(line, column, "", reason)
    }

    /** The failure of a scanner of this buffer, with its line and column. */
    fun located(failure: JsonFailure): CatalogException {
        count(offset)
        val lineOfNext = line
        val columnOfNext = column
        count(maxOf(offset, minOf(failure.offset, end)))
        val error = CatalogException(line, column, failure.member, failure.reason)
        // A skipped image leads back to its beginning.
        line = lineOfNext
        column = columnOfNext
        counted = offset
        return error
    }

    private companion object {
        const val CAPACITY = 1 shl 16
    }
}
