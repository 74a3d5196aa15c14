import TesseraCatalog
import TesseraPlan
import TesseraTestSupport
import Testing

/// The rules of planning as properties, over random sources, slots, scales, ladders and formats.
@Suite struct PlanPropertyTests {
  @Test func randomPlansFollowTheRules() {
    var random = SplitMix(seed: 20_261_121)
    for _ in 0..<20_000 {
      let source = random.source()
      let settings = random.settings()
      let plan = Plan(for: source, settings: settings)
      checkFiles(plan, of: source, settings)
      for slot in plan.slots {
        for request in slot.requests { check(request, in: slot.slot, plan, of: source) }
      }
    }
  }

  /// The files, and which of them serves which slot, do not depend on the order of the pipeline
  /// file.
  @Test func theOrderOfSlotsAndScalesChangesNothing() {
    var random = SplitMix(seed: 4)
    for _ in 0..<5_000 {
      let source = random.source()
      let settings = random.settings()
      var other = settings
      other.slots.shuffle(using: &random)
      other.scales.shuffle(using: &random)
      let plan = Plan(for: source, settings: settings)
      let shuffled = Plan(for: source, settings: other)
      #expect(shuffled.variants == plan.variants)
      func places(_ plan: Plan) -> Set<String> {
        Set(
          plan.slots.flatMap { slot in
            slot.requests.map { "\(slot.slot.name) @\($0.scale): \($0.variant)" }
          })
      }
      #expect(places(shuffled) == places(plan))
      // A slot alone gets the same files as among others.
      let name = settings.slots[0].name
      let alone = Plan(for: source, settings: settings, slots: [name])
      let among = plan.slots.first { $0.slot.name == name }
      #expect(
        alone.slots[0].requests.map { alone.variants[$0.variant].files.map(\.recipe) }
          == among?.requests.map { plan.variants[$0.variant].files.map(\.recipe) })
    }
  }

  /// The name of a file has the source, the base of its decoding, the recipe of its format, the size and the crop: what is
  /// requested besides, of this image or of others, gives no name other bytes.
  @Test func aNameSaysEverythingAboutTheBytes() {
    var random = SplitMix(seed: 20_261_130)
    var shared = 0
    for _ in 0..<2_000 {
      var source = random.source()
      source.hasGainMap = random.next() % 4 == 0
      var settings = random.settings()
      settings.dynamicRange = .keep
      if random.next() % 2 == 0 { settings.quality[.webp] = nil }
      var bytes: [String: String] = [:]
      for _ in 0..<4 {
        let plan = Plan(for: source, settings: settings)
        let decode = plan.decode(of: source.size)
        var names: Set<String> = []
        for file in plan.files {
          guard let format = settings.fileFormats.first(where: { $0.isOf(file.encoding) }) else {
            Issue.record("\(file.encoding.format) is not among the formats")
            continue
          }
          let crop = file.crop.map { " \($0)" } ?? ""
          let name = "\(settings.recipe(of: format)) \(file.size)\(crop) of \(decode.base)"
          names.insert(name)
          let recipe = "\(file.recipe) \(decode.keepsProfile) \(decode.lanes)"
          if let known = bytes.updateValue(recipe, forKey: name) {
            shared += 1
            #expect(known == recipe, "\(name)")
          }
        }
        #expect(names.count == plan.files.count)
        let other = random.settings()
        settings.formats = random.next() % 2 == 0 ? settings.formats.reversed() : other.formats
        settings.slots.append(Slot("more", width: 100, height: nil))
        settings.oversized = other.oversized
        settings.keepsAnimation = other.keepsAnimation
        if random.next() % 2 == 0 { settings.dynamicRange = .sdr }
      }
    }
    #expect(shared > 1_000)
  }

  private func checkFiles(_ plan: Plan, of source: PlanSource, _ settings: PlanSettings) {
    // No two files are the same, and each one serves a request.
    #expect(Set(plan.files.map(\.recipe)).count == plan.files.count)
    #expect(Set(plan.variants.map(\.files[0].recipe)).count == plan.variants.count)
    #expect(Set(plan.slots.flatMap { $0.requests.map(\.variant) }).count == plan.variants.count)
    for variant in plan.variants {
      let native = variant.crop?.size ?? source.size
      let size = variant.size
      #expect(size.width >= 1 && size.height >= 1)
      #expect(size.width <= native.width && size.height <= native.height, "enlarged")
      #expect(!variant.files.isEmpty && variant.files.count <= settings.formats.count)
      for file in variant.files {
        let format = file.encoding.format
        #expect(file.size == size && file.crop == variant.crop)
        #expect(size.longerSide <= format.longestSide)
        #expect(!file.encoding.isAnimated || format.hasAnimation)
        // Alpha is lost only if the pipeline configures a format without it.
        if source.hasAlpha && !format.hasAlpha {
          #expect(settings.formats.contains { $0 == .fixed(.jpeg) || $0 == .source })
        }
      }
      let limits = variant.files.map(\.encoding.format.longestSide)
      if settings.rounding == .powerOfTwo, size != native, !limits.contains(size.longerSide) {
        #expect(size.longerSide & (size.longerSide - 1) == 0)
      }
      if let crop = variant.crop, case .at(let x, let y) = crop.place {
        #expect(x >= 0 && x + crop.size.width <= source.size.width)
        #expect(y >= 0 && y + crop.size.height <= source.size.height)
      }
    }
  }

  private func check(
    _ request: Plan.Request, in slot: Slot, _ plan: Plan, of source: PlanSource
  ) {
    let variant = plan.variants[request.variant]
    let native = variant.crop?.size ?? source.size
    let isCapped = variant.files.contains { file in
      // An animation is at the limit of its format, and states this.
      file.encoding.isAnimated && file.fallback?.reasons.contains(.sizeLimit(.webp)) == true
    }
    #expect(
      isCapped || variant.size == native
        || (variant.size.width >= min(request.asked.width, native.width)
          && variant.size.height >= min(request.asked.height, native.height)),
      "\(slot) \(request) \(variant.size) of \(source)")
    guard slot.mode == .clip, let width = slot.width, let height = slot.height else {
      #expect(variant.crop == nil)
      return
    }
    // The crop has the shape of the slot, to within a pixel.
    let (ratio, inverse) = (Double(width) / Double(height), Double(height) / Double(width))
    #expect(
      abs(Double(native.width) - Double(native.height) * ratio) <= 1
        || abs(Double(native.height) - Double(native.width) * inverse) <= 1)
  }
}

