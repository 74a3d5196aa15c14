/// The ladder on which the longer side of a variant is rounded up, so that requests of nearly the
/// same size share one file.
package enum Rounding: Sendable, Equatable {
  /// 1, 2, 4, 8…
  case powerOfTwo
  /// The powers of two, and one and a half times each: …256, 384, 512, 768…
  case halfSteps
  /// No ladder: what was asked for.
  case exact
  /// These sizes, ascending. What asks for more than the last is served exactly.
  case list([Int])

  /// The smallest rung that is at least `length`. The format's limit is the top rung of every
  /// ladder: what asks for 12,000 pixels gets a WebP of 16,383, since 16,384 do not fit.
  ///
  /// - Precondition: 1 <= `length` <= `limit`.
  func rung(for length: Int, limit: Int) -> Int {
    let rung =
      switch self {
      case .exact: length
      case .powerOfTwo: Self.powerOfTwo(atLeast: length)
      case .halfSteps: Self.halfStep(atLeast: length)
      case .list(let sizes): sizes.first { $0 >= length } ?? length
      }
    return min(rung, limit)
  }

  private static func powerOfTwo(atLeast length: Int) -> Int {
    var power = 1
    while power < length { power *= 2 }
    return power
  }

  private static func halfStep(atLeast length: Int) -> Int {
    let power = powerOfTwo(atLeast: length)
    let below = power / 4 * 3  // one and a half times the power below
    return below >= length ? below : power
  }
}
