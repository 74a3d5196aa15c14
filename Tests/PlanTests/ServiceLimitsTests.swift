import TesseraCatalog
import TesseraPlan
import Testing

/// Plans for an image service, which has limits of its own.
@Suite struct ServiceLimitsTests {
  private static func outline(
    _ size: Size, _ slot: Slot, formats: [FormatChoice] = [.fixed(.webp)],
    _ change: (inout ServiceLimits) -> Void
  ) -> [String] {
    var limits = ServiceLimits()
    limits.formats = [.webp, .jpeg, .avif]
    change(&limits)
    var settings = PlanSettings(slots: [slot], scales: [1], rounding: .exact, formats: formats)
    settings.service = limits
    let plan = Plan(for: PlanSource(size: size), settings: settings)
    return plan.variants.enumerated().map { index, variant in
      let file = variant.files[0]
      let crop = file.crop.map { " \($0)" } ?? ""
      return
        "\(file.size.width)x\(file.size.height) \(file.encoding.format) \(plan.mode(of: index))"
        + "\(crop) \(file.fallback?.text ?? "-")"
    }
  }

  private static let wide = Slot("a", width: 5_000, height: nil)

  @Test func theLongestSideIsTheTopRung() {
    #expect(
      Self.outline(Size(9_000, 6_000), Self.wide) {
        $0.longestSides = [.webp: 4_096, .jpeg: 4_000]
      } == ["4096x2731 webp fit service-limit"])
    // What replaces the format holds more, though not enough.
    #expect(
      Self.outline(Size(9_000, 6_000), Self.wide) {
        $0.longestSides = [.webp: 4_000, .jpeg: 4_096]
      } == ["4096x2731 jpeg fit service-limit, webp-size-limit"])
    #expect(
      Self.outline(Size(9_000, 6_000), Self.wide) { $0.longestSides = [.webp: 4_096] }
        == ["5000x3333 jpeg fit webp-size-limit"])
    #expect(
      Self.outline(Size(9_000, 6_000), Self.wide) { $0.longestSides = [.jpeg: 4_096] }
        == ["5000x3333 webp fit -"])
    // A request at the limit is served in full.
    #expect(
      Self.outline(Size(9_000, 6_000), Slot("a", width: 4_096, height: nil)) {
        $0.longestSides = [.webp: 4_096]
      } == ["4096x2731 webp fit -"])
  }

  @Test(arguments: [
    (Size(9_000, 6_000), 1_000_000, "1224x816"), (Size(6_000, 9_000), 1_000_000, "816x1224"),
    (Size(9_000, 9_000), 1_000_000, "1000x1000"), (Size(9_000, 1), 5, "5x1"),
    (Size(7, 7), 1, "1x1"),
  ])
  func theAreaIsKept(_ size: Size, _ area: Int, _ expected: String) {
    let slot = Slot("a", width: 100_000 / 2, height: nil)
    let found = Self.outline(size, slot) {
      $0.areas = [.webp: area]
      $0.formats = [.webp]
    }
    #expect(found == ["\(expected) webp fit service-limit"])
  }

  /// One under the limit fits, one more pixel on the longer side does not, for many shapes.
  @Test func theAreaIsUsedUp() {
    for height in stride(from: 1, to: 4_000, by: 37) {
      let source = Size(4_000, height)
      let text = Self.outline(source, Slot("a", width: 50_000, height: nil)) {
        $0.areas = [.webp: 250_000]
        $0.formats = [.webp]
      }[0]
      let sides = text.prefix { $0 != " " }.split(separator: "x").compactMap { Int($0) }
      #expect(sides[0] * sides[1] <= 250_000)
      let next = sides[0] + 1
      let other = max(1, (2 * next * height + 4_000) / 8_000)
      #expect(next > 4_000 || next * other > 250_000, "\(source) \(text)")
    }
  }

  @Test func widthsAreRoundedUpTo() {
    func widths(_ limits: inout ServiceLimits) { limits.widths = [100, 200, 400] }
    #expect(
      Self.outline(Size(900, 600), Slot("a", width: 150, height: nil), widths) == [
        "200x133 webp fit -"
      ])
    #expect(
      Self.outline(Size(900, 600), Slot("a", width: 500, height: nil), widths) == [
        "400x267 webp fit service-limit"
      ])
    // Nothing is enlarged to a width.
    #expect(
      Self.outline(Size(170, 90), Slot("a", width: 150, height: nil), widths) == [
        "170x90 webp fit -"
      ])
  }

  @Test func withoutCropsAnImageCoversItsSlot() {
    let slot = Slot("a", width: 36, height: 36, mode: .clip)
    #expect(
      Self.outline(Size(600, 400), slot) { $0.crops = true }
        == ["36x36 webp clip 100,0,400x400 -"])
    #expect(Self.outline(Size(600, 400), slot) { $0.crops = false } == ["54x36 webp fill -"])
  }

  /// A format that the service lacks does not take the place of another one.
  @Test func oversizedIsWhatTheServiceMakes() {
    let tall = Slot("a", width: 900, height: nil)
    #expect(
      Self.outline(Size(900, 20_000), tall) { _ in } == ["900x20000 jpeg fit webp-size-limit"])
    #expect(
      Self.outline(Size(900, 20_000), tall) { $0.formats = [.webp] }
        == ["737x16383 webp fit service-limit"])
  }

  // MARK: What a service can't make

  private static func plan(
    _ source: PlanSource, _ slots: [Slot], formats: [FormatChoice] = [.fixed(.webp)],
    _ change: (inout ServiceLimits) -> Void
  ) -> [String] {
    var limits = ServiceLimits()
    limits.formats = [.webp, .jpeg, .avif]
    change(&limits)
    var settings = PlanSettings(slots: slots, scales: [1], rounding: .exact, formats: formats)
    settings.service = limits
    return Plan(for: source, settings: settings).variants.map { variant in
      let files = variant.files.map { "\($0.encoding.format)" }.joined(separator: " ")
      return "\(variant.size.width)x\(variant.size.height) "
        + (variant.isOriginal ? "original" : files) + (variant.isLimited ? " limited" : "")
    }
  }

  private static func source(
    _ size: Size, _ container: String = "jpeg", frames: Int = 1
  ) -> PlanSource {
    var source = PlanSource(size: size)
    source.container = container
    source.frames = frames
    return source
  }

  /// The largest sizes alone; a client shows the source in their place.
  @Test func theSourceStandsForWhatIsTooLarge() {
    let slots = [Slot("a", width: 100, height: nil), Self.wide]
    func plan(_ container: String, hasURL: Bool = true) -> [String] {
      var source = Self.source(Size(9_000, 6_000), container)
      source.hasURL = hasURL
      return Self.plan(source, slots) {
        $0.longestSides = [.webp: 4_096, .jpeg: 4_096]
      }
    }
    #expect(plan("jpeg") == ["100x67 webp", "9000x6000 original limited"])
    // Once for all slots, whatever would have been made for them.
    let whole = Self.plan(
      Self.source(Size(900, 20_000)),
      [Slot("a", width: 900, height: nil), Slot("b", width: 90, height: nil)]
    ) { $0.source.pixels = 1_000_000 }
    #expect(whole == ["900x20000 original limited"])
    // Not every client shows a HEIC.
    #expect(plan("heic") == ["100x67 webp", "4096x2731 webp limited"])
    // No client can request a file or an object of a store.
    #expect(plan("jpeg", hasURL: false) == ["100x67 webp", "4096x2731 webp limited"])
  }

  /// Beyond a limit of sources nothing is made of them. Clients crop the source itself.
  @Test(arguments: [
    ("bytes", 100, true), ("bytes", 99, false), ("pixels", 60_000, true),
    ("pixels", 59_999, false), ("side", 300, true), ("side", 299, false),
    ("frames", 5, true), ("frames", 4, false), ("animation", 300_000, true),
    ("animation", 299_999, false), ("kept", 5, true), ("kept", 4, false), ("format", 1, true),
    ("format", 0, false),
  ])
  func theSourceStandsForWhatIsNotRead(_ limit: String, _ value: Int, _ isMade: Bool) {
    var source = Self.source(Size(300, 200), "gif", frames: 5)
    source.bytes = 100
    let slots = [
      Slot("a", width: 30, height: 30, mode: .clip), Slot("b", width: 90, height: nil),
    ]
    let found = Self.plan(source, slots) {
      $0.frames = limit == "kept" ? value : nil
      switch limit {
      case "bytes": $0.source.bytes = value
      case "pixels": $0.source.pixels = value
      case "side": $0.source.side = value
      case "frames": $0.source.frames = value
      case "animation": $0.source.animationPixels = value
      case "format": $0.source.formats = value == 1 ? ["gif"] : ["png"]
      default: break
      }
    }
    #expect(found == (isMade ? ["30x30 webp", "90x60 webp"] : ["300x200 original limited"]))
  }

  /// Of the widths of a service only those count whose height the format holds.
  @Test func aWidthMayBeTooHigh() {
    func plan(_ width: Int, _ container: String = "jpeg") -> [String] {
      Self.plan(
        Self.source(Size(670, 35_880), container), [Slot("a", width: width, height: nil)]
      ) {
        $0.formats = [.webp]
        $0.widths = [100, 256, 384]
      }
    }
    #expect(plan(180) == ["256x13709 webp"])
    #expect(plan(300) == ["670x35880 original limited"])
    #expect(plan(300, "heic") == ["256x13709 webp limited"])
  }

  /// A still image has one frame, and so has what is to show the first one only.
  @Test func framesCountWhereTheyAreKept() {
    let slot = [Slot("a", width: 90, height: nil)]
    let still = Self.plan(Self.source(Size(300, 200)), slot) { $0.source.frames = 1 }
    #expect(still == ["90x60 webp"])
    // A pipeline asks for JPEG to have the first frame.
    let first = Self.plan(
      Self.source(Size(300, 200), "gif", frames: 9), slot, formats: [.fixed(.jpeg)]
    ) { $0.frames = 1 }
    #expect(first == ["90x60 jpeg"])
    var limits = ServiceLimits()
    #expect(
      limits.countsFrames(keepsAnimation: true) && !limits.countsFrames(keepsAnimation: false))
    limits.frames = nil
    #expect(!limits.countsFrames(keepsAnimation: true))
    limits.source.frames = 9
    #expect(limits.countsFrames(keepsAnimation: false))
    limits.source.frames = nil
    limits.source.animationPixels = 9
    #expect(limits.countsFrames(keepsAnimation: false))
  }

  @Test func animationsThatAreNotCroppedCover() {
    let slot = [Slot("a", width: 30, height: 30, mode: .clip)]
    func plan(_ frames: Int) -> [String] {
      Self.plan(Self.source(Size(300, 200), "gif", frames: frames), slot) {
        $0.frames = nil
        $0.cropsAnimations = false
      }
    }
    #expect(plan(5) == ["45x30 webp"] && plan(1) == ["30x30 webp"])
  }

  /// Each format is in the sizes that it holds, and shrinks no other.
  @Test func aFormatThatDoesNotHoldASizeIsLeftOut() {
    let slots = [1_100, 1_200, 2_000, 13_000].map { (width: Int) in
      Slot("a\(width)", width: width, height: nil)
    }
    let found = Self.plan(
      Self.source(Size(16_000, 8_000)), slots, formats: [.fixed(.avif), .fixed(.webp)]
    ) { $0.longestSides = [.avif: 1_200, .webp: 12_000, .jpeg: 14_000] }
    #expect(
      found == ["1100x550 avif webp", "1200x600 avif webp", "2000x1000 webp", "13000x6500 jpeg"])
  }

  @Test func aFileOfAnotherPlanIsJudged() {
    var limits = ServiceLimits()
    limits.formats = [.webp]
    limits.widths = [100]
    limits.longestSides = [.webp: 120]
    func allows(_ width: Int, _ height: Int, _ format: OutputFormat = .webp) -> Bool {
      let encoding = Encoding(
        format: format, quality: 80, effort: nil, background: nil, isAnimated: false)
      let file = PlannedFile(
        crop: nil, size: Size(width, height), encoding: encoding, fallback: nil)
      return limits.makes(file, of: PlanSource(size: Size(90, 60)))
    }
    #expect(allows(100, 66) && allows(90, 60))
    #expect(!allows(80, 53) && !allows(100, 121) && !allows(100, 66, .jpeg))
  }
}
