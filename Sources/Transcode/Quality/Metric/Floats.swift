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
