import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import TesseraPlan

/// Variants: their order, which of them are the same, how they show a source, and which a service
/// makes.
@Suite struct VariantTests {
  private static func variant(
    _ width: Int, _ height: Int, _ formats: [OutputFormat] = [.webp], crop: Crop? = nil,
    quality: Int = 80, reasons: [Fallback.Reason] = []
  ) -> PlannedVariant {
    PlannedVariant(
      files: formats.map { format in
        PlannedFile(
          crop: crop, size: Size(width, height),
          encoding: Encoding(
            format: format, quality: quality, effort: nil, background: nil, isAnimated: false),
          fallback: Fallback(reasons))
      })
  }

  private static func crop(_ x: Int, _ y: Int, _ size: Size = Size(9, 9)) -> Crop {
    Crop(x: x, y: y, size: size)
  }

  /// Each comes before those below it.
  private static let ordered = [
    variant(1, 1), variant(9, 1), variant(2, 5), variant(5, 2),
    // Of one size: a found place, none, and then by place, size and format.
    variant(4, 4, crop: Crop(Size(8, 8), .found(.entropy))),
    variant(4, 4, crop: Crop(Size(9, 8), .found(.attention))), variant(4, 4),
    variant(4, 4, [.webp, .jpeg]), variant(4, 4, [.jpeg]), variant(4, 4, [.png]),
    variant(4, 4, [.jxl]), variant(4, 4, crop: crop(0, 0, Size(7, 9))),
    variant(4, 4, crop: crop(0, 0, Size(8, 8))), variant(4, 4, crop: crop(0, 0, Size(8, 9))),
    variant(4, 4, crop: crop(0, 1)), variant(4, 4, crop: crop(1, 0)),
    variant(4, 4, crop: crop(1, 2)),
  ]

  @Test func theOrderIsTotal() {
    for (first, one) in Self.ordered.enumerated() {
      for (second, other) in Self.ordered.enumerated() {
        #expect(one.precedes(other) == (first < second), "\(first) and \(second)")
        #expect(one.isSame(as: other) == (first == second), "\(first) and \(second)")
      }
    }
  }

  @Test func reasonsDoNotMakeAnother() {
    let one = Self.variant(4, 4, [.webp, .jpeg])
    #expect(one.isSame(as: Self.variant(4, 4, [.webp, .jpeg], reasons: [.serviceLimit])))
    #expect(!one.isSame(as: Self.variant(4, 4, [.webp, .jpeg], quality: 81)))
    #expect(!one.isSame(as: Self.variant(4, 4, [.jpeg, .webp])))
  }

  @Test func moreReasonsCount() {
    let reasons: [[Fallback.Reason]] = [
      [], [.serviceLimit], [.sizeLimit(.webp)], [.sizeLimit(.webp), .noAlpha(.jpeg)],
    ]
    for own in reasons {
      for new in reasons {
        var variant = Self.variant(4, 4, [.png, .jpeg], reasons: own)
        variant.addReasons(of: Self.variant(4, 4, [.png, .jpeg], reasons: new))
        let expected = Fallback(new.count > own.count ? new : own)
        #expect(variant.files.map(\.fallback) == [expected, expected])
      }
    }
  }

  /// One file that meets a limit, and one that exceeds it.
  @Test func aSharedFileHasTheReasonOfTheLargerRequest() {
    let slots = [
      Slot("a", width: 16_383, height: nil), Slot("b", width: 20_000, height: nil),
    ]
    for slots in [slots, slots.reversed()] {
      let plan = Plan(
        for: PlanSource(size: Size(30_000, 10), isAnimated: true),
        settings: PlanSettings(slots: slots, scales: [1]))
      #expect(plan.variants.map(\.size) == [Size(16_383, 5)])
      #expect(plan.files.map(\.fallback) == [Fallback([.sizeLimit(.webp)])])
      #expect(plan.asked == 2 && plan.shared == 1)
    }
  }

