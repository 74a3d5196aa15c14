import TesseraTestSupport
import Testing

@testable import TesseraPlan

/// The numbers of searched qualities: recipes, sizes, aims, ranges, and what is possible.
@Suite struct QualitySearchTests {
  @Test func theDefaultsAreMeasured() {
    #expect(AutomaticQuality() == AutomaticQuality(target: 72, range: 40...92))
    #expect(AutomaticQuality.targets == 30...95)
    #expect(AutomaticQuality.names.map(\.name) == ["low", "feed", "high", "excellent"])
    #expect(AutomaticQuality.names.map(\.target) == [60, 70, 80, 85])
  }

  @Test func aRecipeIsReadBack() {
    for quality in [AutomaticQuality(), AutomaticQuality(target: 30, range: 1...1)] {
      #expect(
        AutomaticQuality(inRecipe: "webp 1x2; \(quality.recipe); effort 4; strip") == quality)
    }
    #expect(AutomaticQuality().recipe == "quality 40 to 92 for 72")
    for recipe in [
      "webp 1x2; quality 80; strip", "", "quality 9 to 8 for 72", "quality 40 to 92",
      "quality 99999999999999999999 to 2 for 3", "quality 1 to 2 for 99999999999999999999",
    ] { #expect(AutomaticQuality(inRecipe: recipe) == nil, "\(recipe)") }
  }

  @Test func anImageIsSearchedFrom64Pixels() {
    func size(_ source: Size, _ base: Size) -> Size? {
      AutomaticQuality.searchedSize(of: source, base: base)
    }
    expectLeast(64) { size(Size(4_000, 10), Size($0, 1)) == Size($0, 1) }
    expectLeast(64) { size(Size(10, 4_000), Size(1, $0)) == Size(1, $0) }
    // At 512 it is that of the decoded image, and above it the source's shape decides.
    #expect(size(Size(4_000, 3_000), Size(512, 400)) == Size(512, 400))
    #expect(size(Size(4_000, 3_000), Size(513, 400)) == Size(512, 384))
    #expect(size(Size(3_000, 4_000), Size(400, 513)) == Size(384, 512))
    #expect(size(Size(3_000, 3_000), Size(1_024, 1_024)) == Size(512, 512))
    #expect(size(Size(600, 1), Size(600, 1)) == Size(512, 1))
    #expect(size(Size(1, 600), Size(1, 600)) == Size(1, 512))
  }

  /// By how much the score of the same quality is lower at half the size.
  @Test(
    arguments: [
      (.webp, -1.8), (.png, -1.8), (.jpeg, -0.2), (.avif, -2.1), (.jxl, 0.2),
      (.heic, 0),
    ] as [(OutputFormat, Double)])
  func anAimFollowsTheSize(_ format: OutputFormat, _ loss: Double) {
    let automatic = AutomaticQuality(target: 70)
    let halvings: [(Int, Double)] = [
      (2_000, 0), (512, 0), (511, 1.0 / 511), (384, 1.0 / 3), (257, 255.0 / 257), (256, 1),
      (255, 1 + 2.0 / 510), (192, 1 + 1.0 / 3), (128, 2), (64, 3), (1, 9),
    ]
    for (side, count) in halvings {
      for size in [Size(side, 1), Size(1, side)] {
        #expect(abs(automatic.aim(at: size, format) - (70 - loss * count)) < 1e-9, "\(side)")
      }
    }
  }

  /// For a photograph: the default, and steps for each point of the score; in the range.
  @Test(
    arguments: [
      (.webp, 76, 79), (.webp, 77, 81), (.webp, 60, 60), (.jpeg, 79, 79), (.jpeg, 80, 81),
      (.jpeg, 70, 61), (.avif, 77, 64), (.avif, 80, 69), (.avif, 70, 54), (.jxl, 80, 80),
      (.jxl, 79, 78), (.jxl, 70, 60), (.webp, 95, 92), (.webp, 30, 40), (.png, 76, 91),
    ] as [(OutputFormat, Int, Int)])
  func aQualityIsExpected(_ format: OutputFormat, _ target: Int, _ quality: Int) {
    #expect(AutomaticQuality(target: target).expected(format) == quality)
  }

