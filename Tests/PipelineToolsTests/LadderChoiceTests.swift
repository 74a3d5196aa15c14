import TesseraCatalog
import TesseraPipelineFile
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import tessera

/// What views cost, and which ladder fits them.
@Suite struct LadderChoiceTests {
  private static func settings(_ change: (inout PlanSettings) -> Void = { _ in }) -> PlanSettings {
    var settings = PlanSettings(
      slots: [
        Slot("card", width: 100, height: nil), Slot("hero", width: 300, height: 300, mode: .clip),
      ], scales: [1, 2])
    change(&settings)
    return settings
  }

  private static func prices(
    _ settings: PlanSettings, _ source: PlanSource = PlanSource(size: Size(2000, 1000))
  ) -> (own: ViewPrice, exact: ViewPrice) {
    func price(_ steps: Rounding.Steps) -> ViewPrice {
      var settings = settings
      settings.rounding.steps = steps
      var price = ViewPrice(settings)
      price.add(Plan(for: source, settings: settings), of: source, ViewWeights(settings))
      return price
    }
    return (price(settings.rounding.steps), price(.exact))
  }

  @Test func eachPlaceIsViewedOnce() {
    let (own, exact) = Self.prices(Self.settings())
    #expect(
      own.places.map { "\($0.slot) \($0.scale)" } == ["card 1", "card 2", "hero 1", "hero 2"])
    let ownPixels: [Double] = [8_192, 32_768, 262_144, 1_000_000]
    #expect(own.places.map(\.sum.pixels) == ownPixels)
    #expect(exact.places.map(\.sum.pixels) == [5_000, 20_000, 90_000, 360_000] as [Double])
    #expect(own.total.views == 4)
    #expect(own.total.meanPixels == Int(ownPixels.reduce(0, +)) / 4)
    #expect(own.excess(over: exact) > 0.3 && exact.excess(over: exact) == 0)
    #expect(ViewPrice(Self.settings()).total.meanBytes == 0)
    #expect(own.excess(over: ViewPrice(Self.settings())) == 0)
  }

  @Test func viewsHaveWeights() {
    let settings = Self.settings {
      $0.slotWeights = ["card": 10]
      $0.scaleWeights = [1: 0.25, 2: 0.5]
    }
    let (own, _) = Self.prices(settings)
    #expect(own.places.map(\.sum.views) == [2.5, 5, 0.25, 0.5])
    #expect(own.places[0].sum.pixels == 20_480)
    // A view's own bytes do not depend on its weight.
    let (plain, _) = Self.prices(Self.settings())
    #expect(own.places.map(\.sum.meanBytes) == plain.places.map(\.sum.meanBytes))
  }

  private static func summary(_ settings: PlanSettings, _ cost: LadderCost) -> PlanSummary {
    var summary = PlanSummary(ladders: [], settings, cost: cost)
    for size in [Size(2000, 1000), Size(900, 1200), Size(150, 150)] {
      settings.forEachDemand(of: PlanSource(size: size)) { summary.demand.add($0, weight: $1) }
    }
    return summary
  }

  /// Of 100, 200, 300 and 600 pixels, and 133 and 267 for the tall one.
  @Test func aLadderHasTheWantedRungs() throws {
    let summary = Self.summary(Self.settings(), .pixels)
    let choice = LadderChoice(summary, wanted: 3)
    #expect(choice.isWanted && choice.unit == "pixels")
    #expect(choice.chosen?.rungs.count == 3 && choice.chosen?.rungs.last == 600)
    #expect(choice.candidates.count == 7 && choice.candidates[6].excess == 0)
    #expect(
      choice.line
        == "rounding: [\(try #require(choice.chosen).rungs.map(String.init).joined(separator: ", "))]"
    )
    #expect(choice.excess(try #require(Ladder(name: "exact"))) == 0)
    let powers = choice.excess(try #require(Ladder(name: "power-of-two")))
    #expect(powers > choice.candidates[4].excess)
    // Eight without a wish; here there are not as many.
    let other = LadderChoice(summary, wanted: nil)
    #expect(!other.isWanted && other.chosen == choice.candidates[6])
    let none = LadderChoice(PlanSummary(ladders: [], Self.settings()), wanted: 3)
    #expect(none.chosen == nil && none.line == nil && none.candidates.isEmpty)
  }

  @Test func widthsAreFitted() {
    let settings = Self.settings { $0.rounding = Rounding(.powerOfTwo, by: .width) }
    let choice = LadderChoice(Self.summary(settings, .bytes), wanted: 9)
    #expect(choice.line == "rounding: {by: width, steps: [100, 150, 200, 300, 600]}")
  }

  /// What is viewed more often has its own rung.
  @Test func weightsMoveTheRungs() {
    func rungs(_ weights: [String: Double]) -> [Int] {
      let settings = Self.settings {
        $0.slots = [100, 200, 300].map { (side: Int) in
          Slot("w\(side)", width: side, height: side, mode: .clip)
        }
        $0.slotWeights = weights
        $0.scales = [1]
      }
      return LadderChoice(Self.summary(settings, .pixels), wanted: 2).chosen?.rungs ?? []
    }
    #expect(rungs(["w100": 1000]) == [100, 300])
    #expect(rungs(["w200": 1000]) == [200, 300])
  }
}
