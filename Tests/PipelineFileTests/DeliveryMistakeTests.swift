import TesseraPlan
import Testing

@testable import TesseraPipelineFile

/// Mistakes under `delivery`, each a whole sentence at its position.
@Suite struct DeliveryMistakeTests {
  private static let presets =
    "aliyun, bunny, cloudflare, cloudinary, fastly, imgix, imgproxy, next, nos, qiniu, tencent, "
    + "thumbor"

  /// A line, the text at which its mistake is, and the message; nil for none.
  private static let rows: [(String, String, String?)] = [
    ("{}", "{}", "\"delivery\" needs a preset (\(presets)) or a template of its own"),
    ("{files: true}", "{f", "\"delivery\" needs a preset (\(presets)) or a template of its own"),
    (
      "{preset: imgproxi}", "imgproxi",
      "\"delivery.preset\" must be one of \(presets), found \"imgproxi\""
    ),
    (
      "{preset: imgproxy}", "{pre",
      "\"delivery.base\" is missing: the URL of the service, such as https://img.example.com"
    ),
    (
      "{preset: thumbor}", "{pre",
      "\"delivery.base\" is missing: the URL of the service, such as https://img.example.com"
    ),
    ("{preset: fastly}", "", nil),
    (
      "{preset: nos, base: \"https://a.example?b\"}", "\"https",
      "\"delivery.base\" must be a URL, such as https://img.example.com, found "
        + "\"https://a.example?b\""
    ),
    (
      "{preset: nos, base: \"https://a.example/#b\"}", "\"https",
      "\"delivery.base\" must be a URL, such as https://img.example.com, found "
        + "\"https://a.example/#b\""
    ),
    (
      "{preset: nos, base: a.example}", "a.example",
      "\"delivery.base\" must be a URL, such as https://img.example.com, found \"a.example\""
    ),
    (
      "{preset: nos, key: a}", "a}",
      "\"delivery.key\": this service has no signatures (\"delivery.signature\")"
    ),
    (
      "{preset: nos, salt: a}", "a}",
      "\"delivery.salt\": this service has no signatures (\"delivery.signature\")"
    ),
    (
      "{preset: nos, key: \"\"}", "\"\"",
      "\"delivery.key\" must be a text, such as \"${IMG_KEY}\", found \"\""
    ),
    (
      "{preset: imgproxy, base: \"https://a.b\", key: xyz, salt: 00}", "xyz",
      "\"delivery.key\" must be hexadecimal digits, two for each byte"
    ),
    (
      "{preset: imgproxy, base: \"https://a.b\", key: aa, salt: abc}", "abc",
      "\"delivery.salt\" must be hexadecimal digits, two for each byte"
    ),
    (
      "{preset: imgproxy, base: \"https://a.b\", key: aa}", "{pre",
      "\"delivery\" needs both key and salt, or neither"
    ),
    (
      "{preset: imgproxy, base: \"https://a.b\", salt: aa}", "{pre",
      "\"delivery\" needs both key and salt, or neither"
    ),
    ("{preset: imgproxy, base: \"https://a.b\", salt: aa, key: bb}", "", nil),
    ("{preset: thumbor, base: \"https://a.b\", key: a}", "", nil),
    (
      "{preset: thumbor, base: \"https://a.b\", key: a, salt: b}", "{pre",
      "\"delivery.salt\": the signature of this service has none"
    ),
    (
      "{template: \"/{signed}\", formats: {webp: w}}", "{tem",
      "\"delivery.signed\" is missing: the template has {signed}"
    ),
    (
      "{template: \"/{signed}\", formats: {webp: w}, signed: {clip: a}}", "{tem",
      "\"delivery.signed\" is missing: the template has {signed}"
    ),
    (
      "{template: \"/{key}\", formats: {webp: w}}", "\"/{key",
      "\"delivery.template\" is wrong: it has no placeholder \"{key}\"; there are {url}, {host}, "
        + "{path}, {query}, "
        + "{width}, {height}, {mode}, {format}, {metadata}, {animation}, {quality}, {x}, {y}, "
        + "{left}, {top}, {right}, "
        + "{bottom}, {crop-width}, {crop-height}, {signed}, {signature}"
    ),
    (
      "{preset: nos, signed: \"{signed}\"}", "\"{signed",
      "\"delivery.signed\" is wrong: it has no placeholder \"{signed}\"; there are {url}, {host}, "
        + "{path}, {query}, "
        + "{width}, {height}, {mode}, {format}, {metadata}, {animation}, {quality}, {x}, {y}, "
        + "{left}, {top}, {right}, "
        + "{bottom}, {crop-width}, {crop-height}"
    ),
    (
      "{preset: nos, signature: {padding: true}}", "{pad",
      "\"delivery.signature.of\" is missing: what is signed, such as \"{signed}\""
    ),
    (
      "{preset: nos, template: [a]}", "[a]",
      "\"delivery.template\" must be a template of URLs, found a list"
    ),
    (
      "{preset: nos, focus: {kind: place}}", "place",
      "\"delivery.focus.kind\" must be one of \"point\", \"position\", found \"place\""
    ),
    (
      "{preset: nos, files-for: large}", "large",
      "\"delivery.files-for\" must be one of \"oversized\", \"animated\", found \"large\""
    ),
    (
      "{preset: nos, source-formats: raw}", "raw",
      "\"delivery.source-formats\" must be one of \"jpeg\", \"png\", \"gif\", \"webp\", \"bmp\", \"tiff\", "
        + "\"heic\", \"avif\", \"jxl\", \"jp2\", \"ico\", \"psd\", \"svg\", \"qoi\", \"pnm\", \"dds\", \"tga\", \"exr\", "
        + "\"icns\", found \"raw\""
    ),
    (
      "{preset: nos, modes: {crop: a}}", "crop",
      "unknown key \"crop\" in \"delivery.modes\"; the keys are clip, fill, fit"
    ),
  ]

