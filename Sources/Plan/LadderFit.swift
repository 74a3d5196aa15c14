/// The ladders that cost the views of some images least: one for each number of rungs, computed exactly.
///
/// The longest request is a rung of every ladder, so that none is above the last. The others are at requested lengths: a
/// rung between two of them could be lowered to the next one below, and would cost less. So the rungs divide the requests,
/// ascending by length, into runs, and the cost of a run depends on its ends alone: a dynamic program over the ends, as for
/// the k-means of numbers (Wang and Song, 2011), in a time of rungs times the square of the lengths.
package struct LadderFit: Sendable {
  /// A ladder and what all views cost with it.
  package struct Fitted: Sendable, Equatable {
    /// Ascending.
    package var rungs: [Int]
    package var cost: Double
  }

  /// The best ladders of 1, 2, 3 and so on rungs; as many as there are requested lengths, or as were wanted.
  package let ladders: [Fitted]

  package init(_ demand: LadderDemand, most: Int) {
    let requests = Requests(demand.forFitting)
    let lengths = requests.lengths
    guard let last = lengths.indices.last else {
      ladders = []
      return
    }
    let most = min(most, lengths.count)
    // The least cost of the requests up to a length if that is the last of a number of rungs, and the rung before it.
    var least = [[Double]](repeating: [], count: most)
    var before = [[Int32]](repeating: [], count: most)
    requests.forEachRung { rung, costs in
      for count in 0..<most {
        var best = (cost: count == 0 ? costs[rung] : Double.infinity, before: -1)
        if count > 0 {
          for other in stride(from: count - 1, to: rung, by: 1) {
            let cost = least[count - 1][other] + costs[rung] - costs[other]
            if cost < best.cost { best = (cost, other) }
          }
        }
        least[count].append(best.cost)
        before[count].append(Int32(best.before))
      }
    }
    ladders = (0..<most).map { count in
      var (rungs, rung) = ([Int](), last)
      for number in stride(from: count, through: 0, by: -1) {
        rungs.append(lengths[rung])
        rung = Int(before[number][rung])
      }
      return Fitted(rungs: rungs.reversed(), cost: least[count][last])
    }
  }
}

/// Requests in the order of their lengths.
private struct Requests {
  /// Ascending, distinct.
  let lengths: [Int]
  private let demand: LadderDemand
  /// What becomes of requests at each rung: those of images that are shorter cost what the image itself does.
  private let leaving: [[(request: Int, amount: Double, longest: Int)]]
  /// By length.
  private let amounts: [Double]

  init(_ demand: LadderDemand) {
    self.demand = demand
    let groups = demand.amounts.sorted {
      ($0.key.length, $0.key.longest) < ($1.key.length, $1.key.longest)
    }
    var lengths: [Int] = []
    for (group, _) in groups where lengths.last != group.length { lengths.append(group.length) }
    var amounts = [Double](repeating: 0, count: lengths.count)
    var leaving = [[(request: Int, amount: Double, longest: Int)]](
      repeating: [], count: lengths.count + 1)
    var request = -1
    for (group, amount) in groups {
      if request < 0 || lengths[request] != group.length { request += 1 }
      amounts[request] += amount
      // The first rung that is longer than the image.
      let rung = lengths.partitioningIndex { $0 > group.longest }
      leaving[rung].append((request, amount, group.longest))
    }
    (self.lengths, self.amounts, self.leaving) = (lengths, amounts, leaving)
  }

  /// Calls `body` for each rung, ascending.
  ///
  /// - Parameter body: receives the cost of all requests up to each length if they are served by this rung.
  func forEachRung(_ body: (_ rung: Int, _ costs: [Double]) -> Void) {
    // Of images that are at least as long as the rung, and the cost of those that are not.
    var longer = amounts
    var shorter = [Double](repeating: 0, count: lengths.count)
    for rung in lengths.indices {
      for (request, amount, longest) in leaving[rung] {
        longer[request] -= amount
        shorter[request] += amount * demand.price(longest)
      }
      let price = demand.price(lengths[rung])
      var (costs, sum) = ([Double](), 0.0)
      costs.reserveCapacity(rung + 1)
      for request in 0...rung {
        sum += longer[request] * price + shorter[request]
        costs.append(sum)
      }
      body(rung, costs)
    }
  }
}

extension [Int] {
  /// The first index whose element, and so all after it, have a property.
  fileprivate func partitioningIndex(where has: (Int) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if has(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

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
