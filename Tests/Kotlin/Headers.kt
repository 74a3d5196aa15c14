package tessera.check

import tessera.catalog.ImageBytes
import tessera.catalog.ImageSize
import tessera.catalog.SizeException
import tessera.catalog.decodeBase64
import tessera.catalog.imageSize

/** The headers that the size fetchers of the libraries have in common. */
class Headers(bytes: ByteArray, private val check: Check) {
    private val rows = json(bytes).list()

    fun run() {
        for (row in rows) {
            val bytes = decodeBase64(row["base64"].text()) ?: ByteArray(0)
            check.equal(size(bytes), expected(row), row["name"])
            // What is cut off is an error, or has the same size: never anything else.
            for (count in 0 until minOf(bytes.size, 400)) {
                val size = size(bytes.copyOf(count))
                if (size != null && row["format"] != "gif") check.equal(size, expected(row), "${row["name"]}, $count bytes")
            }
        }
        val random = SplitMix(4)
        for (attempt in 0 until 20_000) {
            val bytes = decodeBase64(rows[random.below(rows.size)]["base64"].text()) ?: continue
            if (bytes.isEmpty()) continue
            for (change in 0..random.below(4)) bytes[random.below(bytes.size)] = random.next().toByte()
            try {
                size(bytes)
            } catch (error: Throwable) {
                check.equal(error, null, "damaged header $attempt")
            }
        }
    }

    private fun expected(row: Any?) = (row["size"] as? List<*>)?.let { (width, height) ->
        ImageSize(width.int(), height.int(), row["format"].text())
    }

    private fun size(bytes: ByteArray): ImageSize? = try {
        imageSize(object : ImageBytes {
            override fun byte(at: Int) =
                if (at in bytes.indices) bytes[at].toInt() and 255 else throw SizeException("cut-off", "cut off")
        })
    } catch (error: SizeException) {
        null
    }
}
