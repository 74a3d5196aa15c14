/// How a side of a variant is rounded up, so that requests of nearly the same size share one file.
package struct Rounding: Sendable, Equatable {
  package var steps: Steps
  package var side = Side.longer

  package init(_ steps: Steps, by side: Side = .longer) {
    self.steps = steps
    self.side = side
  }

  package static let powerOfTwo = Rounding(.powerOfTwo)
  package static let halfSteps = Rounding(.halfSteps)
  package static let exact = Rounding(.exact)
  package static func list(_ sizes: [Int]) -> Rounding { Rounding(.list(sizes)) }

  /// Which side is rounded.
  package enum Side: String, Sendable, CaseIterable {
    case longer
    /// A column of a fixed width has one width then, whatever the height.
    case width
  }

  /// A ladder.
  package enum Steps: Sendable, Equatable {
    /// 1, 2, 4, 8 and so on.
    case powerOfTwo
    /// The powers of two and one and a half times each: 256, 384, 512, 768 and so on.
    case halfSteps
    /// No ladder: the requested size.
    case exact
    /// These sizes, ascending. A request above the last one gets its exact size.
    case list([Int])
  }
}

extension Rounding.Steps {
  /// The smallest rung that is at least `length`. The limit of the format is the top rung of every
  /// ladder: a request for 12,000 pixels gets a WebP of 16,383, because 16,384 exceed the limit.
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
    // For the powers 1 and 2 this is 0, and the power itself results.
    let below = power / 4 * 3  // one and a half times the power below
    return below >= length ? below : power
  }
  /// The ladders with a name, by their names in the pipeline file.
  package static let named: [(name: String, steps: Self)] = [
    ("exact", .exact), ("half-steps", .halfSteps), ("power-of-two", .powerOfTwo),
  ]

  /// The longest side in a list of sizes, in pixels: the limit of JPEG,
  /// ``OutputFormat/longestSide``.
  package static let longestRung = 65_500

  /// The name, or the sizes with commas between them.
  package var name: String {
    if case .list(let sizes) = self { return sizes.map(String.init).joined(separator: ",") }
    return Self.named.first { $0.steps == self }?.name ?? ""
  }

  /// Reads a text in the form of ``name``. Nil if it is neither a name nor sizes from 1 to
  /// ``longestRung``.
  package init?(name: String) {
    if let known = Self.named.first(where: { $0.name == name }) {
      self = known.steps
      return
    }
    // Empty parts are kept, so that "320,,640" is not a list.
    let parts = name.split(separator: ",", omittingEmptySubsequences: false)
    let sizes = parts.compactMap { Int($0) }.filter { (1...Self.longestRung).contains($0) }
    guard !sizes.isEmpty, sizes.count == parts.count else { return nil }
    self = .list(Set(sizes).sorted())
  }
}
