package tessera.catalog

import java.io.IOException

/** The size of an image in pixels as displayed, and its format: jpeg, png, gif, webp, avif, heic or bmp. */
data class ImageSize(val width: Int, val height: Int, val format: String)

/** Why the size of an image is not known. */
class SizeException(
    /** `not-image`, `cut-off`, `status`, `too-far`, `timeout` or `url`. */
    val code: String,
    message: String
) : IOException(message)

/** The bytes of an image by their offset. */
internal interface ImageBytes {
    /** Throws [SizeException] for one behind the end. */
    fun byte(at: Int): Int

    /** Gets bytes that are needed together. */
    fun want(start: Int, end: Int) = Unit
}

private fun broken(reason: String): Nothing = throw SizeException("not-image", "it is no image: $reason")

/** An offset or a side, which is below 2^31. */
private fun int(value: Long) = if (value < Int.MAX_VALUE) value.toInt() else throw SizeException("too-far", "$value is out of reach")

private fun ImageBytes.number(at: Int, count: Int, isLittle: Boolean = false): Long =
    (0 until count).fold(0L) { sum, index -> sum shl 8 or byte(if (isLittle) at + count - 1 - index else at + index).toLong() }
private fun ImageBytes.big(at: Int, count: Int) = int(number(at, count))
private fun ImageBytes.little(at: Int, count: Int) = number(at, count, true).toInt()
private fun ImageBytes.text(at: Int, count: Int = 4) = String(CharArray(count) { byte(at + it).toChar() })

/** Reads the size of an image from its header. What a file is, its first bytes say. */
internal fun imageSize(file: ImageBytes): ImageSize {
    val first = file.text(0)
    val size = when {
        first.startsWith("\u00FF\u00D8\u00FF") -> jpeg(file)
        first == "\u0089PNG" && file.text(4) == "\r\n\u001a\n" -> png(file)
        first == "GIF8" && (file.text(4, 2) == "7a" || file.text(4, 2) == "9a") -> gif(file)
        first == "RIFF" && file.text(8) == "WEBP" -> webp(file)
        first.startsWith("BM") && file.little(14, 4).let { it == 12 || it in 16..256 } -> bmp(file)
        file.text(4) == "ftyp" -> heif(file, brand(file))
        else -> broken("its format is unknown")
    }
    return if (size.width > 0 && size.height > 0) size else broken("it has a side of ${minOf(size.width, size.height)} pixels")
}

/** JPEG (ITU-T T.81, annex B): the frame header is behind segments of any length, and so is the orientation in Exif. */
private fun jpeg(file: ImageBytes): ImageSize {
    var orientation: Int? = null
    var at = 2
    for (step in 0..8_192) {
        val marker = file.byte(at + 1)
        when {
            // Bytes between segments, and fill bytes.
            file.byte(at) != 0xFF || marker == 0 || marker == 0xFF -> at++
            marker == 0x01 || marker in 0xD0..0xD8 -> at += 2
            marker == 0xD9 || marker == 0xDA -> broken("its frame header is missing")
            else -> {
                val (start, end) = Pair(at + 4, int(at + 2L + file.big(at + 2, 2)))
                if (end < start) broken("a segment has no length")
                if (marker in 0xC0..0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) {
                    val (height, width) = Pair(file.big(start + 1, 2), file.big(start + 3, 2))
                    return if (orientation in 5..8) ImageSize(height, width, "jpeg") else ImageSize(width, height, "jpeg")
                }
                if (marker == 0xE1 && orientation == null && end - start > 14 && file.text(start, 6) == "Exif\u0000\u0000") {
                    orientation = orientation(file, start + 6, end)
                }
                at = end
            }
        }
    }
    broken("it has too many segments")
}

