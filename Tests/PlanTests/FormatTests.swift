import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import TesseraPlan

/// The tables of formats, colours, gravities and metadata, whole.
@Suite struct FormatTests {
  @Test(
    arguments: [
      (.webp, "webp 16383 alpha animation quality 0...6 image/webp webp"),
      (.jpeg, "jpeg 65500 quality - image/jpeg jpg"),
      (.png, "png 10000000 alpha - image/png png"),
      (.avif, "avif 16384 alpha gives-way quality 0...9 image/avif avif"),
      (.jxl, "jxl 262144 alpha gives-way quality 3...9 image/jxl jxl"),
      (.heic, "heic 16888 alpha gives-way quality - image/heic heic"),
    ] as [(OutputFormat, String)])
  func aFormatHasItsFacts(_ format: OutputFormat, _ facts: String) {
    var words = [format.rawValue, "\(format.longestSide)"]
    if format.hasAlpha { words.append("alpha") }
    if format.hasAnimation { words.append("animation") }
    if format.givesWayToAnimation { words.append("gives-way") }
    if format.hasQuality { words.append("quality") }
    words.append(format.efforts.map { "\($0)" } ?? "-")
    #expect((words + [format.mediaType, format.fileExtension]).joined(separator: " ") == facts)
  }

  @Test func settingsAreByFormat() {
    #expect(OutputFormat.allCases == [.webp, .jpeg, .png, .avif, .jxl, .heic])
    #expect(OutputFormat.allCases.map(\.index) == [0, 1, 2, 3, 4, 5])
    #expect(OutputFormat.allCases.map { EncoderSetting.quality[$0] } == [80, 80, nil, 65, 80, 80])
    #expect(OutputFormat.allCases.map { EncoderSetting.effort[$0] } == [4, nil, nil, 2, 5, nil])
    var setting = EncoderSetting { _ in nil }
    for (index, format) in OutputFormat.allCases.enumerated() { setting[format] = index }
    #expect(OutputFormat.allCases.map { setting[$0] } == [0, 1, 2, 3, 4, 5])
    let efforts = [true, false].map { isPhotograph in
      let source = PlanSource(size: Size(1, 1), isPhotograph: isPhotograph)
      return OutputFormat.allCases.map { EncoderSetting.automaticEffort($0, of: source) }
    }
    #expect(efforts == [[2, nil, nil, nil, nil, nil], [4, nil, nil, nil, nil, nil]])
  }

