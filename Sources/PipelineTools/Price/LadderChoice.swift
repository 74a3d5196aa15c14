internal import TesseraPlan

/// Ladders of one to some rungs that fit the views of a manifest best, beside those with a name.
package struct LadderChoice: Sendable {
  package struct Candidate: Sendable, Equatable {
    /// Ascending.
    package let rungs: [Int]
    /// How much more a view costs than with exact sizes, as a part of that.
    package let excess: Double
  }

  /// What a view costs: `bytes` or `pixels`.
  package let unit: String
  /// Whether ``chosen`` has as many rungs as the command line wants; otherwise ``standard``.
  package let isWanted: Bool
  /// By their number of rungs, ascending from one.
  package let candidates: [Candidate]
  /// The one that is wanted, or one of fewer rungs if there are not as many lengths; nil without any.
  package let chosen: Candidate?
  /// How much more a view costs with the first ladder of the summary, as a part of exact sizes.
  package let excess: Double
  /// The ladders with a name, without the first of the summary.
  package let others: [Ladder]
  private let demand: LadderDemand
  private let side: Rounding.Side

  /// The number of rungs up to which candidates are listed at least.
  private static let listed = 16
  /// As many as there are powers of two from 16 to 2048.
  private static let standard = 8

  /// - Parameter wanted: how many rungs; nil without a wish.
  package init(_ summary: PlanSummary, wanted: Int?) {
    demand = summary.demand
    side = summary.side
    unit = demand.cost.rawValue
    isWanted = wanted != nil
    let exact = demand.cost(.exact)
    let fit = LadderFit(demand, most: max(wanted ?? Self.standard, Self.listed))
    candidates = fit.ladders.map {
      Candidate(rungs: $0.rungs, excess: Self.excess($0.cost, over: exact))
    }
    let own = summary.ladders.first.map { summary.demand.cost($0.steps) }
    excess = own.map { Self.excess($0, over: exact) } ?? 0
    others = Ladder.compared.filter { $0 != summary.ladders.first?.ladder }
    chosen = candidates.prefix(wanted ?? Self.standard).last
  }

  private static func excess(_ cost: Double, over exact: Double) -> Double {
    exact > 0 ? max(0, cost / exact - 1) : 0
  }

  /// As ``Candidate/excess``, of any ladder.
  package func excess(_ ladder: Ladder) -> Double {
    Self.excess(demand.cost(ladder.steps), over: demand.cost(.exact))
  }

  /// The line of the pipeline file that has the chosen ladder; nil without any.
  package var line: String? {
    chosen.map { best in
      let list = "[\(best.rungs.map(String.init).joined(separator: ", "))]"
      return side == .longer
        ? "rounding: \(list)" : "rounding: {by: \(side.rawValue), steps: \(list)}"
    }
  }
}
