import TesseraPipelineFile
import Testing

/// Mistakes under `delivery`, one sentence each.
@Suite struct DeliveryKeyTests {
  @Test(arguments: [
    ("delivery: {preset: imgproxi}", "\"delivery.preset\" must be one of aliyun, bunny,"),
    ("delivery: {}", "\"delivery\" needs a preset (aliyun, bunny,"),
    ("delivery: {preset: imgproxy}", "\"delivery.base\" is missing: the URL of the service"),
    ("delivery: {preset: nos, base: img.example}", "\"delivery.base\" must be a URL,"),
    ("delivery: {preset: nos, key: a}", "\"delivery.key\": this service has no signatures"),
    (
      "delivery: {preset: imgproxy, base: \"https://a.b\", key: xyz, salt: 00}",
      "\"delivery.key\" must be hexadecimal digits, two for each byte"
    ),
    (
      "delivery: {preset: imgproxy, base: \"https://a.b\", key: aa}",
      "\"delivery\" needs both key and salt, or neither"
    ),
    (
      "delivery: {preset: thumbor, base: \"https://a.b\", key: a, salt: b}",
      "\"delivery.salt\": the signature of this service has none"
    ),
    (
      "delivery: {preset: nos, focus: {scale: 0}}",
      "\"delivery.focus.scale\" must be a number above 0"
    ),
    (
      "delivery: {preset: nos, longest-side: 0}",
      "\"delivery.longest-side\" must be a length of 1 to"
    ),
    ("delivery: {preset: nos, widths: [a]}", "\"delivery.widths\" must be whole numbers from 1 to"),
    ("delivery: {preset: nos, colour: red}", "unknown key \"colour\" in \"delivery\""),
    ("delivery: {preset: nos, formats: {gif: gif}}", "unknown key \"gif\" in \"delivery.formats\""),
    (
      "delivery: {template: \"/{wdith}\", formats: {webp: w}}",
      "\"delivery.template\" is wrong: it has no placeholder"
    ),
    (
      "delivery: {template: \"/{signed}\", formats: {webp: w}}",
      "\"delivery.signed\" is missing: the template has {signed}"
    ),
    (
      "delivery: {template: \"/a\"}",
      "\"delivery.formats\" is missing: the formats that the service makes"
    ),
    (
      "delivery: {template: \"/{signature}\", formats: {webp: w}, signature: {algorithm: md5}}",
      "\"delivery.signature.of\" is missing: what is signed"
    ),
    (
      "delivery: {preset: nos}\nvariants: {format: avif}",
      "\"variants.format: avif\": the image service makes webp, jpeg, png"
    ),
    (
      "delivery: {preset: nos}\nvariants: {format: source}",
      "\"variants.format: source\": the image service makes webp, jpeg, png"
    ),
    (
      "delivery: {preset: nos}\nvariants: {gravity: attention}",
      "\"variants.gravity: attention\" needs decoded pixels"
    ),
    (
      "delivery: {preset: nos}\nvariants: {effort: 2}",
      "\"variants.effort\" has no effect: the image service makes the variants"
    ),
    ("delivery: {preset: nos}\nplaceholders: [color]", "\"placeholders\" has no effect"),
    ("delivery: {preset: nos}\ntables: {a: {}}", "\"tables\" has no effect"),
    ("delivery: {preset: nos}\nbase-url: https://a.b/", "\"base-url\" has no effect"),
  ])
  func mistakesAreNamed(_ keys: String, _ message: String) {
    let text = "manifest: m\noutput: o\nslots: {a: {size: 10x10, mode: clip}}\n\(keys)\n"
    let error = #expect(throws: PipelineFileError.self) {
      try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
    }
    #expect(error.map { "\($0)".contains(message) } == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    "delivery: {preset: nos, files: true}\nvariants: {effort: 2}\nplaceholders: [color]",
    "delivery: {preset: nos}\nplaceholders: []",
    "delivery: {preset: nos}\nvariants: {format: [webp, jpeg]}",
    "delivery: {preset: nos}\nvariants: {gravity: north, format: compatible}",
  ])
  func otherKeysGoWithIt(_ keys: String) throws {
    let text = "manifest: m\noutput: o\nslots: {a: {size: 10x10, mode: clip}}\n\(keys)\n"
    _ = try PipelineFile.decode(Array(text.utf8), path: "p.yaml") { _ in nil }
  }
}
