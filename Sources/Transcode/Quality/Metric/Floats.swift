/// Eight neighbouring pixels of one channel.
///
/// All arithmetic on them is addition, subtraction, multiplication, division and comparison, each
/// rounded as IEEE 754 says: no fused multiply-add, which only some processors have, and no
/// function of a C library, whose last bits differ. So every machine computes the same score.
typealias Floats = SIMD8<Float>

/// How many pixels `Floats` holds.
let laneCount = 8

extension SIMD8<Float> {
  /// Ones in the lanes below `count`, zeros in the others.
  static func ones(_ count: Int) -> Self {
    var lanes = Self.zero
    for lane in 0..<Swift.max(0, Swift.min(count, laneCount)) { lanes[lane] = 1 }
    return lanes
  }

  /// The greater of two values in each lane.
  @inline(__always)
  func atLeast(_ other: Self) -> Self { other.replacing(with: self, where: self .> other) }

  @inline(__always)
  var absolute: Self { atLeast(-self) }

  /// The cube root of lanes from 0.001 to 2, with an error of at most two units in the last place.
  @inline(__always)
  var cubeRoot: Self {
    // A third of the exponent, by integer arithmetic on the bits (as in FreeBSD's cbrtf), is
    // right to 4 %. Each step of Halley's method has the cube of the error of the one before.
    let bits = unsafe unsafeBitCast(self, to: SIMD8<UInt32>.self)
    var third = (bits &>> 2) &+ (bits &>> 4)
    third = third &+ (third &>> 4)
    third = third &+ (third &>> 8)
    third = third &+ (third &>> 16) &+ SIMD8<UInt32>(repeating: 709_958_130)
    var root = unsafe unsafeBitCast(third, to: Self.self)
    for _ in 0..<2 {
      let cube = root * root * root
      root += root * ((self - cube) / (cube + cube + self))
    }
    return root
  }

  /// The sum of all lanes, from the first to the last.
  @inline(__always)
  var total: Double {
    var total = 0.0
    for lane in 0..<laneCount { total += Double(self[lane]) }
    return total
  }
}

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
