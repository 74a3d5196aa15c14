/// Powers and roots of `Double`, by additions, multiplications and divisions only: the functions of
/// C libraries differ in the last bit between systems.
enum Elementary {
  /// `base` to the power of `exponent`, for a normal `base` above 0.
  static func power(_ base: Double, _ exponent: Double) -> Double {
    exponential(exponent * logarithm(base))
  }

  /// The natural logarithm of a normal number above 0.
  static func logarithm(_ value: Double) -> Double {
    var mantissa = value.significand
    var exponent = Double(value.exponent)
    if mantissa > 1.4142135623730951 {
      mantissa /= 2
      exponent += 1
    }
    // ln m = 2 artanh z; |z| < 0.172, so that the 12th term is below 1e-18.
    let z = (mantissa - 1) / (mantissa + 1)
    var sum = 0.0
    for power in stride(from: 23, through: 1, by: -2) { sum = sum * (z * z) + 1 / Double(power) }
    return 2 * z * sum + exponent * 0.6931471805599453
  }

  /// e to the power of a number from -700 to 700.
  static func exponential(_ value: Double) -> Double {
    let halvings = (value / 0.6931471805599453).rounded()
    let rest = value - halvings * 0.6931471805599453
    // |rest| < 0.35, so that the 16th term of the series is below 1e-20.
    var sum = 1.0
    for term in stride(from: 16.0, through: 1, by: -1) { sum = 1 + sum * rest / term }
    return Double(sign: .plus, exponent: Int(halvings), significand: 1) * sum
  }

  /// The fifth root of a number from 0.001 to 1, by Newton's method.
  static func fifthRoot(_ value: Double) -> Double {
    var root = 1.0
    for _ in 0..<40 {
      let fourth = root * root * (root * root)
      root -= (root * fourth - value) / (5 * fourth)
    }
    return root
  }
}
