import TesseraCatalog
import TesseraPlan
import TesseraTestSupport
import Testing

private func plan(
  _ width: Int, _ height: Int, _ slots: [Slot], alpha: Bool = false, animated: Bool = false,
  focus: CatalogFocus? = nil, _ change: (inout PlanSettings) -> Void = { _ in }
) -> Plan {
  var settings = PlanSettings(slots: slots)
  change(&settings)
  return Plan(
    for: PlanSource(
      size: Size(width, height), hasAlpha: alpha, isAnimated: animated, focus: focus),
    settings: settings)
}

/// `64x64`, with the crop and the formats if they are not the default.
private func outline(_ plan: Plan) -> [String] {
  plan.variants.map { variant in
    var text = "\(variant.size.width)x\(variant.size.height)"
    if let crop = variant.crop {
      text += " of \(crop.size.width)x\(crop.size.height)"
      if case .at(let x, let y) = crop.place { text += "+\(x)+\(y)" }
    }
    return ([text] + variant.files.compactMap(outline)).joined(separator: " ")
  }
}

/// Format and reasons of a file; nil if they are the default.
private func outline(_ file: PlannedFile) -> String? {
  guard file.encoding.format != .webp || file.fallback != nil || !file.encoding.isAnimated else {
    return nil
  }
  var text =
    file.encoding.format == .webp && file.fallback == nil ? "" : file.encoding.format.rawValue
  if let fallback = file.fallback { text += " (\(fallback.text))" }
  return text.isEmpty ? nil : text
}

@Suite struct PlanTests {
  let avatar24 = Slot("small", width: 24, height: 24, mode: .clip)
  let avatar30 = Slot("large", width: 30, height: 30, mode: .clip)
  let card = Slot("card", width: 180, height: nil)

  /// The whole image is decoded at the size at which its most detailed part has enough pixels: a
  /// crop of a panorama needs more of them than the panorama itself.
  @Test(
    arguments: [
      // clip only: 128 pixels of a part of 1000, so 1024 of 8000
      (8000, 1000, [Slot("a", width: 100, height: 100, mode: .clip)], Size(1024, 128)),
      (1000, 8000, [Slot("a", width: 100, height: 100, mode: .clip)], Size(128, 1024)),
      (8000, 1000, [Slot("a", width: 128, height: 32, mode: .clip)], Size(256, 32)),
      // the whole image
      (8000, 1000, [Slot("a", width: 180, height: nil)], Size(256, 32)),
      // both: the larger ratio decides
      (
        8000, 1000,
        [Slot("a", width: 100, height: 100, mode: .clip), Slot("b", width: 2000, height: nil)],
        Size(2048, 256)
      ),
      (
        8000, 1000,
        [Slot("a", width: 100, height: 100, mode: .clip), Slot("b", width: 180, height: nil)],
        Size(1024, 128)
      ),
      // a part in its own size
      (8000, 1000, [Slot("a", width: 1000, height: 1000, mode: .clip)], Size(8000, 1000)),
      (300, 150, [Slot("a", width: 500, height: nil)], Size(300, 150)),
    ])
  func decodesEnoughForTheLargestCrop(
    _ width: Int, _ height: Int, _ slots: [Slot], _ base: Size
  ) {
    let made = plan(width, height, slots) { $0.scales = [1] }
    #expect(made.decode(of: Size(width, height)).base == base)
  }

  /// A request of exactly a rung gets that rung.
  @Test(arguments: [
    (383, "384x192"), (384, "384x192"), (385, "512x256"), (512, "512x256"), (513, "768x384"),
    (768, "768x384"), (3, "3x2"), (1, "1x1"), (2, "2x1"),
  ])
  func halfStepsKeepExactRequests(_ width: Int, _ expected: String) {
    let slot = Slot("a", width: width, height: nil)
    let made = plan(4000, 2000, [slot]) {
      $0.rounding = .halfSteps
      $0.scales = [1]
    }
    #expect(outline(made) == [expected])
  }

