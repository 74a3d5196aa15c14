/// The lengths that are requested of images, for which a ladder is computed: how much each request costs by the length of
/// the file that serves it.
package struct LadderDemand: Sendable {
  /// What a view costs.
  package enum Cost: String, Sendable, CaseIterable {
    /// The bytes of a file, estimated by its pixels to the 0.75: halving both sides of a photograph saves less than three
    /// quarters of its bytes.
    case bytes
    case pixels

    fileprivate var exponent: Double { self == .bytes ? 0.75 : 1 }
  }

  /// A request, as far as a ladder serves it.
  package struct Request: Sendable, Equatable {
    /// Of the requested file, 1 or more.
    package var length: Int
    /// The longest file that the image and its formats allow.
    package var longest: Int
    /// The longest that its formats allow.
    package var limit: Int
    /// The pixels of a file of one pixel's length: its other side by this one.
    package var area: Double

    package init(length: Int, longest: Int, limit: Int = .max, area: Double) {
      (self.length, self.longest, self.limit, self.area) = (length, longest, limit, area)
    }
  }

  /// Requests of the same length whose images are equally long.
  struct Group: Hashable {
    /// As requested, and not above `longest`.
    var length: Int
    /// The longest file that the image and its formats allow.
    var longest: Int
  }

  package let cost: Cost
  /// The cost of a file of one pixel's length for all requests of a group together.
  private(set) var amounts: [Group: Double] = [:]
  /// How many significant bits of lengths count; the others are rounded up.
  private var bits = Int.bitWidth

  /// At most as many groups, and lengths. With more, they are rounded up, by less than 1 in 64.
  static let mostGroups = 1 << 18
  static let mostLengths = 1 << 12

  package init(_ cost: Cost) { self.cost = cost }

  /// - Parameter weight: how often the image is viewed so, relative to others.
  package mutating func add(_ request: Request, weight: Double = 1) {
    // No ladder has such a rung: these requests have their own length on each.
    guard min(request.length, request.longest) <= Rounding.Steps.longestRung else { return }
    let group = Group(
      length: min(request.length, request.longest).roundedUp(toBits: bits),
      longest: request.longest.roundedUp(toBits: bits))
    amounts[group, default: 0] += weight * power(request.area)
    while amounts.count > Self.mostGroups { coarsen() }
  }

  private mutating func coarsen() {
    bits = bits == Int.bitWidth ? 16 : bits - 1
    var rounded: [Group: Double] = [:]
    for (group, amount) in amounts {
      let group = Group(
        length: min(group.length.roundedUp(toBits: bits), Rounding.Steps.longestRung),
        longest: group.longest.roundedUp(toBits: bits))
      rounded[group, default: 0] += amount
    }
    amounts = rounded
  }

  /// With few enough lengths for a program that takes the square of their number.
  var forFitting: LadderDemand {
    var demand = self
    while Set(demand.amounts.keys.map(\.length)).count > Self.mostLengths { demand.coarsen() }
    return demand
  }

  private func power(_ area: Double) -> Double {
    cost == .pixels ? area : (area * area * area).squareRoot().squareRoot()
  }

  /// The cost of a file by its length, relative to one of one pixel's length.
  func price(_ length: Int) -> Double { power(Double(length) * Double(length)) }

  /// What all views cost with files of the lengths that a ladder has for them.
  package func cost(_ steps: Rounding.Steps) -> Double {
    amounts.sorted { ($0.key.length, $0.key.longest) < ($1.key.length, $1.key.longest) }
      .reduce(0) { sum, request in
        let rung = steps.rung(for: request.key.length, limit: request.key.longest)
        return sum + request.value * price(rung)
      }
  }
}

extension Int {
  /// The smallest number that is not below this one and has at most `bits` significant bits.
  fileprivate func roundedUp(toBits bits: Int) -> Int {
    let rest = Swift.max(0, Int.bitWidth - leadingZeroBitCount - bits)
    return ((self + (1 << rest) - 1) >> rest) << rest
  }
}
