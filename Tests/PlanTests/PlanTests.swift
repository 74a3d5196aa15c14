import TesseraPlan
import Testing

private func plan(
  _ width: Int, _ height: Int, _ slots: [Slot], alpha: Bool = false, animated: Bool = false,
  focus: PlanSource.Focus? = nil, _ change: (inout PlanSettings) -> Void = { _ in }
) -> Plan {
  var settings = PlanSettings(slots: slots)
  change(&settings)
  return Plan(
    for: PlanSource(
      size: Size(width, height), hasAlpha: alpha, isAnimated: animated, focus: focus),
    settings: settings)
}

/// `64x64`, with the crop's size and the format where they are not the usual.
private func outline(_ plan: Plan) -> [String] {
  plan.variants.map { variant in
    var text = "\(variant.size.width)x\(variant.size.height)"
    if let crop = variant.crop {
      text += " of \(crop.size.width)x\(crop.size.height)+\(crop.x)+\(crop.y)"
    }
    if variant.encoding.format != .webp { text += " \(variant.encoding.format.rawValue)" }
    if let fallback = variant.fallback { text += " (\(fallback.rawValue))" }
    return text
  }
}

@Suite struct PlanTests {
  let avatar24 = Slot("small", width: 24, height: 24, mode: .clip)
  let avatar30 = Slot("large", width: 30, height: 30, mode: .clip)
  let card = Slot("card", width: 180, height: nil)

  @Test func avatarsOf24And30PointsShareOneFile() {
    let one = plan(1000, 1000, [avatar24, avatar30]) { $0.scales = [1] }
    #expect(outline(one) == ["32x32"])
    #expect(one.shared == 1)
    let three = plan(1000, 1000, [avatar24, avatar30])
    #expect(outline(three) == ["32x32", "64x64", "128x128"])
    #expect(three.slots[0].requests.map(\.variant) == [0, 1, 2])
    #expect(three.slots[1].requests.map(\.variant) == [0, 1, 2])
  }

  @Test(
    arguments: [
      // fit: the width is given, the longer side is rounded
      (4032, 3024, Slot("a", width: 180, height: nil), ["256x192", "512x384", "1024x768"]),
      (3024, 4032, Slot("a", width: 180, height: nil), ["192x256", "384x512", "768x1024"]),
      (3024, 4032, Slot("a", width: nil, height: 200), ["192x256", "384x512", "768x1024"]),
      (4000, 2000, Slot("a", width: 100, height: 100), ["128x64", "256x128", "512x256"]),
      // fill: the box is covered
      (
        4000, 2000, Slot("a", width: 100, height: 100, mode: .fill),
        ["256x128", "512x256", "1024x512"]
      ),
      // clip: cropped to the middle
      (
        4000, 2000, Slot("a", width: 40, height: 20, mode: .clip),
        ["64x32", "128x64"]
      ),
      (
        4000, 3000, Slot("a", width: 40, height: 40, mode: .clip),
        ["64x64 of 3000x3000+500+0", "128x128 of 3000x3000+500+0"]
      ),
      // never enlarged
      (100, 50, Slot("a", width: 180, height: nil), ["100x50"]),
      (300, 150, Slot("a", width: 180, height: nil), ["256x128", "300x150"]),
      // sides never become nothing
      (20000, 1, Slot("a", width: 180, height: nil), ["256x1", "512x1", "1024x1"]),
      (1, 20000, Slot("a", width: nil, height: 100), ["1x128", "1x256", "1x512"]),
      (1, 1, Slot("a", width: 40, height: 20, mode: .clip), ["1x1"]),
    ] as [(Int, Int, Slot, [String])])
  func plans(_ width: Int, _ height: Int, _ slot: Slot, _ expected: [String]) {
    #expect(outline(plan(width, height, [slot])) == expected)
  }

