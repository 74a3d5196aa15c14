import TesseraCatalog
import TesseraPlan
import Testing

/// What files of a better format are worth.
@Suite struct UpgradeValueTests {
  private static func image(
    _ type: String = "image/webp", bytes: [Int] = [1_000, 4_000], sides: [Int] = [100, 200],
    source: Int = 2_000
  ) -> CatalogImage {
    CatalogImage(
      id: "a", status: .ok, width: source, height: source, alpha: false, animated: false,
      variants: zip(sides, bytes).map {
        CatalogVariant(
          width: $0, height: $0,
          files: [.init(format: 1, path: "p\($0)", type: type, bytes: $1)])
      },
      slots: ["card": CatalogSlotUse(width: 100, height: 100, variants: [0, 1])])
  }

  private static func settings(
    _ format: OutputFormat = .avif, _ change: (inout PlanSettings) -> Void = { _ in }
  ) -> PlanSettings {
    var settings = PlanSettings(
      slots: [Slot("card", width: 100, height: nil), Slot("other", width: 9, height: nil)],
      scales: [1, 2], formats: [.fixed(format), .fixed(.webp)])
    change(&settings)
    return settings
  }

  /// AVIF takes 0.81 of WebP's bytes at the defaults.
  @Test func aViewOfEachPlaceSavesItsPart() throws {
    let value = try #require(UpgradeValue(Self.image(), Self.settings()))
    #expect(abs(value.savedBytes - 0.19 * 5_000) < 1)
    // 50,000 pixels of files, and 4,000,000 of the source.
    #expect(abs(value.effort - (50_000 * 2.83 + 4_000_000 * 0.08)) < 1)
    #expect(value.perEffort == value.savedBytes / value.effort)
    let weighted = try #require(
      UpgradeValue(Self.image(), Self.settings { $0.scaleWeights = [1: 3, 2: 0.5] }))
    #expect(abs(weighted.savedBytes - 0.19 * (3_000 + 2_000)) < 1)
  }

  @Test func effortsHaveTheirWork() throws {
    func work(_ format: OutputFormat, _ effort: Int) throws -> Double {
      let settings = Self.settings(format) { $0.effort[format] = effort }
      let value = try #require(UpgradeValue(Self.image("image/png", source: 1), settings))
      return ((value.effort - 0.08) / 50_000 * 100).rounded() / 100
    }
    #expect(
      try [0, 1, 2, 3, 4, 9].map { try work(.avif, $0) } == [0.84, 1.84, 2.83, 11.57, 20.3, 100])
    #expect(try [0, 4, 6].map { try work(.webp, $0) } == [0.3, 1, 1.98])
    #expect(try [3, 5, 9].map { try work(.jxl, $0) } == [0.8, 1.88, 30])
    #expect(try work(.jpeg, 0) == 0.2)
    #expect(try work(.heic, 0) == 10.7)
  }

  @Test func whatIsUpgradedHasNoValue() {
    func value(
      _ format: OutputFormat = .avif, _ change: (inout CatalogImage) -> Void
    ) -> UpgradeValue? {
      var image = Self.image()
      change(&image)
      return UpgradeValue(image, Self.settings(format))
    }
    #expect(value { _ in } != nil)
    #expect(value { $0.width = nil } == nil && value { $0.height = nil } == nil)
    #expect(value { $0.variants = [] } == nil)
    #expect(
      value {
        $0.variants[1].files.append(.init(format: 0, path: "q", type: "image/avif", bytes: 1))
      } == nil)
    // A file in the place of one of that format.
    #expect(value { $0.variants[1].fallback = "avif-no-animation" } == nil)
    #expect(value { $0.variants[1].fallback = "webp-size-limit" } != nil)
    #expect(
      value {
        $0.variants[0].files.append(.init(format: 2, path: "q", type: "image/png", bytes: 1))
        $0.variants[0].fallback = "avif-size-limit"
      } == nil)
    // What the format can't hold saves nothing, and may need other files all the same.
    let none = value { for index in [0, 1] { $0.variants[index].width = 20_000 } }
    #expect(none?.savedBytes == 0)
    #expect(value { $0.animated = true } != nil)
    #expect(
      UpgradeValue(Self.image(), PlanSettings(slots: [], formats: [.source, .fixed(.webp)])) == nil)
  }

  /// A format that takes more bytes saves nothing, and comes last.
  @Test func aWorseFormatSavesNothing() {
    #expect(UpgradeValue(Self.image(), Self.settings(.png))?.savedBytes == 0)
  }
}
