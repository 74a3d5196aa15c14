import TesseraCatalog
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraPipelineFile

/// The range of every key with a number, from both sides, and the message about other numbers.
@Suite struct KeyRangeTests {
  static func decode(_ text: String) throws -> PipelineFile {
    let minimal = [("manifest", "m"), ("output", "o"), ("slots", "{a: {size: 10x10}}")]
    let lines = minimal.filter { !text.hasPrefix("\($0.0):") }.map { "\($0.0): \($0.1)\n" }
    return try PipelineFile.decode(Array((lines.joined() + text).utf8), path: "p.yaml") { _ in nil }
  }

  /// The messages about a text.
  static func messages(_ text: String) -> [String] {
    do {
      _ = try decode(text)
      return []
    } catch {
      return (error as? PipelineFileError)?.diagnostics.map(\.message) ?? ["\(error)"]
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var key: String
    /// `N` is the number.
    var text: String
    var range: ClosedRange<Int>
    /// Completes "must be"; nil for "a whole number from … to …".
    var expected: String?
    var value: @Sendable (PipelineFile) -> Int?

    var testDescription: String { text }

    init(
      _ key: String, _ text: String, _ range: ClosedRange<Int>, _ expected: String? = nil,
      _ value: @escaping @Sendable (PipelineFile) -> Int?
    ) {
      (self.key, self.text, self.range) = (key, text, range)
      (self.expected, self.value) = (expected, value)
    }
  }

  private static let points =
    "a size in points, such as 36x36, 180x (free height) or x200 (free width)"
  private static let length = "a length of 1 to 1000000 pixels"

  private static let rows: [Row] = [
    Row("slots.a.size", "slots: {a: {size: Nx}}", 1...65_536, points) { $0.plan.slots[0].width },
    Row("slots.a.size", "slots: {a: {size: xN}}", 1...65_536, points) { $0.plan.slots[0].height },
    Row(
      "scales", "scales: [N]", 1...8, "a list of whole numbers from 1 to 8, such as [1, 2, 3]"
    ) { $0.plan.scales.first },
    Row("rounding", "rounding: [N]", 1...65_500, "a list of sizes from 1 to 65500 pixels") {
      if case .list(let sizes) = $0.plan.rounding.steps { sizes.first } else { nil }
    },
    Row("catalog.changes", "catalog: {changes: N}", 0...100) { $0.catalogChanges },
    Row(
      "catalog.screens.x.first", "catalog: {screens: {x: {slots: [a], first: N}}}", 1...1_000
    ) { $0.screens.first?.first },
    Row(
      "catalog.screens.x.part", "catalog: {screens: {x: {slots: [a], part: N}}}", 10...1_000_000
    ) { $0.screens.first?.part },
    Row("workers", "workers: N", 1...256, "\"auto\" or a whole number from 1 to 256", \.workers),
    Row("fetch.concurrency", "fetch: {concurrency: N}", 1...1_024) { $0.fetch.concurrency },
    Row(
      "fetch.per-host", "fetch: {per-host: N}", 1...1_024,
      "\"auto\" or a whole number from 1 to 1024"
    ) { $0.fetch.perHost },
    Row("fetch.retries", "fetch: {retries: N}", 0...20) { $0.fetch.retries },
    Row("fetch.redirects", "fetch: {redirects: N}", 0...50) { $0.fetch.redirects },
    Row("limits.frames", "limits: {frames: N}", 1...100_000) { $0.limits.frames },
    Row(
      "keep-catalogs", "keep-catalogs: N", 0...100,
      "a whole number from 0 to 100, or a group such as {count: 3, age: 7d}"
    ) { $0.keptCatalogs.count },
    Row("keep-catalogs.count", "keep-catalogs: {count: N}", 0...100) { $0.keptCatalogs.count },
  ]

  private static let variantRows: [Row] = [
    Row(
      "variants.quality", "variants: {quality: N}", 1...100,
      "a whole number from 1 to 100 or \"auto\", or a group with one for each format, or with a "
        + "target such "
        + "as {target: high}"
    ) { $0.plan.quality[.jpeg] },
    Row(
      "variants.effort", "variants: {effort: N}", 0...6,
      "a whole number from 0 to 6 or \"auto\", or a group with one for each format"
    ) { $0.plan.effort[.webp] },
    Row(
      "variants.quality.target", "variants: {quality: {target: N}}", 30...95,
      "a whole number from 30 to 95, or one of \"low\" (60), \"feed\" (70), \"high\" (80), "
        + "\"excellent\" (85)"
    ) { $0.plan.automaticQuality.target },
    Row("variants.alpha-quality", "variants: {alpha-quality: N}", 0...100) { $0.plan.alphaQuality },
    number("quality", .webp, 1...100, \.quality), number("quality", .jpeg, 1...100, \.quality),
    number("quality", .avif, 1...100, \.quality), number("quality", .jxl, 1...100, \.quality),
    number("quality", .heic, 1...100, \.quality),
    number("effort", .webp, 0...6, \.effort), number("effort", .avif, 0...9, \.effort),
    number("effort", .jxl, 3...9, \.effort),
    Row(
      "variants.quality-range", "variants: {quality: auto, quality-range: [N, 100]}", 1...99, ends
    ) { $0.plan.automaticQuality.range.lowerBound },
    Row("variants.quality-range", "variants: {quality: auto, quality-range: [1, N]}", 2...100, ends)
    { $0.plan.automaticQuality.range.upperBound },
  ]

  private static let ends = "two whole numbers from 1 to 100, the lower one first, such as [40, 92]"

  private static func number(
    _ key: String, _ format: OutputFormat, _ range: ClosedRange<Int>,
    _ setting: any KeyPath<PlanSettings, EncoderSetting> & Sendable
  ) -> Row {
    let name = format.rawValue
    let orAuto = key == "quality" || format == .webp ? " or \"auto\"" : ""
    return Row(
      "variants.\(key).\(name)", "variants: {\(key): {\(name): N}}", range,
      "a whole number from \(range.lowerBound) to \(range.upperBound)\(orAuto)"
    ) { $0.plan[keyPath: setting][format] }
  }

  private static let deliveryRows: [Row] = [
    Row(
      "delivery.longest-side", "delivery: {preset: nos, longest-side: N}", 1...1_000_000,
      length + ", or a group by format"
    ) { $0.delivery?.limits.longestSides[.png] },
    Row(
      "delivery.longest-side.jpeg", "delivery: {preset: nos, longest-side: {jpeg: N}}",
      1...1_000_000, length
    ) { $0.delivery?.limits.longestSides[.jpeg] },
    Row(
      "delivery.widths", "delivery: {preset: nos, widths: [N]}", 1...1_000_000,
      "whole numbers from 1 to 1000000"
    ) { $0.delivery?.limits.widths.first },
    Row(
      "delivery.qualities", "delivery: {preset: nos, qualities: N}", 1...100,
      "whole numbers from 1 to 100"
    ) { $0.delivery?.qualities.first },
    Row(
      "delivery.signature.length",
      "delivery: {preset: nos, signature: {of: \"{signed}\", length: N}}", 1...128
    ) { $0.delivery?.signature?.length },
    Row(
      "delivery.focus.scale", "delivery: {preset: nos, focus: {scale: N}}", 1...1_000_000,
      "a number above 0"
    ) { $0.delivery.map { Int($0.focus.scale) } },
  ]

  @Test(arguments: rows + variantRows + deliveryRows)
  func aNumberIsInItsRange(_ row: Row) throws {
    func text(_ number: Int) -> String { row.text.replacing("N", with: "\(number)") }
    for number in [row.range.lowerBound, row.range.upperBound] {
      #expect(try row.value(Self.decode(text(number))) == number)
    }
    let standard = "a whole number from \(row.range.lowerBound) to \(row.range.upperBound)"
    for number in [row.range.lowerBound - 1, row.range.upperBound + 1] {
      // Two ends of a range that do not belong together are one mistake, of both.
      let isPair = row.key == "variants.quality-range" && (1...100).contains(number)
      let found = row.text.contains("size") ? row.size(number) : isPair ? "a list" : "\"\(number)\""
      #expect(
        Self.messages(text(number)) == [
          "\"\(row.key)\" must be \(row.expected ?? standard), found \(found)"
        ])
    }
  }

