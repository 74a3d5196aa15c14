package tessera.catalog

/** A slot that a catalog does not have. */
class UnknownSlotException(
    val name: String,
    /** The slots of the catalog, sorted. */
    val known: List<String>,
    /** The one that was probably meant. */
    val suggestion: String?
) : Exception(
    "the catalog has no slot \"$name\"; "
        + (if (suggestion == null) "it has ${known.joinToString()}" else "did you mean \"$suggestion\"?"))

/**
 * Checks the names that an app uses, once, when it has read the catalog. Later lookups return null for a slot that is
 * unknown, as they do for an image that is not used in it.
 *
 * @throws UnknownSlotException for the first name that the catalog does not have.
 */
fun Catalog.requireSlots(vararg names: String) {
    for (name in names) {
        if (slots.containsKey(name)) continue
        val known = slots.keys.sorted()
        throw UnknownSlotException(name, known, nearest(name, known))
    }
}

/**
 * The file to fetch for an image in a slot on a screen: the one for the smallest scale that is at least `scale`, or for
 * the largest scale. Null if the image is not used in the slot, or if it has no files.
 *
 * @param scale device pixels per point: the density of Android's display metrics.
 */
internal fun Catalog.variantFor(image: Image, slot: String, scale: Double): Variant? {
    val use = image.slots[slot] ?: return null
    val enough = scales.indexOfFirst { it >= scale }
    // Both indices come from a document, so both may be out of range.
    return use.variants.getOrNull(if (enough < 0) scales.size - 1 else enough)?.let { image.variants.getOrNull(it) }
}

/**
 * The size of the image's box in one of the catalog's slots, in points. Null if it is not known, or if the image is not used in
 * the slot.
 */
internal fun Image.layoutSize(slot: String): Size? = slots[slot]?.let { use ->
    if (use.width == null || use.height == null) null else Size(use.width, use.height)
}

/** Where an image is drawn, in points. The origin is the upper left corner of its box. */
data class Frame(
    /** 0 or less: what is left of the box is not shown. */
    val x: Double,
    /** 0 or less. */
    val y: Double,
    val width: Int,
    val height: Int
)

/** An image in a box: as CSS's `object-position` does, it puts the focus at the same fractions of the box. */
internal fun frameOf(image: Size, box: Size, focus: Focus?) = Frame(
    // `+ 0.0`: a product with 0 may be -0.
    (box.width.toDouble() - image.width) * (focus?.x ?: 0.5) + 0.0,
    (box.height.toDouble() - image.height) * (focus?.y ?: 0.5) + 0.0,
    image.width, image.height)

/** Where the image is drawn in its box: it has the box's size, or covers it. Null if [layoutSize] is. */
internal fun Image.frame(slot: String): Frame? {
    val box = layoutSize(slot) ?: return null
    return frameOf(slots[slot]?.image ?: box, box, focus)
}

/** Width divided by height, as displayed. Null if the size is unknown. */
val Image.aspectRatio: Double?
    get() {
        val across = width ?: return null
        val down = height ?: return null
        return if (across > 0 && down > 0) across.toDouble() / down else null
    }

/**
 * The candidate with the fewest changed, added, missing or swapped letters; null if that number is over a third of the
 * word's length (over one for short words).
 */
internal fun nearest(word: String, candidates: List<String>): String? {
    val letters = lowercaseLetters(word)
    // With more changes than this, the words have little in common.
    var limit = maxOf(1, letters.size / 3)
    var best: String? = null
    for (candidate in candidates) {
        val distance = distance(letters, lowercaseLetters(candidate))
        if (distance > limit || best != null && distance == limit) continue
        limit = distance
        best = candidate
    }
    return best
}

private fun lowercaseLetters(word: String): List<Int> {
    val letters = ArrayList<Int>()
    var index = 0
    while (index < word.length) {
        val letter = word.codePointAt(index)
        letters.add(Character.toLowerCase(letter))
        index += Character.charCount(letter)
    }
    return letters
}

/** The optimal string alignment distance: Levenshtein's, with a swap of two neighbours as one change. */
private fun distance(one: List<Int>, other: List<Int>): Int {
    val rows = Array(one.size + 1) { IntArray(other.size + 1) }
    for (i in 0..one.size) {
        for (j in 0..other.size) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j
                continue
            }
            val change = if (one[i - 1] == other[j - 1]) 0 else 1
            var best = minOf(rows[i][j - 1] + 1, rows[i - 1][j] + 1, rows[i - 1][j - 1] + change)
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
                best = minOf(best, rows[i - 2][j - 2] + 1)
            }
            rows[i][j] = best
        }
    }
    return rows[one.size][other.size]
}