  @Test(arguments: rows)
  func mistakesAreSentences(_ value: String, _ place: String, _ message: String?) throws {
    let line = "delivery: \(value)\n"
    let found = MistakeTests.mistakes(line)
    guard let message else {
      #expect(found == [])
      return
    }
    let start = try #require(line.firstRange(of: place)).lowerBound
    #expect(found == ["1:\(line.distance(from: line.startIndex, to: start) + 1) \(message)"])
  }

  @Test func aSignatureIsOfThreeValues() {
    #expect(
      MistakeTests.mistakes("delivery: {preset: nos, signature: {of: \"{url}\"}}\n").last
        == "1:41 \"delivery.signature.of\" is wrong: it has no placeholder \"{url}\"; there are "
        + "{signed}, {key}, {salt}")
  }

  private static let unused =
    "has no effect: the image service makes the variants, and nothing is decoded; remove it, or "
    + "say "
    + "\"delivery.files: true\""

  @Test func keysOfFilesHaveNoEffect() {
    let keys = [
      "base-url", "variants.effort", "variants.alpha-quality", "variants.background",
      "placeholders", "tables", "fail-on", "lanes",
    ]
    let lines = """
      base-url: https://a.b/
      placeholders: [color]
      tables: {a: {}}
      fail-on: none
      lanes: off
      variants: {effort: 2, alpha-quality: 80, background: "#000000", oversized: png}

      """
    #expect(
      MistakeTests.mistakes("delivery: {preset: nos}\n" + lines)
        == keys.map { "1:11 \"\($0)\" \(Self.unused)" })
    #expect(MistakeTests.mistakes("delivery: {preset: nos, files: true}\n" + lines) == [])
    #expect(MistakeTests.mistakes("delivery: {preset: nos}\nplaceholders: []\n") == [])
    // Files of some images have all but what is made of the files of all.
    #expect(
      MistakeTests.mistakes("delivery: {preset: nos, files-for: animated}\n" + lines)
        == ["1:11 \"tables\" \(Self.unused)"])
  }

  @Test func aServiceDecodesAndEncodesByItself() {
    #expect(
      MistakeTests.mistakes(
        "delivery: {preset: nos}\nvariants: {gravity: entropy, quality: auto, format: [webp, avif, "
          + "source, compatible]}\n"
      ) == [
        "1:11 \"variants.gravity: entropy\" needs decoded pixels, and an image service crops by "
          + "itself; give a side, "
          + "or each item its focus",
        "1:11 \"variants.format: avif\": the image service makes webp, jpeg, png",
        "1:11 \"variants.format: source\": the image service makes webp, jpeg, png",
        "1:11 \"variants.quality: auto\" needs decoded pixels, and an image service encodes by "
          + "itself; give a number, "
          + "or say \"delivery.files: true\"",
      ])
    // `source` may be a format that the service lacks, even where it makes all of ours.
    #expect(
      MistakeTests.mistakes(
        "delivery: {preset: imgix, base: \"https://a.b\"}\nvariants: {format: [source, "
          + "compatible]}\n"
      )
        == ["1:11 \"variants.format: source\": the image service makes webp, jpeg, png, avif"])
  }
}
