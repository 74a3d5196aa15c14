import TesseraPipelineFile
import TesseraPlan
import Testing

/// The keys `quality` and `quality-range`.
@Suite struct QualityKeyTests {
  private static let minimal = "manifest: m\noutput: o\nslots: {a: {size: 10x}}\n"

  private static func decode(_ text: String) -> Result<PipelineFile, PipelineFileError> {
    Result { () throws(PipelineFileError) in
      try PipelineFile.decode(
        Array((minimal + text).utf8), path: "feed.yaml", environment: { _ in nil })
    }
  }

  @Test func automaticQualitiesHaveATargetAndARange() throws {
    // WebP, JPEG, PNG, AVIF, JPEG XL, HEIC.
    let cases: [(String, [Int?], Int, ClosedRange<Int>)] = [
      ("auto", [nil, nil, nil, nil, nil, nil], 72, 40...92),
      ("{webp: auto, avif: 50}", [nil, 80, nil, 50, 80, 80], 72, 40...92),
      ("{target: 75}", [nil, nil, nil, nil, nil, nil], 75, 40...92),
      ("{target: excellent, jpeg: 90}", [nil, 90, nil, nil, nil, nil], 85, 40...92),
      ("{target: low}", [nil, nil, nil, nil, nil, nil], 60, 40...92),
      (
        "{target: feed, webp: auto}, quality-range: [50, 51]", [nil, nil, nil, nil, nil, nil], 70,
        50...51
      ),
      ("{target: high}", [nil, nil, nil, nil, nil, nil], 80, 40...92),
    ]
    for (text, qualities, target, range) in cases {
      let plan = try Self.decode("variants: {quality: \(text)}\n").get().plan
      #expect(OutputFormat.allCases.map { plan.quality[$0] } == qualities, "\(text)")
      #expect(plan.automaticQuality == AutomaticQuality(target: target, range: range), "\(text)")
      #expect(plan.findsQuality)
    }
    #expect(try !Self.decode("").get().plan.findsQuality)
  }

  @Test(arguments: [
    (
      "variants: {quality: {target: 96}}",
      "\"variants.quality.target\" must be a whole number from 30 to 95, or one of \"low\" (60), \"feed\" (70), \"high\" (80), \"excellent\" (85), found \"96\""
    ),
    (
      "variants: {quality: {target: 70, webp: 80, jpeg: 80, avif: 80, jxl: 80, heic: 80}}",
      "\"variants.quality.target\" has no effect: every format has a number; remove it, or a number"
    ),
    (
      "variants: {quality: 80, quality-range: [40, 92]}",
      "\"variants.quality-range\" has no effect: no quality is \"auto\"; remove it, or say \"quality: auto\""
    ),
    (
      "variants: {quality: auto, quality-range: [92, 40]}",
      "\"variants.quality-range\" must be two whole numbers from 1 to 100, the lower one first, such as [40, 92], found a list"
    ),
    (
      "variants: {quality: auto, quality-range: 40}",
      "\"variants.quality-range\" must be two whole numbers from 1 to 100, the lower one first, such as [40, 92], found \"40\""
    ),
    (
      "variants: {quality: auto, quality-range: [40, 101]}",
      "\"variants.quality-range\" must be two whole numbers from 1 to 100, the lower one first, such as [40, 92], found \"101\""
    ),
    (
      "variants: {quality: auto}\ndelivery: {preset: nos}",
      "\"variants.quality: auto\" needs decoded pixels, and an image service encodes by itself; give a number, or say \"delivery.files: true\""
    ),
  ])
  func mistakesAreSentences(_ text: String, _ message: String) {
    guard case .failure(let error) = Self.decode(text) else {
      Issue.record("accepted: \(text)")
      return
    }
    #expect(error.diagnostics.map(\.message) == [message])
  }

  /// Files are made as well, and the service gets their quality.
  @Test func aServiceBesideFilesMayHaveAutomaticQualities() throws {
    let file = try Self.decode(
      "variants: {quality: auto}\ndelivery: {preset: nos, files: true}\n"
    ).get()
    #expect(file.plan.findsQuality)
  }
}
