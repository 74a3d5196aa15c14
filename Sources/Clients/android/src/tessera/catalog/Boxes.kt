package tessera.catalog

/** A size, in points unless the documentation says pixels. */
data class Size(val width: Int, val height: Int) {
    internal constructor(node: Node) : this(maxOf(1, node["width"].int()), maxOf(1, node["height"].int()))

    internal companion object {
        /** No side is below 1. A catalog is untrusted input, so none is over 10^9. */
        fun rounded(width: Double, height: Double) = Size(side(width), side(height))

        private fun side(length: Double) = maxOf(1.0, minOf(1e9, length)).toInt()
    }
}

/** How an image fills a box: the whole of it is inside, or covers the box; or its files are cropped to the shape of the box. */
enum class Mode { FIT, FILL, CLIP }

/** A place in the layout: a slot, or any other. In points; a null side is free, and at most one side may be null. */
data class Box(val width: Double? = null, val height: Double? = null, val mode: Mode = Mode.FIT) {
    internal constructor(node: Node) : this(
        node.optional("width")?.int()?.toDouble(), node.optional("height")?.int()?.toDouble(),
        node["mode"].word("fit" to Mode.FIT, "fill" to Mode.FILL, "clip" to Mode.CLIP))
}

/** Where an image is drawn, in points. The origin is the upper left corner of its box. */
data class Frame(
    /** 0 or less: what is left of the box is not shown. */
    val x: Double,
    /** 0 or less. */
    val y: Double,
    val width: Int,
    val height: Int
) {
    /** As CSS's `object-position` does, the focus is at the same fractions of the box. `+ 0.0`: a product with 0 may be -0. */
    internal constructor(placed: Placed, focus: Focus?) : this(
        (placed.box.width.toDouble() - placed.image.width) * (focus?.x ?: 0.5) + 0.0,
        (placed.box.height.toDouble() - placed.image.height) * (focus?.y ?: 0.5) + 0.0,
        placed.image.width, placed.image.height)
}

/** A point of an image, in fractions of its width and height from the upper left corner. */
data class Focus(val x: Double, val y: Double)

internal fun Node.focus(): Focus {
    val numbers = (value as? List<*>)?.map { (it as? Number)?.toDouble() ?: -1.0 }
    if (numbers?.size != 2 || numbers.any { it !in 0.0..1.0 }) fail("expected two numbers from 0 to 1")
    return Focus(numbers[0], numbers[1])
}

/** Whether a length or a scale is known: what is not a positive number comes from a layout that is not there yet. */
internal fun isLength(length: Double?) = length != null && length > 0 && length < Double.POSITIVE_INFINITY

/** The size of an image, and of its box, which it covers. */
internal class Placed(val image: Size, box: Size) {
    /** A hostile catalog, and a hair of 1 by 9,000 pixels, would make a page endless. */
    val box = Size(minOf(LONGEST, box.width), minOf(LONGEST, box.height))

    companion object {
        private const val LONGEST = 100_000

        /**
         * An image in any box. Sides are rounded to the nearest whole number, halves up. An image of an unknown size has the box, or a
         * square of its one side.
         */
        fun of(own: Size?, box: Box): Placed? {
            val (across, down) = box
            val anySide = across ?: down
            if (!isLength(anySide) || !isLength(down ?: across) || anySide == null) return null
            fun quotient(dividend: Double, divisor: Double) = Math.floor((2 * dividend + divisor) / (2 * divisor))
            val sides = Size.rounded(quotient(anySide, 1.0), quotient(down ?: anySide, 1.0))
            if (own == null) return Placed(sides, sides)
            val (width, height) = Pair(own.width.toDouble(), own.height.toDouble())
            fun byWidth(side: Double) = Size.rounded(quotient(side, 1.0), quotient(side * height, width))
            fun byHeight(side: Double) = Size.rounded(quotient(side * width, height), quotient(side, 1.0))
            if (across == null || down == null) return (if (down == null) byWidth(anySide) else byHeight(down)).let { Placed(it, it) }
            val isTighterAcross = across * height <= down * width
            val whole = if ((box.mode == Mode.FIT) == isTighterAcross) byWidth(across) else byHeight(down)
            return Placed(whole, if (box.mode == Mode.FIT) whole else sides)
        }
    }
}
