package tessera.catalog

import java.security.MessageDigest
import java.util.TreeMap
import tessera.catalog.json.Ascii
import tessera.catalog.json.ByteList
import tessera.catalog.json.CanonicalJson
import tessera.catalog.json.JsonScanner
import tessera.catalog.json.canonical

/**
 * SHA-256 of a catalog's canonical form, without its number of images and its digest, as the catalog is read. All
 * members take part, also those that this version does not know.
 */
internal class CanonicalHashing {
    private val hash = MessageDigest.getInstance("SHA-256")
    /** The canonical text of each member but the images, by its name. Names are sorted by their UTF-16. */
    private val members = TreeMap<String, ByteArray>()
    private var hasBegun = false
    private var isFirst = true
    private val text = ByteList(4096)

    /** Whether it is too late for a member: its place was before the images. */
    fun isLate(name: String): Boolean = hasBegun && name < IMAGES && takesPart(name)

    private fun takesPart(name: String) = name != "count" && name != "digest"

    /** Adds a member other than the images. */
    fun add(name: String, scanner: JsonScanner) {
        text.clear()
        CanonicalJson.addString(name, text)
        text.add(Ascii.COLON)
        scanner.canonical(text)
        if (takesPart(name)) members[name] = text.toByteArray()
    }

    /** To be called before the first image. */
    fun begin() {
        hasBegun = true
        text.clear()
        text.add(Ascii.OPEN_OBJECT)
        for (member in members.headMap(IMAGES).values) {
            text.add(member, 0, member.size)
            text.add(Ascii.COMMA)
        }
        text.add("\"$IMAGES\":[")
        update()
    }

    fun addImage(scanner: JsonScanner) {
        text.clear()
        if (!isFirst) text.add(Ascii.COMMA)
        isFirst = false
        scanner.canonical(text)
        update()
    }

    /** The digest in hexadecimal. To be called once, after all members. */
    fun end(): String {
        text.clear()
        text.add(Ascii.CLOSE_LIST)
        for (member in members.tailMap(IMAGES).values) {
            text.add(Ascii.COMMA)
            text.add(member, 0, member.size)
        }
        text.add(Ascii.CLOSE_OBJECT)
        update()
        return hexadecimal(hash.digest())
    }

    private fun update() = hash.update(text.bytes, 0, text.size)

    companion object {
        private const val IMAGES = "images"

        fun hexadecimal(bytes: ByteArray): String {
            val text = StringBuilder(bytes.size * 2)
            for (byte in bytes) {
                text.append(Character.forDigit(byte.toInt() shr 4 and 15, 16))
                text.append(Character.forDigit(byte.toInt() and 15, 16))
            }
            return text.toString()
        }
    }
}
