import TesseraPlan
import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

/// What views fetch, beside files of exactly the requested sizes.
@Suite struct ViewCostTests {
  private static let source = PlanSource(size: Size(4000, 3000))
  private static let settings = PlanSettings(
    slots: [Slot("card", width: 100, height: nil), Slot("hero", width: 300, height: nil)],
    scales: [1, 2])

  /// The files of a large image.
  private static func filePlan(missing: Int = 0) throws -> FilePlan {
    var filePlan = FilePlan.example()
    filePlan.plan = Plan(for: source, settings: settings)
    filePlan.records = filePlan.plan.files.enumerated().map { index, file in
      index < missing
        ? nil
        : VariantRecord(
          path: "p", width: file.size.width, height: file.size.height, bytes: 100 + index,
          sha256: "s")
    }
    return filePlan
  }

  private static func cost(
    _ filePlan: FilePlan, _ change: (inout PlanSettings) -> Void = { _ in }
  ) -> ViewCost {
    var settings = settings
    change(&settings)
    var exact = settings
    exact.rounding.steps = .exact
    return ViewCost(filePlan, exact: Plan(for: source, settings: exact), settings)
  }

  /// Each slot at each scale is a view of the file that serves it.
  @Test func filesThatExistCount() throws {
    let filePlan = try Self.filePlan()
    let requests = filePlan.plan.slots.flatMap(\.requests)
    try #require(!requests.isEmpty)
    var first = 0
    let bytes = try filePlan.plan.variants.map { variant in
      defer { first += variant.files.count }
      return try #require(filePlan.records[first]).bytes
    }
    let sum = requests.reduce(0) { $0 + bytes[$1.variant] }
    let cost = Self.cost(filePlan)
    #expect(cost.meanBytes == Int((Double(sum) / Double(requests.count)).rounded()))
    #expect(cost.meanExactBytes > 0 && cost.meanExactBytes < cost.meanBytes)
    #expect(cost.excess > 0)
    // Without a file there is no view.
    #expect(try Self.cost(Self.filePlan(missing: 99)) == ViewCost())
    #expect(ViewCost().excess == 0 && ViewCost().meanBytes == 0)
  }

  @Test func weightsDecideHowOften() throws {
    let all = Self.cost(try Self.filePlan())
    // Less than one view in all, too.
    for weight in [2, 0.125] {
      let other = Self.cost(try Self.filePlan()) { settings in
        for slot in settings.slots { settings.slotWeights[slot.name] = weight }
      }
      #expect(other != all)
      #expect((other.meanBytes, other.meanExactBytes) == (all.meanBytes, all.meanExactBytes))
    }
    let one = Self.cost(try Self.filePlan()) { $0.scaleWeights = [$0.scales[0]: 1000] }
    #expect(one.meanBytes != all.meanBytes)
  }
}
