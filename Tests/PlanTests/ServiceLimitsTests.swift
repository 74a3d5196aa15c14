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
      Self.outline(Size(9_000, 6_000), Self.wide) { $0.longestSides = [.webp: 4_096] }
        == ["4096x2731 webp fit service-limit"])
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
    let found = Self.outline(size, slot) { $0.areas = [.webp: area] }
    #expect(found == ["\(expected) webp fit service-limit"])
  }

  /// One under the limit fits, one more pixel on the longer side does not, for many shapes.
  @Test func theAreaIsUsedUp() {
    for height in stride(from: 1, to: 4_000, by: 37) {
      let source = Size(4_000, height)
      let text = Self.outline(source, Slot("a", width: 50_000, height: nil)) {
        $0.areas = [.webp: 250_000]
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
        == ["737x16383 webp fit webp-size-limit"])
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
      return limits.allow(file, of: Size(90, 60))
    }
    #expect(allows(100, 66) && allows(90, 60))
    #expect(!allows(80, 53) && !allows(100, 121) && !allows(100, 66, .jpeg))
  }
}
