internal import TesseraJSON
package import TesseraPlan

/// What is known of some bytes: what the header says, and what the decoder saw.
package struct ContentRecord: Sendable, Equatable {
  /// As the catalog names it.
  package var format: String
  package var facts: SourceFacts
  package var warnings: [SourceWarning]
  /// Pixels as the header has them, before orientation; nil, like what follows, if nothing is known of it.
  package var pixels: Size?
  package var bytes: Int?
  /// The Exif orientation, 1 to 8.
  package var orientation: Int?

  package init(
    format: String, facts: SourceFacts, warnings: [SourceWarning] = [], pixels: Size? = nil,
    orientation: Int? = nil
  ) {
    self.format = format
    self.facts = facts
    self.warnings = warnings
    self.pixels = pixels
    self.orientation = orientation
  }
}

extension ContentRecord: MarkedRecord {
  static let table = "contents"
  static let key = "content"
  static let columns = [
    "format", "width", "height", "alpha", "frames", "warnings", "header_width", "header_height",
    "bytes", "orientation", "colour_space", "profile", "headroom",
  ]

  init?(_ row: Statement.Row) {
    // Without its warnings a damaged image would count as a whole one.
    guard let warnings = SourceWarning.list(stored: row.text(5)) else { return nil }
    let facts = SourceFacts(
      size: Size(row.int(1), row.int(2)), hasAlpha: row.int(3) != 0, frames: row.int(4),
      colourSpace: row.optionalText(10), profile: row.optionalText(11),
      headroom: row.optionalDouble(12))
    // Sizes are computed with.
    guard facts.isPossible else { return nil }
    var pixels: Size?
    if let width = row.optionalInt(6), let height = row.optionalInt(7) {
      pixels = Size(width, height)
    }
    self.init(
      format: row.text(0), facts: facts, warnings: warnings, pixels: pixels,
      orientation: row.optionalInt(9))
    bytes = row.optionalInt(8)
  }

  var values: [Statement.Value] {
    [
      .text(format), .int(facts.size.width), .int(facts.size.height), .bool(facts.hasAlpha),
      .int(facts.frames), .text(SourceWarning.stored(warnings)), .optional(pixels?.width),
      .optional(pixels?.height), .optional(bytes), .optional(orientation),
      .optional(facts.colourSpace), .optional(facts.profile), .optional(facts.headroom),
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
    case .damaged(let level, let detail): [code.rawValue, level.rawValue, detail]
    case .unusableProfile(let detail), .drawingIncomplete(let detail), .headerDiffers(let detail):
      [code.rawValue, detail]
    case .damagedProfile, .stillOfAnimation, .toneMapped: [code.rawValue]
    }
  }

  private init?(words: [String]) {
    switch (words.first.flatMap(Code.init), words.count) {
    case (.damaged, 3):
      guard let level = FailOn(rawValue: words[1]) else { return nil }
      self = .damaged(level, detail: words[2])
    case (.damagedProfile, 1): self = .damagedProfile
    case (.stillOfAnimation, 1): self = .stillOfAnimation
    case (.toneMapped, 1): self = .toneMapped
    case (.unusableProfile, 2): self = .unusableProfile(detail: words[1])
    case (.drawingIncomplete, 2): self = .drawingIncomplete(detail: words[1])
    case (.headerDiffers, 2): self = .headerDiffers(detail: words[1])
    default: return nil
    }
  }
}
