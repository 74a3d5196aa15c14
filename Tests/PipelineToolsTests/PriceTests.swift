import TesseraCatalog
import TesseraPlan
import Testing

@testable import tessera

/// `plan`: which files would be requested, and which made.
@Suite struct PriceTests {
  private static let slots = [
    Slot("thumb", width: 100, height: 100, mode: .clip), Slot("card", width: 100, height: nil),
  ]

  private static let settings = PlanSettings(slots: slots, scales: [1])

  private static func price(
    _ steps: Rounding.Steps, _ sources: [(String, Size)],
    formats: [FormatChoice] = [.fixed(.webp)]
  ) -> LadderPrice {
    let settings = PlanSettings(
      slots: slots, scales: [1, 2], rounding: Rounding(steps), formats: formats)
    var price = LadderPrice(steps, settings)
    for (id, size) in sources {
      let source = PlanSource(size: size)
      price.add(Plan(for: source, settings: settings), of: source, id: id, ViewWeights(settings))
    }
    return price
  }

  @Test func longBoxesAreCounted() {
    var summary = PlanSummary(ladders: [LadderPrice(.exact, Self.settings)], Self.settings)
    func add(_ id: String, _ width: Int, _ height: Int, slots: [String]? = nil) {
      summary.add(
        PlanSource(size: Size(width, height)), id: id, slots: slots, Self.settings)
    }
    add("square", 50, 50)
    add("thumb", 3, 900, slots: ["thumb"])
    #expect(summary.longBoxes.images == 0 && summary.longBoxes.longest == nil)
    add("tower", 3, 900)
    add("strip", 900, 3, slots: ["card"])
    let json = text(summary.json(LadderChoice(summary, wanted: nil)))
    #expect(
      json.contains(
        """
          "longBoxes": {
            "images": 2,
            "longest": {
              "id": "tower",
              "slot": "card",
              "width": 100,
              "height": 30000
            }
          }
        """), "\(json)")
  }

  /// Squares of 100 and 200 pixels, and the whole image in 100 x 50 and 200 x 100.
  @Test func filesAreCounted() {
    let exact = Self.price(.exact, [("a", Size(1_000, 500))])
    #expect(exact.name == "exact")
    #expect(exact.asked == 4 && exact.made == 4 && exact.shared == 0)
    #expect(exact.pixelsAsked == 75_000 && exact.pixelsDelivered == 75_000)
    #expect(exact.overDelivery == 0 && exact.rungs == [100: 2, 200: 2])
    #expect(exact.fallbacks.isEmpty)
    let power = Self.price(.powerOfTwo, [("a", Size(1_000, 500)), ("b", Size(1_000, 500))])
    #expect(power.asked == 8 && power.made == 8 && power.rungs == [128: 4, 256: 4])
    let delivered = Double(2 * (16_384 + 65_536 + 8_192 + 32_768))
    #expect(power.pixelsAsked == 150_000 && power.pixelsDelivered == delivered)
    #expect(power.overDelivery == delivered / 150_000 - 1)
    #expect(LadderPrice(.exact, Self.settings).overDelivery == 0)
    let two = Self.price(
      .exact, [("a", Size(1_000, 500))], formats: [.fixed(.webp), .fixed(.jpeg)])
    #expect(two.asked == 8 && two.made == 8 && two.rungs == [100: 4, 200: 4])
    #expect(two.bytes > exact.bytes && exact.bytes > 0)
  }

  /// A source that is smaller than the request serves it whole, and both count its own pixels.
  @Test func smallSourcesAreShared() {
    let price = Self.price(.exact, [("a", Size(50, 50))])
    #expect(price.asked == 4 && price.made == 1 && price.shared == 3)
    #expect(price.pixelsAsked == 10_000 && price.pixelsDelivered == 10_000)
  }

  @Test func fallbacksHaveExamples() throws {
    let tall = Size(10, 20_000)
    let ids = ["a", "b", "c", "d"]
    let price = Self.price(.exact, ids.map { ($0, tall) } + [("e", Size(500, 500))])
    #expect(price.fallbacks.keys.sorted() == ["webp-size-limit"])
    let fallen = try #require(price.fallbacks["webp-size-limit"])
    // Both scales have one file: the whole source, which is narrower than both.
    #expect(fallen.items == 4 && fallen.files == 4 && fallen.examples == ["a", "b", "c"])
    #expect(LadderPrice.Fallen.mostExamples == 3)
  }

  @Test func lengthsAreInRanges() {
    var price = LadderPrice(.list([320, 640]), Self.settings)
    #expect(price.name == "320,640" && price.ranges.isEmpty)
    price.rungs = [1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 8: 32, 9: 64, 1_024: 128, 1_025: 256]
    #expect(price.ranges.map(\.limit) == [1, 2, 4, 8, 16, 1_024, 2_048])
    #expect(price.ranges.map(\.files) == [1, 2, 12, 48, 64, 128, 256])
  }

  @Test func laddersHaveNames() {
    #expect(Ladder.names == ["exact", "half-steps", "power-of-two"])
    #expect(Ladder(name: "640,320") == Ladder(name: "320,640"))
    #expect(Ladder(name: "exact")?.steps == .exact && Ladder(name: "none") == nil)
    #expect(Ladder(name: "exact") != Ladder(name: "half-steps"))
  }

  /// What the document says of the views of a ladder, beside none with exact sizes.
  private static func view(_ ladder: LadderPrice, indent: Int) -> String {
    func sum(_ sum: ViewPrice.Sum) -> [String] {
      [
        "\"bytes\": \(sum.meanBytes),", "\"pixels\": \(sum.meanPixels),", "\"exactBytes\": 0,",
        "\"exactPixels\": 0",
      ]
    }
    var lines = ["\"view\": {"] + sum(ladder.views.total).map { "  " + $0 }
    lines[lines.count - 1] += ","
    lines.append("  \"places\": [")
    for (index, place) in ladder.views.places.enumerated() {
      lines.append("    {")
      lines += ["\"slot\": \"\(place.slot)\",", "\"scale\": \(place.scale),"].map { "      " + $0 }
      lines += sum(place.sum).map { "      " + $0 }
      lines.append(index + 1 < ladder.views.places.count ? "    }," : "    }")
    }
    lines += ["  ]", "},"]
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }

  @Test func theSummaryIsADocument() {
    var (first, second) = (
      LadderPrice(.exact, Self.settings), LadderPrice(.list([8, 16]), Self.settings)
    )
    (first.asked, first.made, first.pixelsAsked, first.pixelsDelivered) = (9, 4, 10.9, 20.2)
    (first.bytes, first.rungs) = (30.7, [20: 1, 3: 2])
    first.fallbacks = [
      "b": .init(files: 4, items: 3, examples: ["x", "y \"2\""]),
      "a": .init(files: 1, items: 2, examples: []),
    ]
    second.asked = 1
    // Of 100 x 100 and 100 x 50 pixels.
    let source = PlanSource(size: Size(1_000, 500))
    first.views.add(
      Plan(for: source, settings: Self.settings), of: source, ViewWeights(Self.settings))
    var summary = PlanSummary(ladders: [first, second], Self.settings)
    summary.items = 7
    for index in 1...6 { summary.addFailure("u\(index)", "r\(index)") }
    #expect(summary.unknown == 6)
    #expect(summary.failures.map { "\($0.source) \($0.reason)" } == (1...5).map { "u\($0) r\($0)" })
    let empty = """
          "shared": 1,
          "pixelsAsked": 0,
          "pixelsDelivered": 0,
          "estimatedBytes": 0,
          \(Self.view(second, indent: 4))
          "rungs": {},
          "fallbacks": {}
      """
    #expect(
      text(summary.json(LadderChoice(summary, wanted: nil))) == """
        {
          "schema": "tessera-plan/1",
          "items": 7,
          "unknown": 6,
          "measured": 0,
          "ladders": [
            {
              "rounding": "exact",
              "asked": 9,
              "made": 4,
              "shared": 5,
              "pixelsAsked": 10,
              "pixelsDelivered": 20,
              "estimatedBytes": 30,
              \(Self.view(first, indent: 6))
              "rungs": {
                "3": 2,
                "20": 1
              },
              "fallbacks": {
                "a": {
                  "files": 1,
                  "items": 2,
                  "examples": []
                },
                "b": {
                  "files": 4,
                  "items": 3,
                  "examples": [
                    "x",
                    "y \\"2\\""
                  ]
                }
              }
            },
            {
              "rounding": "8,16",
              "asked": 1,
              "made": 0,
        \(empty.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
            }
          ]
        }

        """)
  }
}