  // MARK: Modes

  @Test func aVariantIsShownAsItsSlotsWant() {
    func modes(_ slots: [(CatalogSlot.Mode, variants: [Int])]) -> [CatalogSlot.Mode] {
      let plan = Plan(
        variants: [Self.variant(1, 1), Self.variant(2, 2, crop: Self.crop(0, 0))],
        slots: slots.map { mode, variants in
          .init(
            slot: Slot("s", width: 1, height: 1, mode: mode), layout: Size(1, 1), image: Size(1, 1),
            isBounded: false,
            requests: variants.map {
              .init(scale: 1, asked: Size(1, 1), variant: $0)
            })
        }, formatCount: 1, lanes: .on)
      return [0, 1].map { plan.mode(of: $0) }
    }
    #expect(modes([(.fit, [0, 1])]) == [.fit, .clip])
    #expect(modes([(.fill, [0]), (.clip, [1, 0])]) == [.fill, .clip])
    #expect(modes([(.fill, [0]), (.fit, [1])]) == [.fill, .clip])
    #expect(modes([(.fill, [0]), (.fit, [1, 0])]) == [.fit, .clip])
  }

  // MARK: Sources

  @Test func factsArePossible() {
    func isPossible(_ width: Int, _ height: Int, _ frames: Int) -> Bool {
      SourceFacts(size: Size(width, height), hasAlpha: true, frames: frames).isPossible
    }
    expectLeast(1) { isPossible($0, 1, 1) }
    expectLeast(1) { isPossible(1, $0, 1) }
    expectLeast(1) { isPossible(1, 1, $0) }
    expectMost(10_000_000) { isPossible($0, 1, 1) }
    expectMost(10_000_000) { isPossible(1, $0, 1) }
    expectMost(1_000_000) { isPossible(1, 1, $0) }
  }

  /// The number of frames decides only about whether there are several.
  @Test func aPlanIsForFacts() {
    let facts = SourceFacts(size: Size(3, 4), hasAlpha: false, frames: 2)
    func plansLike(_ change: (inout SourceFacts) -> Void) -> Bool {
      var other = facts
      change(&other)
      #expect(other.plansLike(facts) == facts.plansLike(other))
      return facts.plansLike(other)
    }
    #expect(plansLike { $0.frames = 9 } && plansLike { $0.profile = "P3" })
    #expect(!plansLike { $0.frames = 1 } && !plansLike { $0.hasAlpha = true })
    #expect(!plansLike { $0.colourSpace = "cmyk" } && plansLike { $0.colourSpace = "grey" })
    #expect(!plansLike { $0.size.width = 4 } && !plansLike { $0.size.height = 3 })
  }

  // MARK: Services

  @Test func aServiceMakesWhatIsInItsLimits() {
    var limits = ServiceLimits()
    limits.formats = [.webp, .png]
    limits.longestSides = [.webp: 100]
    limits.areas = [.webp: 5_000]
    func allows(_ width: Int, _ height: Int, _ format: OutputFormat = .webp, crop: Crop? = nil)
      -> Bool
    {
      limits.makes(
        Self.variant(width, height, [format], crop: crop).files[0],
        of: PlanSource(size: Size(120, 100)))
    }
    expectMost(100) { allows($0, 1) }
    expectMost(100) { allows(1, $0) }
    expectMost(50) { allows(100, $0) }
    #expect(allows(1_000, 1_000, .png) && !allows(1, 1, .jpeg))
    #expect(allows(1, 1, crop: Self.crop(0, 0)))
    limits.crops = false
    #expect(!allows(1, 1, crop: Self.crop(0, 0)) && allows(1, 1))
    // A width of the service, or all of a source, at most as wide as its widest.
    limits.widths = [10, 20]
    #expect(allows(10, 1) && allows(20, 1) && !allows(15, 1) && !allows(120, 1, .png))
    limits.widths = [10, 120]
    #expect(allows(120, 1, .png) && !allows(119, 1, .png))
    limits.widths = [10, 200]
    #expect(allows(120, 1, .png) && !allows(121, 1, .png))
    limits.widths = [10, 119]
    #expect(!allows(120, 1, .png))
  }