extension SplitMix {
  /// A side: mostly ordinary, sometimes tiny or huge.
  private mutating func side() -> Int {
    switch next() % 4 {
    case 0: Int.random(in: 1...50, using: &self)
    case 1: Int.random(in: 10_000...120_000, using: &self)
    default: Int.random(in: 100...6000, using: &self)
    }
  }

  mutating func source() -> PlanSource {
    PlanSource(
      size: Size(side(), side()),
      format: Bool.random(using: &self) ? OutputFormat.allCases.randomElement(using: &self) : nil,
      hasAlpha: Bool.random(using: &self), isAnimated: next() % 4 == 0,
      focus: next() % 4 == 0
        ? .init(x: .random(in: 0...1, using: &self), y: .random(in: 0...1, using: &self)) : nil)
  }

  mutating func settings() -> PlanSettings {
    let slots = (0..<Int.random(in: 1...4, using: &self)).map { index in
      let mode = CatalogSlot.Mode.allCases.randomElement(using: &self) ?? .fit
      let free = mode == .clip ? 2 : Int.random(in: 0...2, using: &self)
      return Slot(
        "s\(index)", width: free == 0 ? nil : Int.random(in: 1...2000, using: &self),
        height: free == 1 ? nil : Int.random(in: 1...2000, using: &self), mode: mode)
    }
    let ladders: [Rounding] = [.powerOfTwo, .halfSteps, .exact, .list([320, 640, 1280])]
    let formats = FormatChoice.all.shuffled(using: &self)
      .prefix(next() % 2 == 0 ? 1 : Int.random(in: 2...4, using: &self))
    return PlanSettings(
      slots: slots, scales: Array([1, 2, 3, 4].shuffled(using: &self).prefix(3)),
      rounding: ladders.randomElement(using: &self) ?? .powerOfTwo, formats: Array(formats),
      oversized: Bool.random(using: &self) ? .jpeg : .png, keepsAnimation: next() % 4 != 0,
      gravity: Gravity.all.randomElement(using: &self) ?? .centre)
  }
}