  @Test func roundsOnEveryLadder() {
    let slot = Slot("a", width: 300, height: nil)
    #expect(
      outline(plan(4000, 2000, [slot]) { $0.rounding = .exact }) == [
        "300x150", "600x300", "900x450",
      ])
    #expect(
      outline(plan(4000, 2000, [slot]) { $0.rounding = .halfSteps })
        == ["384x192", "768x384", "1024x512"])
    #expect(
      outline(plan(4000, 2000, [slot]) { $0.rounding = .list([320, 640]) })
        == ["320x160", "640x320", "900x450"])
  }

  @Test func theTopRungIsTheFormatsLimitAndWhatIsLongerGoesToTheFallback() {
    func asked(_ length: Int, native: Int = 200_000, alpha: Bool = false, animated: Bool = false)
      -> [String]
    {
      outline(
        plan(
          native / 20, native, [Slot("a", width: nil, height: length)], alpha: alpha,
          animated: animated
        ) {
          $0.scales = [1]
        })
    }
    #expect(asked(12_000) == ["819x16383"])
    #expect(asked(16_383) == ["819x16383"])
    #expect(asked(16_384) == ["819x16384 jpeg (webp-size-limit)"])
    #expect(asked(40_000) == ["3275x65500 jpeg (webp-size-limit)"])
    #expect(asked(65_500) == ["3275x65500 jpeg (webp-size-limit)"])
    #expect(asked(65_501) == ["3277x65536 png (webp-size-limit)"])
    // JPEG would lose alpha, and the frames of an animation.
    #expect(asked(16_384, alpha: true) == ["819x16384 png (webp-size-limit)"])
    #expect(asked(16_384, animated: true) == ["819x16383"])
    // The source's own size, between rung and limit.
    #expect(asked(16_384, native: 20_000) == ["819x16384 jpeg (webp-size-limit)"])
    #expect(asked(17_000, native: 20_000) == ["1000x20000 jpeg (webp-size-limit)"])
    #expect(asked(12_000, native: 16_000) == ["800x16000"])
  }

  @Test func centresCropsOnTheFocusAsFarAsTheyCan() {
    let slot = Slot("a", width: 40, height: 40, mode: .clip)
    func crop(_ x: Double) -> Int? {
      plan(3000, 1000, [slot], focus: .init(x: x, y: 0.5)).variants[0].crop?.x
    }
    #expect([crop(0), crop(0.3), crop(0.5), crop(1)] == [0, 400, 1000, 2000])
  }

  /// Crops keep the side that gravity names, and a source's own focus goes before it.
  @Test(
    arguments: [
      (Gravity.centre, 100, 0), (.north, 100, 0), (.west, 0, 0), (.east, 200, 0),
      (.northEast, 200, 0), (.southWest, 0, 0),
    ] as [(Gravity, Int, Int)])
  func takesCropsFromWhereGravityPulls(_ gravity: Gravity, _ x: Int, _ y: Int) {
    let settings = PlanSettings(
      slots: [Slot("a", width: 10, height: 10, mode: .clip)], gravity: gravity)
    let wide = Plan(for: PlanSource(size: Size(300, 100)), settings: settings)
    #expect(wide.variants[0].crop == Crop(x: x, y: y, size: Size(100, 100)))
    // Turned by a right angle, the other axis counts.
    let tall = Plan(for: PlanSource(size: Size(100, 300)), settings: settings)
    let below: [Gravity: Int] = [.north: 0, .northEast: 0, .southWest: 200]
    #expect(
      tall.variants[0].crop == Crop(x: 0, y: below[gravity] ?? 100, size: Size(100, 100)))
    let focused = PlanSource(size: Size(300, 100), focus: .init(x: 0.9, y: 0.5))
    #expect(Plan(for: focused, settings: settings).variants[0].crop?.x == 200)
  }

  @Test func saysHowLargeThePictureIsInTheLayout() {
    let layouts = plan(3024, 4032, [card, avatar24]).slots.map(\.layout)
    #expect(layouts == [Size(180, 240), Size(24, 24)])
    // A small picture still takes its slot's place.
    #expect(plan(30, 40, [card]).slots[0].layout == Size(180, 240))
  }

  /// The rules of the design as properties, over random sources and slots.
  @Test func holdsItsRulesOverRandomPlans() {
    var random = SplitMix(seed: 20_261_121)
    let ladders: [Rounding] = [.powerOfTwo, .halfSteps, .exact, .list([320, 640, 1280])]
    for _ in 0..<20_000 {
      let source = Size(random.side(), random.side())
      let slots = (0..<Int.random(in: 1...4, using: &random)).map { index in
        let mode = Mode.allCases.randomElement(using: &random) ?? .fit
        let free = mode == .clip ? 2 : Int.random(in: 0...2, using: &random)
        return Slot(
          "s\(index)", width: free == 0 ? nil : Int.random(in: 1...2000, using: &random),
          height: free == 1 ? nil : Int.random(in: 1...2000, using: &random), mode: mode)
      }
      let rounding = ladders.randomElement(using: &random) ?? .powerOfTwo
      let alpha = Bool.random(using: &random)
      let result = plan(source.width, source.height, slots, alpha: alpha) { $0.rounding = rounding }
      check(result, source: source, rounding: rounding)
      let reversed = plan(source.width, source.height, slots.reversed(), alpha: alpha) {
        $0.rounding = rounding
      }
      #expect(reversed.variants == result.variants)
    }
  }

  private func check(_ plan: Plan, source: Size, rounding: Rounding) {
    #expect(Set(plan.variants).count == plan.variants.count)
    #expect(Set(plan.slots.flatMap { $0.requests.map(\.variant) }).count == plan.variants.count)
    for variant in plan.variants {
      let native = variant.crop?.size ?? source
      #expect(variant.size.width >= 1 && variant.size.height >= 1)
      #expect(variant.size.width <= native.width && variant.size.height <= native.height)
      #expect(variant.size.longerSide <= variant.encoding.format.longestSide)
      if rounding == .powerOfTwo, variant.size != native,
        variant.size.longerSide != variant.encoding.format.longestSide
      {
        #expect(variant.size.longerSide & (variant.size.longerSide - 1) == 0)
      }
      if let crop = variant.crop {
        #expect(crop.x >= 0 && crop.x + crop.size.width <= source.width)
        #expect(crop.y >= 0 && crop.y + crop.size.height <= source.height)
      }
    }
    for slot in plan.slots {
      for request in slot.requests {
        let variant = plan.variants[request.variant]
        let native = variant.crop?.size ?? source
        #expect(
          variant.size == native
            || (variant.size.width >= min(request.asked.width, native.width)
              && variant.size.height >= min(request.asked.height, native.height)),
          "\(slot.slot) \(request) \(variant.size) of \(source)")
        guard slot.slot.mode == .clip, let width = slot.slot.width, let height = slot.slot.height
        else { continue }
        // The crop has the slot's shape to within a pixel.
        let crop = native
        #expect(
          abs(Double(crop.width) - Double(crop.height) * Double(width) / Double(height)) <= 1
            || abs(Double(crop.height) - Double(crop.width) * Double(height) / Double(width)) <= 1)
      }
    }
  }
}

/// A small random generator with a seed, so that a failure can be seen again.
private struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A side: often ordinary, sometimes tiny or huge.
  mutating func side() -> Int {
    switch next() % 4 {
    case 0: Int.random(in: 1...50, using: &self)
    case 1: Int.random(in: 10_000...120_000, using: &self)
    default: Int.random(in: 100...6000, using: &self)
    }
  }
}
