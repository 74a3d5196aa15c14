internal import TesseraJSON
package import TesseraPlan

/// What the decoder saw in some bytes.
package struct ContentRecord: Sendable, Equatable {
  package var format: String
  /// Displayed pixels.
  package var width: Int
  package var height: Int
  package var hasAlpha: Bool
  package var frames: Int
  package var warnings: [SourceWarning]
  /// Pixels as the header has them, before orientation; nil in records of schema 2 and earlier.
  package var headerWidth: Int?
  package var headerHeight: Int?
  /// Nil, like what follows, in records of schema 4 and earlier.
  package var bytes: Int?
  /// The Exif orientation, 1 to 8.
  package var orientation: Int?
  package var colourSpace: String?
  /// The name of the ICC profile; nil also without a profile.
  package var profile: String?

  package init(
    format: String, width: Int, height: Int, hasAlpha: Bool, frames: Int,
    warnings: [SourceWarning], headerWidth: Int? = nil, headerHeight: Int? = nil
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.hasAlpha = hasAlpha
    self.frames = frames
    self.warnings = warnings
    self.headerWidth = headerWidth
    self.headerHeight = headerHeight
  }
}

extension ContentRecord: MarkedRecord {
  static let table = "contents"
  static let key = "content"
  static let columns = [
    "format", "width", "height", "alpha", "frames", "warnings", "header_width", "header_height",
    "bytes", "orientation", "colour_space", "profile",
  ]

  /// VIPS_MAX_COORD of libvips 8.14, and more frames than any limit allows.
  private static let sides = 1...10_000_000
  private static let frameCounts = 1...1_000_000

  init?(_ row: Statement.Row) {
    // Without its warnings a damaged image would count as a whole one.
    guard let warnings = SourceWarning.list(stored: row.text(5)) else { return nil }
    self.init(
      format: row.text(0), width: row.int(1), height: row.int(2), hasAlpha: row.int(3) != 0,
      frames: row.int(4), warnings: warnings,
      headerWidth: row.optionalInt(6), headerHeight: row.optionalInt(7))
    bytes = row.optionalInt(8)
    orientation = row.optionalInt(9)
    colourSpace = row.optionalText(10)
    profile = row.optionalText(11)
    // Sizes are computed with: a record from before there were marks may be damaged.
    guard Self.sides.contains(width), Self.sides.contains(height),
      Self.frameCounts.contains(frames)
    else { return nil }
  }

  var values: [Statement.Value] {
    [
      .text(format), .int(width), .int(height), .bool(hasAlpha), .int(frames),
      .text(SourceWarning.stored(warnings)), .optional(headerWidth), .optional(headerHeight),
      .optional(bytes), .optional(orientation), .optional(colourSpace), .optional(profile),
    ]
  }
}

extension SourceWarning {
  /// Warnings as they are stored: a JSON array of arrays, each with a name and its arguments. Empty if
  /// there are none.
  static func stored(_ warnings: [SourceWarning]) -> String {
    guard !warnings.isEmpty else { return "" }
    var writer = JSONWriter()
    writer.array { list in
      for warning in warnings {
        list.array { words in for word in warning.words { words.value(word) } }
      }
    }
    return writer.text
  }

  /// Nil if the text is not one of ``stored(_:)``.
  static func list(stored text: String) -> [SourceWarning]? {
    if text.isEmpty { return [] }
    guard let list = try? JSONParser.parse(Array(text.utf8)).arrayValue else { return nil }
    let warnings = list.compactMap { element in
      SourceWarning(words: element.arrayValue?.compactMap(\.stringValue) ?? [])
    }
    return warnings.count == list.count ? warnings : nil
  }

  private var words: [String] {
    switch self {
    case .damaged(let level, let detail): ["damaged", level.rawValue, detail]
    case .damagedProfile: ["damaged-profile"]
    case .unusableProfile(let detail): ["unusable-profile", detail]
    }
  }

  private init?(words: [String]) {
    switch (words.first, words.count) {
    case ("damaged", 3):
      guard let level = FailOn(rawValue: words[1]) else { return nil }
      self = .damaged(level, detail: words[2])
    case ("damaged-profile", 1): self = .damagedProfile
    case ("unusable-profile", 2): self = .unusableProfile(detail: words[1])
    default: return nil
    }
  }
}