/** The orientation in a block of Exif 2.32, which is a TIFF file; 1 if it has none. */
private fun orientation(file: ImageBytes, start: Int, end: Int): Int {
    val isLittle = file.text(start) == "II*\u0000"
    if (!isLittle && file.text(start) != "MM\u0000*") return 1
    val directory = start + file.number(start + 4, 4, isLittle)
    if (directory + 2 > end) return 1
    for (index in 0 until file.number(directory.toInt(), 2, isLittle).toInt()) {
        val entry = directory.toInt() + 2 + index * 12
        if (entry + 12 > end) return 1
        if (file.number(entry, 2, isLittle) != 0x0112L) continue
        // BYTE, SHORT or LONG.
        val size = mapOf(1L to 1, 3L to 2, 4L to 4)[file.number(entry + 2, 2, isLittle)] ?: return 1
        return file.number(entry + 8, size, isLittle).toInt()
    }
    return 1
}

private fun png(file: ImageBytes): ImageSize =
    if (file.text(12) == "IHDR") ImageSize(file.big(16, 4), file.big(20, 4), "png") else broken("its first chunk is not IHDR")

/** GIF: the screen, which its first frame may exceed, as browsers show it. */
private fun gif(file: ImageBytes): ImageSize {
    val (width, height) = Pair(file.little(6, 2), file.little(8, 2))
    // Behind the palette.
    var at = 13 + file.byte(10).let { if (it and 0x80 == 0) 0 else 3 shl (it and 7) + 1 }
    try {
        for (step in 0..4_096) {
            if (file.byte(at) == 0x2C) {
                val (right, lower) = Pair(file.little(at + 1, 2) + file.little(at + 5, 2), file.little(at + 3, 2) + file.little(at + 7, 2))
                return ImageSize(maxOf(width, right), maxOf(height, lower), "gif")
            }
            if (file.byte(at) != 0x21) break
            at += 2
            while (file.byte(at) > 0) at += file.byte(at) + 1
            at++
        }
    } catch (error: SizeException) {
        if (width == 0 || height == 0) throw error
    }
    return ImageSize(width, height, "gif")
}

/** WebP (RFC 9649). An orientation in its Exif does not count: browsers do not turn WebP. */
private fun webp(file: ImageBytes): ImageSize = when (file.text(12)) {
    // 14 bits for each side behind the start code of a key frame (RFC 6386, section 9.1).
    "VP8 " -> {
        if (file.byte(20) and 1 != 0 || file.little(23, 3) != 0x2A019D) broken("its first frame is not a key frame")
        ImageSize(file.little(26, 2) and 0x3FFF, file.little(28, 2) and 0x3FFF, "webp")
    }
    "VP8L" -> {
        if (file.byte(20) != 0x2F) broken("it lacks the lossless signature")
        val bits = file.little(21, 4)
        ImageSize((bits and 0x3FFF) + 1, (bits shr 14 and 0x3FFF) + 1, "webp")
    }
    "VP8X" -> ImageSize(file.little(24, 3) + 1, file.little(27, 3) + 1, "webp")
    else -> broken("its container holds no image")
}

/** BMP. A negative height means that rows are stored from the top down; BITMAPCOREHEADER has sides of 16 bits. */
private fun bmp(file: ImageBytes): ImageSize =
    if (file.little(14, 4) == 12) ImageSize(file.little(18, 2), file.little(20, 2), "bmp")
    else ImageSize(file.little(18, 4), Math.abs(file.little(22, 4)), "bmp")

/** The format of a file by its brands (ISO/IEC 23008-12, section 10; AVIF 1.1, section 8). */
private fun brand(file: ImageBytes): String = when (file.text(8)) {
    "avif", "avis" -> "avif"
    "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs" -> "heic"
    // A general brand; the compatible ones say more.
    "mif1", "msf1", "miaf", "1pic" -> {
        if ((16..minOf(file.big(0, 4), 256) - 4 step 4).any { file.text(it).startsWith("avi") }) "avif" else "heic"
    }
    else -> broken("its brand is unknown")
}

