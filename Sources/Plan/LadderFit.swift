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