  // MARK: Quantities

  @Test(
    arguments: [
      ("fetch.timeout", "1ms"), ("fetch.deadline", "1ms"), ("fetch.keep-stale", "1ms"),
      ("limits.time", "1ms"), ("keep-catalogs.age", "1ms"),
    ])
  func aDurationIsAMillisecondAtLeast(_ key: String, _ least: String) {
    let names = key.split(separator: ".")
    #expect(Self.messages("\(names[0]): {\(names[1]): \(least)}") == [])
    for text in ["0ms", "0.9ms", "0s", "1", "-1s"] {
      #expect(
        Self.messages("\(names[0]): {\(names[1]): \(text)}") == [
          "\"\(key)\" must be a duration of at least 1ms, such as 500ms, 15s, 2m or 1h, found "
            + "\"\(text)\""
        ])
    }
  }

  @Test func someKeysMayBeZero() throws {
    #expect(try Self.decode("keep-lost: 0s").keepLost == .zero)
    #expect(try Self.decode("keep-lost: 36h").keepLost == .seconds(129_600))
    #expect(
      Self.messages("keep-lost: 1") == [
        "\"keep-lost\" must be a duration, such as 500ms, 15s, 2m or 1h, found \"1\""
      ])
  }

  private static let rate = "a rate such as 1KB/s"

  @Test(arguments: [
    ("fetch.max-bytes", "1", "0", "a size such as 64MB"),
    ("fetch.cache", "1B", "0", "\"none\" or a size such as 10GB"),
    ("limits.memory", "256MB", "255999999", "a size of at least 256MB, such as 2GB"),
    ("limits.pixels", "1", "0", "a count of pixels, such as 100MP"),
    ("fetch.min-speed", "1B/s", "1B", rate), ("fetch.min-speed", "0B/s", "-1B/s", rate),
    ("delivery.source-pixels", "1", "0", "a count of pixels, such as 50MP"),
    ("delivery.animation-pixels", "1", "0", "a count of pixels, such as 50MP"),
    ("delivery.source-bytes", "1", "0", "a size such as 20MB"),
    ("delivery.source-side", "1", "0", "a length of 1 to 1000000 pixels"),
    ("delivery.source-frames", "1", "0", "a whole number from 1 to 1000000"),
    ("delivery.frames", "1000000", "1000001", "a whole number from 1 to 1000000"),
    ("delivery.pixels", "1", "0", "a count of pixels, such as 100MP, or a group by format"),
    ("delivery.focus.scale", "0.001", "0", "a number above 0"),
    ("delivery.focus.scale", "1000000", "1000000.1", "a number above 0"),
  ])
  func aQuantityHasALeastValue(
    _ key: String, _ accepted: String, _ rejected: String, _ expected: String
  ) {
    let names = key.split(separator: ".")
    func text(_ value: String) -> String {
      names[0] == "delivery"
        ? names.count == 3
          ? "delivery: {preset: nos, \(names[1]): {\(names[2]): \(value)}}"
          : "delivery: {preset: nos, \(names[1]): \(value)}"
        : "\(names[0]): {\(names[1]): \(value)}"
    }
    #expect(Self.messages(text(accepted)) == [])
    #expect(
      Self.messages(text(rejected)) == [
        "\"\(key)\" must be \(expected), found \"\(rejected)\""
      ])
  }

  @Test(arguments: ["fail-above", "shrink-above", "lost-above"])
  func aShareIsAPercentage(_ key: String) throws {
    for text in ["0%", "100%", "99.5%"] { #expect(Self.messages("\(key): \(text)") == []) }
    for text in ["100.5%", "-1%", "50"] {
      #expect(
        Self.messages("\(key): \(text)") == [
          "\"\(key)\" must be a percentage from 0% to 100%, found \"\(text)\""
        ])
    }
  }
}

extension KeyRangeTests.Row {
  /// A size of a slot with this number, as a message quotes it.
  fileprivate func size(_ number: Int) -> String {
    text.contains("Nx") ? "\"\(number)x\"" : "\"x\(number)\""
  }
}
