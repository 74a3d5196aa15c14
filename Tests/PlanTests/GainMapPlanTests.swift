import TesseraTestSupport
import Testing

@testable import TesseraPlan

/// Files with the gain map of their source.
@Suite struct GainMapPlanTests {
  private static let source = PlanSource(
    size: Size(4000, 3000), format: .jpeg, isPhotograph: true, hasGainMap: true)

  private static func settings(
    _ range: DynamicRange = .keep, _ change: (inout PlanSettings) -> Void = { _ in }
  ) -> PlanSettings {
    var settings = PlanSettings(slots: [Slot("a", width: 300, height: nil)], scales: [1])
    settings.dynamicRange = range
    change(&settings)
    return settings
  }

  @Test func eachSizeHasOneMoreFile() throws {
    let plan = Plan(
      for: Self.source, settings: Self.settings { $0.formats = [.fixed(.avif), .fixed(.jpeg)] })
    let files = try #require(plan.variants.first).files
    #expect(files.map(\.encoding.format) == [.avif, .jpeg, .jpeg])
    #expect(files.map(\.encoding.hasGainMap) == [false, false, true])
    #expect(Set(files.map(\.size)).count == 1)
    #expect(Set(files.map(\.recipe)).count == 3)
    #expect(files[2].recipe == files[1].recipe.replacing("strip", with: "keep icc") + "; gain map")
    #expect(plan.decode(of: Self.source.size).seeksGainMap)
  }

  @Test func withoutAMapOrTheSettingThereIsNone() {
    var plain = Self.source
    plain.hasGainMap = false
    for (source, settings, seeks) in [
      (plain, Self.settings(), true), (Self.source, Self.settings(.sdr), false),
    ] {
      let plan = Plan(for: source, settings: settings)
      #expect(plan.files.map(\.encoding.hasGainMap) == [false])
      #expect(plan.decode(of: source.size).seeksGainMap == seeks)
    }
    // A service has no gain maps.
    let served = Self.settings { $0.service = ServiceLimits() }
    #expect(Plan(for: Self.source, settings: served).files.count == 1)
  }

  /// Whether it is looked for changes no other file.
  @Test func theOtherFilesStayTheSame() {
    let (with, without) = (
      Plan(for: Self.source, settings: Self.settings()),
      Plan(for: Self.source, settings: Self.settings(.sdr))
    )
    #expect(with.variants[0].files[0] == without.variants[0].files[0])
    #expect(with.decode(of: Self.source.size).recipe == without.decode(of: Self.source.size).recipe)
    #expect(!with.decode(of: Self.source.size).keepsProfile)
    let keeping = Self.settings { $0.metadata = .icc }
    #expect(Plan(for: Self.source, settings: keeping).decode(of: Self.source.size).keepsProfile)
  }

  /// It has a packet of its own, and is for the colours of its image.
  @Test func itKeepsTheProfileAndNoXMP() throws {
    for (policy, kept) in [
      (.strip, .icc), (.keep, [.icc, .exif, .iptc]),
      ([.exif, .location], [.icc, .exif, .location]),
    ] as [(MetadataPolicy, MetadataPolicy)] {
      let settings = Self.settings { $0.metadata = policy }
      let file = try #require(Plan(for: Self.source, settings: settings).files.last)
      #expect(file.encoding.metadata == kept)
    }
  }

  /// Its quality is not found: the search compares files without a map.
  @Test func itsQualityIsANumber() throws {
    let found = Self.settings { $0.quality = EncoderSetting { _ in nil } }
    let plan = Plan(for: Self.source, settings: found)
    let encoding = try #require(plan.files.last).encoding
    #expect(encoding.automatic == nil)
    #expect(encoding.quality == found.automaticQuality.fallback(.jpeg))
    let file = try #require(Plan(for: Self.source, settings: Self.settings()).files.last)
    #expect(file.encoding.quality == Self.settings().quality[.jpeg])
  }

  @Test(arguments: [(65_500, true), (65_501, false)])
  func aSideFitsIntoAJPEG(_ length: Int, _ isMade: Bool) {
    var source = Self.source
    source.size = Size(length, 10)
    let settings = Self.settings {
      $0.slots = [Slot("a", width: 70_000, height: nil)]
      $0.formats = [.fixed(.png)]
    }
    let files = Plan(for: source, settings: settings).files
    #expect(files.map(\.encoding.hasGainMap) == (isMade ? [false, true] : [false]))
  }

  @Test func aDecoderThatFindsOneCorrectsThePlan() {
    func facts(_ headroom: Double?) -> SourceFacts {
      SourceFacts(size: Size(3, 4), hasAlpha: false, frames: 1, headroom: headroom)
    }
    #expect(facts(nil).plansLike(facts(0)) && facts(2).plansLike(facts(4)))
    #expect(!facts(4).plansLike(facts(nil)) && !facts(4).plansLike(facts(0)))
    #expect(!facts(0).plansLike(facts(4)) && facts(4).withoutGainMap == facts(0))
    // Nothing looked for one.
    #expect(facts(nil).plansLike(facts(4)))
    for (headroom, isPossible) in [
      (nil, true), (0, true), (0.99, false), (1, true), (65_536, true), (65_537, false),
      (-1, false), (.nan, false), (.infinity, false),
    ] as [(Double?, Bool)] {
      #expect(facts(headroom).isPossible == isPossible, "\(headroom ?? -9)")
    }
  }
}
