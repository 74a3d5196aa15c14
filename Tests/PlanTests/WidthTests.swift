import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import TesseraPlan

/// `rounding: {by: width}`: the widths of files are on the ladder, whatever their heights.
@Suite struct WidthTests {
  private static func sizes(
    _ source: Size, _ slots: [Slot], _ steps: Rounding.Steps = .list([200, 400, 800]),
    _ change: (inout PlanSettings) -> Void = { _ in }
  ) -> [Size] {
    var settings = PlanSettings(
      slots: slots, scales: [1, 2], rounding: Rounding(steps, by: .width))
    change(&settings)
    return Plan(for: PlanSource(size: source), settings: settings).variants.map(\.size)
  }

  private static let column = Slot("a", width: 180, height: nil)

  @Test func aColumnHasOneWidth() {
    #expect(Self.sizes(Size(4000, 3000), [Self.column]) == [Size(200, 150), Size(400, 300)])
    #expect(Self.sizes(Size(3000, 4000), [Self.column]) == [Size(200, 267), Size(400, 533)])
    #expect(Self.sizes(Size(1000, 9000), [Self.column]) == [Size(200, 1800), Size(400, 3600)])
    // With the longer side on the same ladder, each shape has other widths.
    let longer = PlanSettings(
      slots: [Self.column], scales: [1], rounding: .list([200, 400, 800]))
    let plan = Plan(for: PlanSource(size: Size(3000, 4000)), settings: longer)
    #expect(plan.variants.map(\.size) == [Size(300, 400)])
  }

  @Test func nothingIsEnlarged() {
    #expect(Self.sizes(Size(190, 500), [Self.column]) == [Size(190, 500)])
    #expect(Self.sizes(Size(250, 500), [Self.column]) == [Size(200, 400), Size(250, 500)])
  }

  @Test func allModesAreRounded() {
    let slots = [
      Slot("clip", width: 100, height: 200, mode: .clip),
      Slot("fill", width: 300, height: 10, mode: .fill), Slot("fit", width: nil, height: 30),
    ]
    #expect(
      Self.sizes(Size(3000, 2000), slots, .halfSteps)
        == [
          Size(48, 32), Size(96, 64), Size(128, 256), Size(384, 256), Size(256, 512),
          Size(768, 512),
        ])
  }

  /// A slot that sets the height is filled: widths are rounded up.
  @Test func aHeightIsReached() {
    for (source, height) in [(Size(1080, 1920), 102), (Size(300, 3000), 204)] {
      let sizes = Self.sizes(source, [Slot("a", width: nil, height: height)], .exact) {
        $0.scales = [1]
      }
      #expect(sizes.allSatisfy { $0.height >= height && $0.height < height + 11 }, "\(sizes)")
    }
  }

  /// A request below the limit of WebP's height stays in the format, however far the rung above it is.
  @Test func aFileIsWithinTheLimitOfItsFormat() {
    let slot = Slot("a", width: 150, height: nil)
    #expect(Self.sizes(Size(1000, 50_000), [slot], .list([9000])) == [Size(327, 16_350)])
    #expect(Self.sizes(Size(1, 16_383), [slot]) == [Size(1, 16_383)])
    // By their widths these would be too high.
    let box = Slot("b", width: 100, height: 100)
    #expect(Self.sizes(Size(2, 40_000), [box], .exact) == [Size(1, 100), Size(1, 200)])
    #expect(Self.sizes(Size(1, 60_000), [box], .exact) == [Size(1, 100), Size(1, 200)])
    for width in 1...400 {
      let sizes = Self.sizes(Size(width, 16_383), [slot], .powerOfTwo)
      #expect(sizes.allSatisfy { $0.longerSide <= 16_383 && $0.width <= width }, "\(width)")
    }
  }

  @Test func demandsAreOfWidths() {
    func demands(_ rounding: Rounding) -> [LadderDemand.Request] {
      let settings = PlanSettings(slots: [Self.column], scales: [1], rounding: rounding)
      var demands: [LadderDemand.Request] = []
      settings.forEachDemand(of: PlanSource(size: Size(1000, 2000))) { request, weight in
        demands.append(request)
        #expect(weight == 1)
      }
      return demands
    }
    #expect(
      demands(Rounding(.exact, by: .width)) == [
        .init(length: 180, longest: 1000, limit: 8191, area: 2)
      ])
    #expect(demands(.exact) == [.init(length: 360, longest: 2000, limit: 16_383, area: 0.5)])
  }
}