  @Test(
    arguments: [
      (40...92, 80, 65, 92), (85...92, 85, 85, 92), (40...60, 60, 60, 60), (80...80, 80, 80, 80),
      (66...70, 70, 66, 70),
    ] as [(ClosedRange<Int>, Int, Int, Int)])
  func theDefaultIsInTheRange(_ range: ClosedRange<Int>, _ webp: Int, _ avif: Int, _ png: Int) {
    let automatic = AutomaticQuality(target: 72, range: range)
    #expect(automatic.fallback(.webp) == webp)
    #expect(automatic.fallback(.avif) == avif)
    #expect(automatic.fallback(.png) == png)
  }

  /// Up to the score of the default, graphics have the default, and above it no less.
  @Test func graphicsHaveTheDefaultOrMore() {
    expectMost(76) {
      AutomaticQuality(target: $0).range(.webp, isGraphic: true) == 80...80
    }
    #expect(AutomaticQuality(target: 77).range(.webp, isGraphic: true) == 80...92)
    #expect(AutomaticQuality(target: 77).range(.avif, isGraphic: true) == 65...92)
    #expect(AutomaticQuality(target: 77).range(.webp, isGraphic: false) == 40...92)
  }

  @Test func whatWasFoundIsPossible() {
    func isPossible(_ change: (inout FoundQuality) -> Void) -> Bool {
      var found = FoundQuality(
        quality: 50, score: 70, worstTile: 60, size: Size(2, 2), encodes: 3, isGraphic: false)
      change(&found)
      return found.isPossible
    }
    expectLeast(1) { number in isPossible { $0.quality = number } }
    expectMost(100) { number in isPossible { $0.quality = number } }
    expectMost(100) { number in isPossible { $0.score = Double(number) } }
    expectMost(100) { number in isPossible { $0.worstTile = Double(number) } }
    expectLeast(-999_999) { number in isPossible { $0.score = Double(number) } }
    expectLeast(-999_999) { number in isPossible { $0.worstTile = Double(number) } }
    expectLeast(0) { number in isPossible { $0.encodes = number } }
    expectLeast(1) { number in isPossible { $0.size.width = number } }
    expectLeast(1) { number in isPossible { $0.size.height = number } }
    #expect(!isPossible { $0.score = .nan } && !isPossible { $0.worstTile = .nan })
  }

  // MARK: Files

  private static func encoding(_ format: OutputFormat, _ quality: Int? = nil) -> Encoding {
    Encoding(
      format: format, quality: quality, automatic: AutomaticQuality(range: 40...70), effort: nil,
      background: nil, isAnimated: false)
  }

  private static func plan(_ encodings: [Encoding]) -> Plan {
    Plan(
      variants: [1, 2].map { side in
        PlannedVariant(
          files: encodings.map {
            PlannedFile(crop: nil, size: Size(side, side), encoding: $0, fallback: nil)
          })
      }, slots: [], formatCount: encodings.count, lanes: .on)
  }

  @Test func eachEncodingIsSearchedOnce() {
    let encodings = [Self.encoding(.jpeg), Self.encoding(.webp, 9), Self.encoding(.avif)]
    var plan = Self.plan(encodings)
    #expect(encodings.map(\.isUnresolved) == [true, false, true])
    #expect(plan.files.unresolvedEncodings == [encodings[0], encodings[2]])
    let decode = DecodePlan(base: Size(64, 10), isAnimated: false, keepsProfile: false)
    #expect(
      plan.prepareSearches(of: Size(640, 100), decode) == [
        .init(encoding: encodings[0], size: Size(64, 10)),
        .init(encoding: encodings[2], size: Size(64, 10)),
      ])
    #expect(plan == Self.plan(encodings))
    plan.resolve(encodings[2], 55)
    var found = encodings
    found[2].quality = 55
    #expect(plan == Self.plan(found))
    // Too small for a search.
    let small = DecodePlan(base: Size(63, 10), isAnimated: false, keepsProfile: false)
    #expect(plan.prepareSearches(of: Size(640, 100), small) == [])
    found[0].quality = 70
    #expect(plan == Self.plan(found))
  }

  @Test func theSettingsSayWhetherAQualityIsFound() {
    var settings = PlanSettings(slots: [])
    #expect(!settings.findsQuality)
    settings.quality[.jxl] = nil
    #expect(settings.findsQuality)
    settings.quality = EncoderSetting { $0 == .png ? 1 : nil }
    #expect(settings.findsQuality)
  }
}
