package tessera.catalog.json

import java.math.BigDecimal
import java.math.MathContext
import java.math.RoundingMode

/** A Double as ECMAScript's Number::toString writes it (ECMA-262, section 6.1.6.1.20). */
internal object ShortestNumber {
    fun text(number: Double): String {
        // Also for -0: ECMAScript writes both as 0.
        if (number == 0.0) return "0"
        if (number < 0) return "-" + text(-number)
        val shortest = shortest(number)
        val digits = shortest.unscaledValue().toString()
        // The value is 0.DIGITS times ten to this power.
        val point = digits.length - shortest.scale()
        // 21 and -5 are the limits of ECMA-262, beyond which it uses an exponent.
        return when {
            point in digits.length..21 -> digits + zeros(point - digits.length)
            point in 1..21 -> digits.substring(0, point) + "." + digits.substring(point)
            point in -5..0 -> "0." + zeros(-point) + digits
            else -> {
                val rest = digits.substring(1)
                val exponent = (if (point < 1) "-" else "+") + Math.abs(point - 1)
                digits.substring(0, 1) + (if (rest == "") "" else ".") + rest + "e" + exponent
            }
        }
    }

    private fun zeros(count: Int) = "0".repeat(count)

    /**
     * The decimal of the fewest digits that identifies the Double. `Double.toString` does not find it before Java 19,
     * nor on every Android: it writes 4.9E-324 for 5e-324.
     */
    private fun shortest(number: Double): BigDecimal {
        val exact = BigDecimal(number)
        var best = BigDecimal(number.toString()).stripTrailingZeros()
        best = decimal(exact, number, best.precision()) ?: best
        while (best.precision() > 1) {
            best = decimal(exact, number, best.precision() - 1) ?: return best
        }
        return best
    }

    /** The nearest decimal of so many digits, if it identifies the Double. */
    private fun decimal(exact: BigDecimal, number: Double, digits: Int): BigDecimal? {
        // At a power of two there is more room above the Double than below it.
        for (mode in arrayOf(RoundingMode.HALF_EVEN, RoundingMode.UP)) {
            val rounded = exact.round(MathContext(digits, mode)).stripTrailingZeros()
            if (java.lang.Double.parseDouble(rounded.toString()) == number) return rounded
        }
        return null
    }
}
