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

extension Rounding {
  /// The ladders that have a name, as the pipeline file spells them.
  package static let named: [(name: String, rounding: Rounding)] = [
    ("exact", .exact), ("half-steps", .halfSteps), ("power-of-two", .powerOfTwo),
  ]

  /// The longest side that a ladder of one's own may name, in pixels.
  package static let longestRung = 65_500

  /// The name, or the sizes with commas between.
  package var name: String {
    if case .list(let sizes) = self { return sizes.map(String.init).joined(separator: ",") }
    return Self.named.first { $0.rounding == self }?.name ?? ""
  }

  /// Reads what ``name`` says. Nil where it is neither a name nor sizes from 1 to ``longestRung``.
  package init?(name: String) {
    if let known = Self.named.first(where: { $0.name == name }) {
      self = known.rounding
      return
    }
    let parts = name.split(separator: ",", omittingEmptySubsequences: false)
    let sizes = parts.compactMap { Int($0) }.filter { (1...Self.longestRung).contains($0) }
    guard !sizes.isEmpty, sizes.count == parts.count else { return nil }
    self = .list(Set(sizes).sorted())
  }
}