  /// A request for one of the service's widths is served in full; its widest is no limit that was
  /// met.
  @Test(
    arguments: [
      (100, 100, nil), (101, 200, nil), (200, 200, nil), (400, 400, nil),
      (401, 400, "service-limit"),
    ] as [(Int, Int, String?)])
  func aWidthOfTheServiceIsEnough(_ asked: Int, _ width: Int, _ fallback: String?) {
    var settings = PlanSettings(
      slots: [Slot("a", width: asked, height: nil)], scales: [1], rounding: .exact)
    settings.service = ServiceLimits()
    settings.service?.widths = [100, 200, 400]
    settings.service?.formats = [.webp]
    let file = Plan(for: PlanSource(size: Size(900, 600)), settings: settings).files[0]
    #expect(file.size.width == width && file.fallback?.text == fallback)
  }

  @Test func whatIsNotSaidHasADefault() {
    let settings = PlanSettings(slots: [])
    #expect(settings.scales == [1, 2, 3] && settings.rounding == .powerOfTwo)
    #expect(settings.formats == [.fixed(.webp)] && settings.oversized == .jpeg)
    #expect(settings.quality == .quality && settings.effort == .effort)
    #expect(settings.automaticQuality == AutomaticQuality() && settings.alphaQuality == 100)
    #expect(settings.background == .white && settings.metadata == .strip)
    #expect(settings.keepsAnimation && settings.gravity == .centre && settings.lanes == .on)
    #expect(settings.service == nil)
    let source = PlanSource(size: Size(1, 2))
    #expect(!source.hasAlpha && !source.isAnimated && !source.isPhotograph)
    #expect(source.format == nil && source.focus == nil)
    #expect(Slot("a", width: 1, height: nil).mode == .fit)
  }

  @Test func theLongestSideIsTheLeastOfAllLimits() {
    var limits = ServiceLimits()
    #expect(limits.longestSide(of: Size(3, 2), in: .webp) == 0)
    limits.formats = [.webp, .jpeg]
    #expect(limits.longestSide(of: Size(3, 2), in: .webp) == 16_383)
    #expect(limits.longestSide(of: Size(3, 2), in: .jpeg) == 65_500)
    limits.longestSides = [.webp: 100, .jpeg: 90, .avif: 10]
    #expect(limits.longestSide(of: Size(3, 2), in: .webp) == 100)
    #expect(limits.longestSide(of: Size(3, 2), in: .jpeg) == 90)
    limits.areas = [.webp: 2_400]
    // 60 x 40 are 2,400.
    #expect(limits.longestSide(of: Size(3, 2), in: .webp) == 60)
    #expect(limits.longestSide(of: Size(2, 3), in: .webp) == 60)
    limits.longestSides[.webp] = 50
    #expect(limits.longestSide(of: Size(3, 2), in: .webp) == 50)
  }

  /// For all small shapes: the longest side whose result is in the area, found by trying all.
  @Test func anAreaIsUsedUp() {
    var wrong: [String] = []
    for width in 1...24 {
      for height in 1...24 {
        for area in [1, 2, 3, 10, 50, 99, 400] {
          var limits = ServiceLimits()
          limits.areas = [.webp: area]
          limits.formats = [.webp]
          let (longer, shorter) = (max(width, height), min(width, height))
          let best = (1...2_000).last { side in
            side * max(1, (2 * side * shorter + longer) / (2 * longer)) <= area
          }
          let found = limits.longestSide(of: Size(width, height), in: .webp)
          if found != best {
            wrong.append("\(width)x\(height) in \(area): \(found)")
          }
        }
      }
    }
    #expect(wrong == [])
  }
}
