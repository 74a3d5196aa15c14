import TesseraTestSupport
import Testing

@testable import TesseraPlan

/// Ladders that cost views least.
@Suite struct LadderFitTests {
  /// Requests for thumbnails by width in 24 hours, the 30 commonest widths: Wikimedia, task T410304 of its tracker.
  private static let wikimedia = [
    (250, 555_502_137), (60, 397_775_830), (500, 374_795_875), (40, 362_872_476),
    (120, 303_617_631), (330, 158_260_177), (20, 154_562_318), (960, 71_684_322), (480, 37_502_885),
    (1200, 24_267_826), (70, 22_379_621), (1280, 21_968_978), (640, 15_191_911), (800, 14_293_204),
    (1024, 9_268_869), (600, 6_392_998), (200, 6_321_587), (160, 6_259_469), (1920, 5_913_263),
    (320, 5_879_692), (150, 5_567_819), (2560, 5_556_343), (512, 5_450_688), (300, 5_441_267),
    (375, 5_184_308), (324, 4_838_561), (80, 3_979_487), (243, 3_831_704), (100, 3_805_802),
    (400, 3_600_631),
  ]

  private static func demand(
    _ requests: [(length: Int, longest: Int, weight: Double)], _ cost: LadderDemand.Cost = .pixels
  ) -> LadderDemand {
    var demand = LadderDemand(cost)
    for request in requests {
      demand.add(
        .init(length: request.length, longest: request.longest, area: 1), weight: request.weight)
    }
    return demand
  }

  private static let published = demand(
    wikimedia.map { ($0, 1 << 20, Double($1)) })

  /// How much more is delivered than requested, in tenths of a percent.
  private static func excess(_ cost: Double) -> Int {
    Int(((cost / published.cost(.exact) - 1) * 1000).rounded())
  }

  @Test func publishedRequestsHaveTheseCosts() {
    #expect(Self.excess(Self.published.cost(.powerOfTwo)) == 643)
    // Wikimedia's own.
    let own = [20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840]
    #expect(Self.excess(Self.published.cost(.list(own))) == 199)
    let fit = LadderFit(Self.published, most: 40)
    #expect(fit.ladders.count == 30)
    #expect(Self.excess(fit.ladders[7].cost) == 111)
    #expect(Self.excess(fit.ladders[10].cost) == 33)
    #expect(Self.excess(fit.ladders[29].cost) == 0)
    for (index, ladder) in fit.ladders.enumerated() {
      #expect(ladder.rungs.count == index + 1 && ladder.rungs.last == Self.wikimedia.map(\.0).max())
      #expect(ladder.rungs == ladder.rungs.sorted())
      // What the program adds up is what the ladder costs.
      let cost = Self.published.cost(.list(ladder.rungs))
      #expect(abs(cost - ladder.cost) <= cost * 1e-9)
    }
    expectDescending(fit.ladders.map(\.cost))
  }

  private func expectDescending(_ costs: [Double]) {
    #expect(zip(costs, costs.dropFirst()).allSatisfy { $1 <= $0 * (1 + 1e-12) })
  }

  /// All ladders of some lengths that end with the longest.
  private static func best(_ demand: LadderDemand, _ lengths: [Int], _ count: Int) -> Double {
    var best = Double.infinity
    let others = lengths.dropLast()
    for choice in 0..<(1 << others.count) where choice.nonzeroBitCount == count - 1 {
      let rungs = others.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element)
      best = min(best, demand.cost(.list(rungs + [lengths[lengths.count - 1]])))
    }
    return best
  }

  /// Images that are shorter than a rung cost what they are themselves.
  @Test(arguments: LadderDemand.Cost.allCases)
  func noOtherLadderCostsLess(_ cost: LadderDemand.Cost) {
    var generator = SplitMix(seed: 35)
    for _ in 0..<60 {
      let requests = (0..<Int.random(in: 1...14, using: &generator)).map { _ in
        let length = Int.random(in: 1...12, using: &generator) * 10
        return (
          length: length, longest: length + Int.random(in: 0...3, using: &generator) * 15,
          weight: Double.random(in: 0.1...5, using: &generator)
        )
      }
      let demand = Self.demand(requests, cost)
      let lengths = Set(requests.map(\.length)).sorted()
      let fit = LadderFit(demand, most: 20)
      #expect(fit.ladders.count == lengths.count)
      for (index, ladder) in fit.ladders.enumerated() {
        let best = Self.best(demand, lengths, index + 1)
        #expect(abs(ladder.cost - best) <= best * 1e-9, "\(requests) \(index + 1)")
      }
    }
  }

  @Test func fewRequestsHaveFewLadders() {
    #expect(LadderFit(LadderDemand(.bytes), most: 8).ladders.isEmpty)
    let one = LadderFit(Self.demand([(300, 400, 2)]), most: 8)
    #expect(one.ladders == [.init(rungs: [300], cost: 180_000)])
    #expect(LadderFit(Self.demand([(1, 1, 1), (2, 2, 1), (3, 3, 1)]), most: 2).ladders.count == 2)
    // No file is longer than its image.
    #expect(LadderFit(Self.demand([(500, 400, 1)]), most: 1).ladders[0].rungs == [400])
  }

  /// By pixels, or by pixels to the 0.75; an area counts once.
  @Test func costsFollowTheArea() {
    for (cost, expected) in [(LadderDemand.Cost.pixels, 32.0), (.bytes, 13.454)] {
      var demand = LadderDemand(cost)
      demand.add(.init(length: 8, longest: 8, area: 0.5))
      #expect(abs(demand.cost(.exact) - expected) < 0.001)
      demand.add(.init(length: 8, longest: 8, area: 0.5), weight: 2)
      #expect(abs(demand.cost(.exact) - 3 * expected) < 0.003)
    }
  }

  /// More groups than are kept apart are rounded up, by little; then the memory no longer grows.
  @Test func manyLengthsAreRounded() {
    var demand = LadderDemand(.pixels)
    var generator = SplitMix(seed: 4)
    var exact = 0.0
    for _ in 0..<400_000 {
      let length = Int.random(in: 1...60_000, using: &generator)
      demand.add(
        .init(
          length: length, longest: length + Int.random(in: 0...5000, using: &generator), area: 1))
      exact += Double(length) * Double(length)
    }
    #expect(demand.amounts.count <= LadderDemand.mostGroups)
    #expect(demand.amounts.count > LadderDemand.mostGroups / 8)
    let rounded = demand.cost(.exact) / exact
    #expect(rounded >= 1 && rounded < 1.03)
  }

  /// A ladder with more would take the square of their number.
  @Test func aProgramHasFewLengths() {
    var demand = LadderDemand(.pixels)
    for length in 1...20_000 { demand.add(.init(length: length, longest: length, area: 1)) }
    let lengths = Set(demand.forFitting.amounts.keys.map(\.length)).count
    #expect(lengths <= LadderDemand.mostLengths && lengths > LadderDemand.mostLengths / 4)
    let few = Self.demand([(100, 200, 1)])
    #expect(few.forFitting.amounts == few.amounts)
  }

  /// A list has no such rung, and gives these requests their own length.
  @Test func longerRequestsThanARungDoNotCount() {
    for (length, count) in [(65_500, 1), (65_501, 0)] {
      #expect(LadderFit(Self.demand([(length, length, 1)]), most: 2).ladders.count == count)
    }
  }
}
