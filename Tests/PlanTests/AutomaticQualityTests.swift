import TesseraCatalog
import TesseraPlan
import Testing

/// Files whose quality is found: which ones, where it is searched, and what they share.
@Suite struct AutomaticQualityTests {
  private static func settings(_ formats: [FormatChoice] = [.fixed(.webp)]) -> PlanSettings {
    var settings = PlanSettings(
      slots: [
        Slot("card", width: 200, height: nil), Slot("thumb", width: 40, height: 40, mode: .clip),
      ], formats: formats)
    settings.quality = EncoderSetting { _ in nil }
    return settings
  }

  private static let photo = PlanSource(size: Size(4_000, 3_000), isPhotograph: true)

  @Test func filesOfAnEncodingShareASearch() {
    var plan = Plan(for: Self.photo, settings: Self.settings([.fixed(.webp), .fixed(.jpeg)]))
    let decode = plan.decode(of: Self.photo.size)
    let searches = plan.prepareSearches(of: Self.photo.size, decode)
    #expect(searches.map(\.encoding.format) == [.webp, .jpeg])
    #expect(searches.allSatisfy { $0.size == Size(512, 384) })
    #expect(plan.files.allSatisfy { $0.encoding.isUnresolved })
    #expect(
      searches[0].recipe
        == "search webp 512x384; quality 40 to 92 for 72; effort 4; first frame; strip")
    plan.resolve(searches[0].encoding, 61)
    #expect(
      plan.files.filter { $0.encoding.format == .webp }.allSatisfy { $0.encoding.quality == 61 })
    #expect(plan.files.unresolvedEncodings == [searches[1].encoding])
    // A file is named by its quality, however that was found.
    var fixed = Self.settings([.fixed(.webp), .fixed(.jpeg)])
    fixed.quality = EncoderSetting { $0 == .png ? nil : 61 }
    let same = Plan(for: Self.photo, settings: fixed)
    #expect(plan.files[0].recipe == same.files[0].recipe)
    #expect(plan.files[1].recipe != same.files[1].recipe)
  }

  @Test func theSearchedSizeFollowsFromSourceAndDecoding() {
    let sizes: [(source: Size, base: Size, searched: Size?)] = [
      (Size(4_000, 3_000), Size(1_024, 768), Size(512, 384)),
      (Size(3_000, 4_000), Size(768, 1_024), Size(384, 512)),
      (Size(4_000, 3_000), Size(128, 96), Size(128, 96)),
      (Size(600, 10), Size(600, 10), Size(512, 9)),
      (Size(30_000, 1), Size(2_048, 1), Size(512, 1)),
      (Size(64, 20), Size(64, 20), Size(64, 20)),
      (Size(63, 63), Size(63, 63), nil),
    ]
    for (source, base, searched) in sizes {
      #expect(AutomaticQuality.searchedSize(of: source, base: base) == searched)
    }
  }

  @Test func anImageTooSmallForASearchHasTheDefaultQuality() {
    let icon = PlanSource(size: Size(48, 48))
    for (range, quality) in [(40...92, 80), (40...70, 70), (85...92, 85)] {
      var settings = Self.settings()
      settings.automaticQuality.range = range
      var plan = Plan(for: icon, settings: settings)
      #expect(plan.prepareSearches(of: icon.size, plan.decode(of: icon.size)).isEmpty)
      #expect(plan.files.allSatisfy { $0.encoding.quality == quality })
    }
  }

  @Test func animationsAndLosslessFilesAreNotSearched() {
    let animation = PlanSource(size: Size(640, 480), isAnimated: true)
    let formats: [FormatChoice] = [.fixed(.webp), .fixed(.jpeg), .fixed(.png)]
    let plan = Plan(for: animation, settings: Self.settings(formats))
    for file in plan.files {
      switch file.encoding.format {
      case .webp: #expect(file.encoding.quality == 80 && file.encoding.automatic == nil)
      // The first frame of an animation is a still image.
      case .jpeg: #expect(file.encoding.isUnresolved)
      default: #expect(file.encoding.quality == nil && file.encoding.automatic == nil)
      }
    }
  }

  @Test func aimsFollowTheSize() {
    let automatic = AutomaticQuality(target: 75)
    let aims = [Size(1_024, 10), Size(512, 512), Size(384, 1), Size(256, 256), Size(64, 64)].map {
      automatic.aim(at: $0, .webp)
    }
    let expected = [75, 75, 75 + 0.6, 75 + 1.8, 75 + 5.4]
    for (aim, expected) in zip(aims, expected) { #expect(abs(aim - expected) < 1e-9) }
    #expect(automatic.aim(at: Size(256, 256), .jpeg) < automatic.aim(at: Size(256, 256), .webp))
  }

  @Test func graphicsAreNotBelowTheDefault() {
    #expect(AutomaticQuality().range(.webp, isGraphic: false) == 40...92)
    #expect(AutomaticQuality().range(.webp, isGraphic: true) == 80...80)
    #expect(AutomaticQuality().range(.avif, isGraphic: true) == 65...65)
    #expect(AutomaticQuality(target: 85).range(.webp, isGraphic: true) == 80...92)
    // A bound that the user sets is one for graphics, too.
    #expect(AutomaticQuality(range: 40...70).range(.webp, isGraphic: true) == 70...70)
  }

  @Test func theEstimateFollowsTheTarget() {
    let bytes = [60, 70, 85].map { target in
      var settings = Self.settings()
      settings.automaticQuality.target = target
      return Plan(for: Self.photo, settings: settings).estimatedBytes(hasAlpha: false)
    }
    var fixed = Self.settings()
    fixed.quality = .quality
    let usual = Plan(for: Self.photo, settings: fixed).estimatedBytes(hasAlpha: false)
    #expect(bytes[0] < bytes[1] && bytes[1] < usual && usual < bytes[2])
  }
}