/** AVIF and HEIC (ISO/IEC 23008-12): the size of the primary item, and the properties that turn and crop it, in their order. */
private fun heif(file: ImageBytes, format: String): ImageSize {
    val meta = boxes(file, 0, null).firstOrNull { it.type == "meta" }
    val (start, end) = Pair(meta?.start ?: 0, meta?.end ?: broken("it has no meta box"))
    file.want(start, minOf(end, start + 65_536))
    val parts = boxes(file, start + 4, end).toList()
    val pitm = parts.firstOrNull { it.type == "pitm" } ?: broken("it has no primary item")
    val primary = file.number(pitm.start + 4, if (file.byte(pitm.start) == 0) 2 else 4)
    val inside = parts.filter { it.type == "iprp" }.flatMap { boxes(file, it.start, it.end).toList() }
    val all = inside.filter { it.type == "ipco" }.flatMap { boxes(file, it.start, it.end).toList() }
    val own = inside.filter { it.type == "ipma" }.flatMap { associations(file, it, primary) }.mapNotNull { all.getOrNull(it - 1) }
    val size = own.firstOrNull { it.type == "ispe" } ?: broken("its primary item has no size")
    var sides = Pair(file.big(size.start + 4, 4), file.big(size.start + 8, 4))
    for (property in own) {
        if (property.type == "irot" && file.byte(property.start) and 1 == 1) sides = Pair(sides.second, sides.first)
        if (property.type == "clap") {
            val (width, height) = Pair(clean(file, property.start, sides.first), clean(file, property.start + 8, sides.second))
            // As in browsers, a crop that reaches outside the image is ignored.
            if (width != null && height != null) sides = Pair(width, height)
        }
    }
    return ImageSize(sides.first, sides.second, format)
}

/** A box (ISO/IEC 14496-12, section 4.2), from its content on. */
private class FileBox(val type: String, val start: Int, val end: Int?)

private fun boxes(file: ImageBytes, start: Int, end: Int?): Sequence<FileBox> {
    var steps = 0
    fun box(at: Int?): FileBox? {
        if (at == null || end != null && at + 8 > end) return null
        if (steps++ == 4_096) broken("it has too many boxes")
        val length = file.number(at, 4)
        val head = if (length == 1L) 16 else 8
        val whole = if (length == 1L) file.number(at + 8, 8) else length
        if (length != 0L && whole < head) broken("a box is $whole bytes long")
        val next = if (length == 0L) end else int(at + minOf(whole, Int.MAX_VALUE.toLong()))
        if (end != null && next != null && next > end) broken("a box is longer than its parent")
        return FileBox(file.text(at + 4), at + head, next)
    }
    return generateSequence({ box(start) }) { box(it.end) }
}

/** The numbers of an item's properties, from 1 (ISO/IEC 23008-12, section 9.3.1). */
private fun associations(file: ImageBytes, box: FileBox, item: Long): List<Int> {
    val end = box.end ?: return emptyList()
    val isWide = file.byte(box.start + 3) and 1 == 1
    val idSize = if (file.byte(box.start) == 0) 2 else 4
    val found = ArrayList<Int>()
    var at = box.start + 8
    for (entry in 0 until minOf(file.number(box.start + 4, 4), 4_096L)) {
        val (id, count) = Pair(file.number(at, idSize), file.byte(at + idSize))
        at += idSize + 1
        if (at + count * (if (isWide) 2 else 1) > end) broken("its list of properties is longer than its box")
        for (index in 0 until count) {
            if (id == item) found.add(if (isWide) file.big(at, 2) and 0x7FFF else file.byte(at) and 0x7F)
            at += if (isWide) 2 else 1
        }
    }
    return found
}

/** A side of a clean aperture: its length and, sixteen bytes on, how far its centre is from that of the whole, as fractions. */
private fun clean(file: ImageBytes, at: Int, whole: Int): Int? {
    fun fraction(at: Int) = file.number(at, 4).toInt().toDouble() / file.number(at + 4, 4)
    val length = fraction(at)
    val first = Math.floor((whole - 1) / 2.0 + fraction(at + 16) - (length - 1) / 2)
    val count = Math.floor(length + 0.5)
    return if (count > 0 && first >= 0 && first + count <= whole) count.toInt() else null
}