  @Test(.faults(.c6)) func avatarsOf24And30PointsShareOneFile() {
    let one = plan(1000, 1000, [avatar24, avatar30]) { $0.scales = [1] }
    #expect(outline(one) == ["32x32"])
    #expect(one.shared == 1)
    let three = plan(1000, 1000, [avatar24, avatar30])
    #expect(outline(three) == ["32x32", "64x64", "128x128"])
    #expect(three.slots[0].requests.map(\.variant) == [0, 1, 2])
    #expect(three.slots[1].requests.map(\.variant) == [0, 1, 2])
  }

  @Test(
    .faults(.i20),
    arguments: [
      // fit: the width is set, the longer side is rounded up
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
      // no side is less than a pixel
      (20000, 1, Slot("a", width: 180, height: nil), ["256x1", "512x1", "1024x1"]),
      (1, 20000, Slot("a", width: nil, height: 100), ["1x128", "1x256", "1x512"]),
      (1, 1, Slot("a", width: 40, height: 20, mode: .clip), ["1x1"]),
    ] as [(Int, Int, Slot, [String])])
  func plans(_ width: Int, _ height: Int, _ slot: Slot, _ expected: [String]) {
    #expect(outline(plan(width, height, [slot])) == expected)
  }

  @Test(.faults(.c5)) func roundsOnEveryLadder() {
    let slot = Slot("a", width: 300, height: nil)
    #expect(
      outline(plan(4000, 2000, [slot]) { $0.rounding = .exact }) == [
        "300x150", "600x300", "900x450",
      ])
    #expect(
      outline(plan(4000, 2000, [slot]) { $0.rounding = .halfSteps })
        == ["384x192", "768x384", "1024x512"])
    // The step between two powers serves its own length.
    #expect(
      outline(plan(4000, 2000, [Slot("a", width: 384, height: nil)]) { $0.rounding = .halfSteps })
        == ["384x192", "768x384", "1536x768"])
    #expect(
      outline(plan(4000, 2000, [slot]) { $0.rounding = .list([320, 640]) })
        == ["320x160", "640x320", "900x450"])
  }

  /// The rule for oversized results at its limits: the requested pixels of the longer side, then
  /// the files and the reasons of their fallbacks.
  @Test(
    .faults(.i20),
    arguments: [
      ("webp", 12_000, "16383"), ("webp", 16_383, "16383"),
      ("webp", 16_384, "16384 jpeg (webp-size-limit)"),
      ("webp", 40_000, "65500 jpeg (webp-size-limit)"),
      ("webp", 65_500, "65500 jpeg (webp-size-limit)"),
      ("webp", 65_501, "65536 png (webp-size-limit, jpeg-size-limit)"),
      // JPEG would lose alpha.
      ("webp alpha", 16_383, "16383"),
      ("webp alpha", 16_384, "16384 png (webp-size-limit, jpeg-no-alpha)"),
      ("webp alpha", 65_501, "65536 png (webp-size-limit, jpeg-no-alpha)"),
      ("webp oversized-png", 16_384, "16384 png (webp-size-limit)"),
      // An animation stays an animation, at the limit.
      ("webp animated", 12_000, "16383"), ("webp animated", 16_383, "16383"),
      ("webp animated", 16_384, "16383 webp (webp-size-limit)"),
      ("webp animated", 65_501, "16383 webp (webp-size-limit)"),
      ("webp animated first-frame", 16_384, "16384 jpeg (webp-size-limit)"),
      ("jpeg", 65_500, "65500 jpeg"),
      ("jpeg", 65_501, "65536 png (jpeg-size-limit)"),
      ("jpeg alpha", 65_501, "65536 png (jpeg-size-limit)"),
      ("jpeg animated", 16_384, "16384 jpeg"),
      ("png", 65_501, "65536 png"),
      ("jxl", 65_501, "65536 jxl"),
      // The limit of AVIF is one pixel above that of WebP.
      ("avif", 12_000, "16384 avif"), ("avif", 16_384, "16384 avif"),
      ("avif", 16_385, "32768 jpeg (avif-size-limit)"),
      ("avif", 65_501, "65536 png (avif-size-limit, jpeg-size-limit)"),
      ("avif alpha", 16_385, "32768 png (avif-size-limit, jpeg-no-alpha)"),
      ("avif animated", 12_000, "16383 webp (avif-no-animation)"),
      ("avif animated", 16_384, "16383 webp (avif-no-animation, webp-size-limit)"),
      ("jxl animated", 100, "128 webp (jxl-no-animation)"),
      ("heic", 16_385, "16888 heic"), ("heic", 16_889, "32768 jpeg (heic-size-limit)"),
      ("heic alpha", 16_889, "32768 png (heic-size-limit, jpeg-no-alpha)"),
      ("heic animated", 100, "128 webp (heic-no-animation)"),
      // Each of several formats has its own fallback; all files of a variant have one size.
      ("avif webp jpeg", 12_000, "16383 avif webp jpeg"),
      ("avif webp jpeg", 16_383, "16383 avif webp jpeg"),
      ("avif webp jpeg", 16_384, "16384 avif jpeg (webp-size-limit)"),
      ("avif webp jpeg", 65_500, "65500 jpeg (avif-size-limit)"),
      ("avif webp jpeg", 65_501, "65536 png (avif-size-limit, jpeg-size-limit)"),
      (
        "avif webp jpeg alpha", 16_384, "16384 avif png (webp-size-limit, jpeg-no-alpha) jpeg"
      ),
      ("avif webp jpeg animated", 12_000, "16383 webp (avif-no-animation) jpeg"),
      ("avif webp jpeg animated first-frame", 12_000, "16383 avif webp jpeg"),
      ("jpeg webp", 12_000, "16383 jpeg webp"),
      // A still image beside an animation has its size, and the reason why it is not larger.
      (
        "webp jpeg png animated", 20_000,
        "16383 webp (webp-size-limit) jpeg (webp-size-limit) png (webp-size-limit)"
      ),
      (
        "avif jpeg animated", 20_000,
        "16383 webp (avif-no-animation, webp-size-limit) jpeg (webp-size-limit)"
      ),
      // Formats that depend on the source.
      ("compatible", 100, "128 jpeg"), ("compatible alpha", 100, "128 png"),
      ("source of-png", 100, "128 png"), ("source of-avif", 16_385, "32768 jpeg (avif-size-limit)"),
      ("source of-heic", 100, "128 jpeg"), ("source alpha of-heic", 100, "128 png"),
      ("source", 100, "128 jpeg"), ("source alpha", 100, "128 png"),
      ("source animated", 100, "128"), ("source webp of-webp", 100, "128"),
      ("webp compatible alpha", 100, "128 webp png"),
    ] as [(String, Int, String)])
  func theTopRungIsTheFormatsLimitAndLongerSidesUseTheFallback(
    _ words: String, _ length: Int, _ expected: String
  ) {
    let words = words.split(separator: " ").map(String.init)
    var settings = PlanSettings(
      slots: [Slot("a", width: nil, height: length)], scales: [1],
      formats: words.compactMap { FormatChoice(rawValue: $0) })
    settings.keepsAnimation = !words.contains("first-frame")
    if words.contains("oversized-png") { settings.oversized = .png }
    let source = PlanSource(
      size: Size(10_000, 200_000),
      format: words.compactMap {
        $0.hasPrefix("of-") ? OutputFormat(rawValue: String($0.dropFirst(3))) : nil
      }
      .first, hasAlpha: words.contains("alpha"), isAnimated: words.contains("animated"))
    let plan = Plan(for: source, settings: settings)
    #expect(plan.variants.count == 1)
    let variant = plan.variants[0]
    var text = "\(variant.size.height)"
    for file in variant.files where variant.files.count > 1 || outline(file) != nil {
      text += " \(file.encoding.format.rawValue)"
      if let fallback = file.fallback { text += " (\(fallback.text))" }
    }
    #expect(text == expected)
    #expect(variant.files.allSatisfy { $0.size == variant.size && $0.crop == variant.crop })
    #expect(plan.asked == settings.formats.count)
    for file in variant.files {
      let format = file.encoding.format
      // A file has a background exactly if its format loses the alpha of the source.
      #expect((file.encoding.background != nil) == (source.hasAlpha && !format.hasAlpha))
      #expect(
        file.encoding.isAnimated
          == (source.isAnimated && settings.keepsAnimation && format == .webp))
    }
  }

  @Test func theSourcesOwnSizeIsTheTopOfEveryLadder() {
    func asked(_ length: Int, native: Int) -> [String] {
      outline(
        plan(native / 20, native, [Slot("a", width: nil, height: length)]) { $0.scales = [1] })
    }
    // Between the rung and the limit.
    #expect(asked(16_384, native: 20_000) == ["819x16384 jpeg (webp-size-limit)"])
    #expect(asked(17_000, native: 20_000) == ["1000x20000 jpeg (webp-size-limit)"])
    #expect(asked(12_000, native: 16_000) == ["800x16000"])
  }

  @Test func countsTheFilesOfEachFormat() {
    let slots = [avatar24, avatar30]
    let several = plan(1000, 1000, slots) { $0.formats = [.fixed(.avif), .fixed(.webp)] }
    #expect(several.files.count == 6)
    #expect(several.asked == 12)
    #expect(several.shared == 6)
    #expect(Set(several.files.map(\.recipe)).count == 6)
  }

  @Test func centresCropsOnTheFocusAsFarAsTheImageAllows() {
    let slot = Slot("a", width: 40, height: 40, mode: .clip)
    func crop(_ x: Double) -> Int? {
      let crop = plan(3000, 1000, [slot], focus: .init(x: x, y: 0.5)).variants[0].crop
      return if case .at(let x, _) = crop?.place { x } else { nil }
    }
    #expect([crop(0), crop(0.3), crop(0.5), crop(1)] == [0, 400, 1000, 2000])
  }

  /// Crops keep the side that the gravity names; a source's own focus overrides it.
  @Test(
    arguments: [
      (Gravity.Side.centre, 100, 0), (.north, 100, 0), (.west, 0, 0), (.east, 200, 0),
      (.northEast, 200, 0), (.southWest, 0, 0),
    ] as [(Gravity.Side, Int, Int)])
  func placesCropsByGravity(_ gravity: Gravity.Side, _ x: Int, _ y: Int) {
    let settings = PlanSettings(
      slots: [Slot("a", width: 10, height: 10, mode: .clip)], gravity: .side(gravity))
    let wide = Plan(for: PlanSource(size: Size(300, 100)), settings: settings)
    #expect(wide.variants[0].crop == Crop(x: x, y: y, size: Size(100, 100)))
    // For a tall source the other axis counts.
    let tall = Plan(for: PlanSource(size: Size(100, 300)), settings: settings)
    let below: [Gravity.Side: Int] = [.north: 0, .northEast: 0, .southWest: 200]
    #expect(
      tall.variants[0].crop == Crop(x: 0, y: below[gravity] ?? 100, size: Size(100, 100)))
    let focused = PlanSource(size: Size(300, 100), focus: .init(x: 0.9, y: 0.5))
    #expect(
      Plan(for: focused, settings: settings).variants[0].crop
        == Crop(x: 200, y: 0, size: Size(100, 100)))
  }

  /// If the pixels decide, the plan has only the size of the crop; a source's own focus overrides
  /// this.
  @Test func leavesThePlaceOfACropToTheWorker() {
    var settings = PlanSettings(
      slots: [Slot("a", width: 10, height: 10, mode: .clip)], gravity: .found(.entropy))
    let found = Plan(for: PlanSource(size: Size(300, 100)), settings: settings)
    #expect(found.variants[0].crop == Crop(Size(100, 100), .found(.entropy)))
    #expect(found.files[0].recipe.contains("crop entropy,100x100;"))
    settings.gravity = .found(.attention)
    let other = Plan(for: PlanSource(size: Size(300, 100)), settings: settings)
    #expect(other.files[0].recipe != found.files[0].recipe)
    let focused = PlanSource(size: Size(300, 100), focus: .init(x: 0, y: 0))
    #expect(
      Plan(for: focused, settings: settings).variants[0].crop
        == Crop(x: 0, y: 0, size: Size(100, 100)))
    // A source that is not cropped has no place to find.
    let square = Plan(for: PlanSource(size: Size(100, 100)), settings: settings)
    #expect(square.variants[0].crop == nil)
  }

  @Test func statesTheSizeOfTheImageInTheLayout() {
    let layouts = plan(3024, 4032, [card, avatar24]).slots.map(\.layout)
    #expect(layouts == [Size(180, 240), Size(24, 24)])
    // A small image still fills its slot.
    #expect(plan(30, 40, [card]).slots[0].layout == Size(180, 240))
    // Half a point and more is rounded up.
    #expect(plan(1000, 667, [Slot("a", width: 100, height: nil)]).slots[0].layout == Size(100, 67))
    #expect(plan(1000, 664, [Slot("a", width: 100, height: nil)]).slots[0].layout == Size(100, 66))
  }

  /// The size at which a source is decoded serves the largest file; for `clip`, the largest ratio
  /// of a file to its part of the source.
  @Test func decodesAtTheSizeThatServesEveryFile() {
    func base(_ slots: [Slot]) -> Size {
      plan(4000, 2000, slots) { $0.scales = [1] }.decode(of: Size(4000, 2000)).base
    }
    let small = Slot("small", width: 128, height: nil)
    let large = Slot("large", width: 1024, height: nil)
    let square = Slot("square", width: 500, height: 500, mode: .clip)
    #expect(base([small]) == Size(128, 64))
    #expect(base([small, large]) == Size(1024, 512))
    // 512 of the 2000 pixels of the square: all of the source at 512 / 2000.
    #expect(base([square]) == Size(1024, 512))
    #expect(base([small, square]) == Size(1024, 512))
    #expect(base([Slot("own", width: 4000, height: nil)]) == Size(4000, 2000))
  }

  /// A change of any of these remakes a file.
  @Test func aRecipeNamesEverySettingOfAFile() {
    let file = PlannedFile(
      crop: Crop(x: 1, y: 2, size: Size(30, 40)), size: Size(3, 4),
      encoding: Encoding(
        format: .jpeg, quality: 70, effort: 4, alphaQuality: 60, background: .white,
        isAnimated: false, metadata: [.icc]), fallback: nil)
    #expect(
      file.recipe
        == "jpeg 3x4; crop 1,2,30x40; quality 70; effort 4; alpha quality 60; on #ffffff; "
        + "first frame; keep icc")
  }

  /// With `auto`, a photograph takes half the time, and graphics few bytes.
  @Test func automaticEffortDependsOnTheSource() {
    func efforts(_ settings: PlanSettings, isPhotograph: Bool) -> [Int?] {
      let source = PlanSource(size: Size(300, 200), isPhotograph: isPhotograph)
      return Plan(for: source, settings: settings).files.map(\.encoding.effort)
    }
    var settings = PlanSettings(
      slots: [Slot("a", width: 100, height: nil)], scales: [1],
      formats: [.fixed(.webp), .fixed(.avif), .fixed(.jpeg)])
    #expect(Set(efforts(settings, isPhotograph: true)) == [4, 2, nil])
    settings.effort[.webp] = nil
    #expect(Set(efforts(settings, isPhotograph: true)) == [2, nil])
    #expect(Set(efforts(settings, isPhotograph: false)) == [4, 2, nil])
    settings.effort[.webp] = 6
    #expect(Set(efforts(settings, isPhotograph: true)) == [6, 2, nil])
  }

  /// Files that it does not shape keep their recipe, and so are not made again.
  @Test func alphaQualityIsForTranslucentWebPFiles() {
    func qualities(_ quality: Int, alpha: Bool) -> [Int?] {
      let settings = PlanSettings(
        slots: [Slot("a", width: 100, height: nil)], scales: [1],
        formats: [.fixed(.webp), .fixed(.avif), .fixed(.png)], alphaQuality: quality)
      let source = PlanSource(size: Size(300, 200), hasAlpha: alpha)
      return Plan(for: source, settings: settings).files.map(\.encoding.alphaQuality)
    }
    #expect(qualities(80, alpha: true) == [80, nil, nil])
    #expect(qualities(80, alpha: false) == [nil, nil, nil])
    #expect(qualities(100, alpha: true) == [nil, nil, nil])
  }
}