  @Test func libheifHasEncodersOfItsOwn() {
    let packages = OutputFormat.allCases.map { format in
      format.missingEncoder.flatMap { $0.firstMatch(of: /libheif-plugin-[a-z0-9]+/) }.map {
        "\($0.0)"
      }
    }
    #expect(
      packages == [nil, nil, nil, "libheif-plugin-aomenc", nil, "libheif-plugin-x265"])
    #expect(OutputFormat.allCases.filter(\.isForFewPrograms) == [.heic])
  }

  @Test func choicesHaveNamesAndFormats() {
    #expect(
      FormatChoice.all.map(\.rawValue)
        == ["webp", "jpeg", "png", "avif", "jxl", "heic", "source", "compatible"])
    for choice in FormatChoice.all { #expect(FormatChoice(rawValue: choice.rawValue) == choice) }
    #expect(FormatChoice(rawValue: "gif") == nil)
    #expect(FormatChoice.fixed(.avif).formats == [.avif])
    // What most programs read: never HEIC.
    #expect(FormatChoice.source.formats == [.webp, .jpeg, .png, .avif, .jxl])
    #expect(FormatChoice.fixed(.heic).formats == [.heic])
    #expect(FormatChoice.compatible.formats == [.jpeg, .png])
  }

  /// Own format, alpha, animation; then the formats of `source` and of `compatible`.
  @Test(
    arguments: [
      (.avif, true, true, .avif, .png), (.jpeg, false, false, .jpeg, .jpeg),
      (nil, false, false, .jpeg, .jpeg), (nil, true, false, .png, .png),
      (.heic, false, false, .jpeg, .jpeg), (.heic, true, false, .png, .png),
      (nil, true, true, .webp, .png), (nil, false, true, .webp, .jpeg),
    ] as [(OutputFormat?, Bool, Bool, OutputFormat, OutputFormat)])
  func choicesFollowTheSource(
    _ own: OutputFormat?, _ hasAlpha: Bool, _ isAnimated: Bool, _ source: OutputFormat,
    _ compatible: OutputFormat
  ) {
    let facts = PlanSource(size: Size(1, 1), format: own, hasAlpha: hasAlpha)
    #expect(FormatChoice.source.format(for: facts, isAnimated: isAnimated) == source)
    #expect(FormatChoice.compatible.format(for: facts, isAnimated: isAnimated) == compatible)
    #expect(FormatChoice.fixed(.jxl).format(for: facts, isAnimated: isAnimated) == .jxl)
  }

  @Test func gravitiesHaveNamesAndPoints() {
    let expected: [(String, Double, Double)] = [
      ("centre", 0.5, 0.5), ("north", 0.5, 0), ("east", 1, 0.5), ("south", 0.5, 1),
      ("west", 0, 0.5), ("north-east", 1, 0), ("south-east", 1, 1), ("south-west", 0, 1),
      ("north-west", 0, 0), ("attention", 0.5, 0.5), ("entropy", 0.5, 0.5),
    ]
    #expect(Gravity.all.map(\.rawValue) == expected.map(\.0))
    for (name, x, y) in expected {
      #expect(Gravity(rawValue: name)?.focus == CatalogFocus(x: x, y: y), "\(name)")
      #expect(Gravity(rawValue: name)?.rawValue == name)
    }
    #expect(Gravity.centre == .side(.centre) && Gravity(rawValue: "up") == nil)
  }

  @Test func policiesHaveWords() {
    let kinds = ["icc", "exif", "xmp", "iptc", "location"]
    for value in 0..<32 {
      let kept = kinds.indices.filter { value & 1 << $0 != 0 }.map { kinds[$0] }
      #expect(
        MetadataPolicy(rawValue: value).description
          == (kept.isEmpty ? "strip" : "keep \(kept.joined(separator: " "))"))
    }
    #expect(MetadataPolicy.strip.rawValue == 0 && MetadataPolicy.keep.rawValue == 15)
    #expect(MetadataPolicy.named.map(\.name) == ["icc", "exif", "xmp", "iptc"])
    #expect(MetadataPolicy.named.map(\.policy.rawValue) == [1, 18, 4, 8])
  }

  @Test(
    arguments: [
      ("#fff", [255, 255, 255]), ("#000000", [0, 0, 0]), ("#1af", [0x11, 0xAA, 0xFF]),
      ("#0a1b2C", [10, 27, 44]), ("#FEDCBA", [254, 220, 186]), ("fff", nil), ("#", nil),
      ("#ff", nil), ("#ffff", nil), ("#fffff", nil), ("#fffffff", nil), ("#ggg", nil),
      ("#ff fff", nil), ("#+12345", nil), ("xfff", nil), ("", nil),
    ] as [(String, [UInt8]?)])
  func coloursAreRead(_ text: String, _ expected: [UInt8]?) {
    let colour = Colour(hexadecimal: text)
    #expect(colour.map { [$0.red, $0.green, $0.blue] } == expected)
  }

  @Test func coloursAreWritten() {
    #expect(Colour(red: 0, green: 15, blue: 16).hexadecimal == "#000f10")
    #expect(Colour(red: 1, green: 171, blue: 255).hexadecimal == "#01abff")
    #expect(Colour.white == Colour(red: 255, green: 255, blue: 255))
  }

  // MARK: Ladders

  @Test(
    arguments: [
      ("exact", .exact), ("half-steps", .halfSteps), ("power-of-two", .powerOfTwo),
      ("1", .list([1])), ("640,320,640", .list([320, 640])), ("65500", .list([65_500])),
      ("65501", nil), ("0", nil), ("-1", nil), ("", nil), ("320,,640", nil), ("320,", nil),
      ("a", nil), ("320,a", nil), ("320, 640", nil), ("320,65501", nil),
    ] as [(String, Rounding.Steps?)])
  func laddersHaveNames(_ name: String, _ steps: Rounding.Steps?) {
    #expect(Rounding.Steps(name: name) == steps)
    if let steps { #expect(Rounding.Steps(name: steps.name) == steps) }
  }

  @Test func namesOfLadders() {
    #expect(Rounding.Steps.named.map(\.name) == ["exact", "half-steps", "power-of-two"])
    #expect(
      Rounding.Steps.halfSteps.name == "half-steps" && Rounding.Steps.list([2, 3]).name == "2,3")
  }

  /// Every length to 2000, with the rungs from their definitions.
  @Test func theRungIsTheLeastThatIsEnough() {
    let powers = (0...11).map { 1 << $0 }
    let steps = (powers + powers.dropFirst().map { $0 / 2 * 3 }).sorted()
    let list = [100, 300, 1_999]
    let ladders: [(Rounding.Steps, [Int])] = [
      (.powerOfTwo, powers), (.halfSteps, steps), (.list(list), list), (.exact, []),
    ]
    for (ladder, rungs) in ladders {
      let wrong = (1...2_000).filter { length in
        let rung = rungs.first { $0 >= length } ?? length
        return [length, length + 1, 4_000].contains { limit in
          ladder.rung(for: length, limit: limit) != min(rung, limit)
        }
      }
      #expect(wrong == [], "\(ladder.name)")
    }
  }

  @Test func ratiosAreExact() {
    for (a, b, c) in [(1, 1, 2), (3, 1, 2), (1, 1, 3), (2, 1, 3), (7, 5, 3), (0, 5, 7), (9, 4, 6)] {
      let exact = Double(a * b) / Double(c)
      #expect(roundedRatio(a, b, c) == Int((exact + 0.5).rounded(.down)))
      #expect(ceilingRatio(a, b, c) == Int(exact.rounded(.up)))
    }
  }

  // MARK: Recipes

  @Test func recipesNameAllThatShapesAFile() {
    func recipe(_ change: (inout PlannedFile) -> Void) -> String {
      var file = PlannedFile(
        crop: nil, size: Size(3, 4),
        encoding: Encoding(
          format: .webp, quality: nil, effort: nil, background: nil, isAnimated: true),
        fallback: Fallback([.serviceLimit]))
      change(&file)
      return file.recipe
    }
    #expect(recipe { _ in } == "webp 3x4; all frames; strip")
    #expect(
      recipe { $0.crop = Crop(Size(5, 6), .found(.attention)) }
        == "webp 3x4; crop attention,5x6; all frames; strip")
    #expect(
      recipe { $0.crop = Crop(x: 1, y: 2, size: Size(5, 6)) }
        == "webp 3x4; crop 1,2,5x6; all frames; strip")
    #expect(
      recipe {
        $0.encoding.automatic = AutomaticQuality(target: 7, range: 8...9)
        $0.encoding.effort = 0
      } == "webp 3x4; quality 8 to 9 for 7; effort 0; all frames; strip")
    #expect(
      recipe {
        ($0.encoding.automatic, $0.encoding.quality) = (AutomaticQuality(), 1)
        ($0.encoding.alphaQuality, $0.encoding.background) = (2, .white)
        ($0.encoding.metadata, $0.encoding.isAnimated) = ([.icc, .location], false)
      } == "webp 3x4; quality 1; alpha quality 2; on #ffffff; first frame; keep icc location")
  }

  /// Small graphics in WebP may be encoded without loss; what a setting or a service decides is not changed.
  @Test func smallGraphicsMayBeLossless() {
    func allowed(
      _ side: Int = 256, _ change: (inout PlannedFile, inout PlanSource) -> Void = { _, _ in }
    ) -> Bool {
      var file = PlannedFile(
        crop: nil, size: Size(side, 3),
        encoding: Encoding(
          format: .webp, quality: 80, effort: 4, background: nil, isAnimated: false),
        fallback: nil)
      var graphic = PlanSource(size: Size(900, 900), hasAlpha: true, isAnimated: false)
      change(&file, &graphic)
      file.allowLossless(of: graphic)
      #expect(file.recipe.hasSuffix("; or lossless in 256 colours") == file.mayBeLossless)
      return file.mayBeLossless
    }
    expectMost(256) { allowed($0) }
    #expect(!allowed { $1.isPhotograph = true })
    #expect(!allowed { file, _ in file.encoding.format = .png })
    #expect(!allowed { file, _ in file.encoding.isAnimated = true })
    #expect(!allowed { file, _ in file.encoding.metadata = .icc })
  }

  @Test func theWayOfDecodingIsARecipe() {
    #expect(
      DecodePlan(base: Size(1, 2), isAnimated: false, keepsProfile: false).recipe == "base 1x2")
    #expect(
      DecodePlan(base: Size(1, 2), isAnimated: true, keepsProfile: false).recipe
        == "base 1x2; all frames")
    #expect(
      DecodePlan(base: Size(1, 2), isAnimated: false, keepsProfile: true, lanes: .off).recipe
        == "base 1x2; in its profile; by libvips")
  }

  @Test func fallbacksHaveCodes() {
    let all = Fallback([
      .sizeLimit(.webp), .noAlpha(.jpeg), .noAnimation(.avif), .serviceLimit,
    ])
    #expect(all?.code == "webp-size-limit")
    #expect(all?.text == "webp-size-limit, jpeg-no-alpha, avif-no-animation, service-limit")
    #expect(Fallback([]) == nil)
  }
}
