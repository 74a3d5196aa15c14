internal import Glibc
internal import TesseraCatalog
internal import TesseraJSON
package import TesseraPlan
internal import TesseraText

/// The bytes behind a URL.
package struct SourceRecord: Sendable, Equatable {
  /// SHA-256 of the bytes, in hexadecimal.
  package var content: String
  package var confirmation: Confirmation
  /// The URL after redirects, without secrets: the validators belong to it. Nil if it is that of the request.
  package var url: String?
  /// The header `X-Robots-Tag`: what the owner of the source does not want done with it.
  package var robots: String?

  package init(
    content: String, confirmation: Confirmation, url: String? = nil, robots: String? = nil
  ) {
    self.content = content
    self.confirmation = confirmation
    self.url = url
    self.robots = robots
  }
}

extension SourceRecord {
  /// Whether a line of the catalog says the same of both.
  package func isShown(like other: SourceRecord) -> Bool {
    content == other.content && Identifier(url) == Identifier(other.url) && robots == other.robots
      && confirmation.etag == other.confirmation.etag
      && confirmation.lastModified == other.confirmation.lastModified
  }
}

extension SourceRecord: MarkedRecord {
  static let table = "sources"
  static let key = "key"
  static let columns = Confirmation.columns + ["content", "url", "robots"]

  init?(_ row: Statement.Row) {
    self.init(
      content: row.key(5), confirmation: Confirmation(row), url: row.optionalText(6),
      robots: row.optionalText(7))
  }

  var values: [Statement.Value] {
    confirmation.values + [.key(content), .optional(url), .optional(robots)]
  }
}

/// When, and for which version, a server last confirmed what is known of a source.
package struct Confirmation: Sendable, Equatable {
  package var etag: String?
  package var lastModified: String?
  /// Seconds since 1970.
  package var checked: Double
  /// Until when the source may be used without a request, in seconds since 1970; nil if the server did
  /// not say.
  package var freshUntil: Double?
  /// The run that received the answer.
  package var run: Int

  package init(
    etag: String?, lastModified: String?, checked: Double, freshUntil: Double?, run: Int
  ) {
    self.etag = etag
    self.lastModified = lastModified
    self.checked = checked
    self.freshUntil = freshUntil
    self.run = run
  }
}

extension Confirmation {
  /// The first columns of every record that has a confirmation.
  static let columns = ["etag", "last_modified", "checked", "fresh_until", "run"]

  init(_ row: Statement.Row) {
    self.init(
      etag: row.optionalText(0),
      lastModified: row.wholeNumber(1).map(Self.date) ?? row.optionalText(1),
      checked: row.double(2),
      freshUntil: row.optionalDouble(3), run: row.int(4))
  }

  var values: [Statement.Value] {
    [
      .optional(etag), Self.stored(lastModified), .double(checked), .optional(freshUntil),
      .int(run),
    ]
  }

  /// A date is stored in seconds since 1970, which take an eighth of its text; what is written in another way than servers
  /// do (RFC 9110, section 5.6.7), as it is.
  private static func stored(_ date: String?) -> Statement.Value {
    // Bytes, because characters take several times as long.
    let words = date?.utf8.split { [0x20, 0x2C, 0x3A].contains($0) }.map { Substring($0) } ?? []
    let numbers = words.compactMap { Int32($0) }
    guard let date, words.count == 8, numbers.count == 5,
      let month = months.firstIndex(where: { $0 == words[2] })
    else { return .optional(date) }
    var parts = tm()
    (parts.tm_mday, parts.tm_mon, parts.tm_year) = (numbers[0], Int32(month), numbers[1] &- 1900)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[2], numbers[3], numbers[4])
    let seconds = timegm(&parts)
    return Self.date(seconds) == date ? .int(seconds) : .text(date)
  }

  private static func date(_ seconds: Int) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    return String(unsafeUninitializedCapacity: 64) { text in
      text.withMemoryRebound(to: CChar.self) {
        strftime($0.baseAddress, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      }
    }
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

/// The header of a source whose bytes were not fetched: a layout run reads no more.
package struct HeaderRecord: Sendable, Equatable {
  package var format: String
  /// Displayed pixels.
  package var width: Int
  package var height: Int
  package var hasAlpha: Bool
  /// Nil if the header does not say.
  package var isAnimated: Bool?
  /// Nil if they were not counted.
  package var frames: Int?
  /// The source's size in bytes; nil if the server did not say.
  package var bytes: Int?
  package var confirmation: Confirmation
  /// The URL after redirects, without secrets: the validators belong to it.
  package var place: String?

  package init(
    format: String, width: Int, height: Int, hasAlpha: Bool, isAnimated: Bool?,
    frames: Int? = nil, bytes: Int? = nil, confirmation: Confirmation, place: String? = nil
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
    self.frames = frames
    self.bytes = bytes
    self.confirmation = confirmation
    self.place = place
  }
}

extension HeaderRecord: MarkedRecord {
  static let table = "headers"
  static let key = "key"
  static let columns =
    Confirmation.columns + [
      "format", "width", "height", "alpha", "animated", "place", "frames", "bytes",
    ]

  /// No image format has sides of more than 31 bits.
  private static let sides = 1...0x7FFF_FFFF

  init?(_ row: Statement.Row) {
    self.init(
      format: row.text(5), width: row.int(6), height: row.int(7), hasAlpha: row.int(8) != 0,
      isAnimated: row.optionalInt(9).map { $0 != 0 }, frames: row.optionalInt(11),
      bytes: row.optionalInt(12), confirmation: Confirmation(row), place: row.optionalText(10))
    // Sizes are computed with.
    guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
  }

  var values: [Statement.Value] {
    confirmation.values + [
      .text(format), .int(width), .int(height), .bool(hasAlpha), .optional(isAnimated),
      .optional(place), .optional(frames), .optional(bytes),
    ]
  }
}

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

/// A published file.
package struct VariantRecord: Sendable, Equatable {
  /// Relative to the output.
  package var path: String
  package var width: Int
  package var height: Int
  package var bytes: Int
  /// Of its bytes, in hexadecimal.
  package var sha256: String

  package init(path: String, width: Int, height: Int, bytes: Int, sha256: String) {
    self.path = path
    self.width = width
    self.height = height
    self.bytes = bytes
    self.sha256 = sha256
  }
}

extension VariantRecord: MarkedRecord {
  static let table = "variants"
  static let key = "key"
  static let columns = ["name", "width", "height", "bytes", "sha256"]

  init?(_ row: Statement.Row) {
    let name = row.text(0)
    guard !name.isEmpty else { return nil }
    self.init(
      path: name.contains("/") ? name : FileName.path(name: name), width: row.int(1),
      height: row.int(2), bytes: row.int(3), sha256: row.key(4))
  }

  var values: [Statement.Value] {
    [.text(name), .int(width), .int(height), .int(bytes), .key(sha256)]
  }

  /// The path of a file of an image without its folders, which follow from the rest; of a table the whole.
  private var name: String {
    guard FileName.parts(of: path) != nil, let name = path.split(separator: "/").last else {
      return path
    }
    return String(name)
  }

  /// The whole path in SQL.
  static let wholePath =
    "CASE WHEN instr(variants.name, '/') THEN variants.name ELSE 'variants/' || substr(variants.name, 1, 2)"
    + " || '/' || substr(variants.name, 3, 2) || '/' || variants.name END"
}

extension VariantRecord {
  /// The key of the record of a file, by its path.
  package static func key(path: String) -> String { RecordKey.of(path) }
}

/// The placeholders of a content, a column each, with what made them as the key.
struct PlaceholderRecord: MarkedRecord {
  static let table = "placeholders"
  static let key = "key"
  static let columns = Placeholders.Kind.allCases.map(\.rawValue)

  var placeholders: Placeholders

  init(_ placeholders: Placeholders) { self.placeholders = placeholders }

  init?(_ row: Statement.Row) {
    placeholders = Placeholders()
    for (column, kind) in Placeholders.Kind.allCases.enumerated() {
      let text = row.optionalText(Int32(column))
      placeholders[kind] = text?.isEmpty == true ? nil : text
    }
  }

  var values: [Statement.Value] {
    Placeholders.Kind.allCases.map { kind in
      kind == .color || kind == .css
        ? .optional(placeholders[kind]) : .text(placeholders[kind] ?? "")
    }
  }
}

/// The quality that was found for a content in one encoding.
package struct QualityRecord: Sendable, Equatable {
  /// ``Plan/QualitySearch/recipe``.
  package var recipe: String
  package var found: FoundQuality
  /// The run that searched.
  package var run: Int

  package init(recipe: String, found: FoundQuality, run: Int) {
    (self.recipe, self.found, self.run) = (recipe, found, run)
  }

  /// The key of a record: rows of a content are neighbours, and leave the state with it.
  ///
  /// - Parameter digest: of everything that shapes what is found, apart from the content.
  package static func key(content: String, digest: String) -> String {
    "\(content)\(digest.prefix(digestLength))"
  }

  private static let digestLength = 16
  /// The content in a key: SQL.
  static let contentOfKey =
    "substr(qualities.key, 1, length(qualities.key) - CASE typeof(qualities.key)"
    + " WHEN 'blob' THEN \(digestLength / 2) ELSE \(digestLength) END)"
  /// Around all keys of a content.
  static func keys(of content: String) -> ClosedRange<String> {
    content...key(content: content, digest: String(repeating: "f", count: digestLength))
  }
}

extension QualityRecord: MarkedRecord {
  static let table = "qualities"
  static let key = "key"
  static let columns = [
    "recipe", "quality", "score", "tile", "width", "height", "encodes", "graphic", "run",
  ]

  init?(_ row: Statement.Row) {
    found = FoundQuality(
      quality: row.int(1), score: row.double(2), worstTile: row.double(3),
      size: Size(row.int(4), row.int(5)), encodes: row.int(6), isGraphic: row.int(7) != 0)
    recipe = row.text(0)
    run = row.int(8)
    guard found.isPossible else { return nil }
  }

  var values: [Statement.Value] {
    [
      .text(recipe), .int(found.quality), .double(found.score), .double(found.worstTile),
      .int(found.size.width), .int(found.size.height), .int(found.encodes),
      .bool(found.isGraphic), .int(run),
    ]
  }
}

/// Why the bytes behind a URL cannot be shown.
package struct RejectionRecord: Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// The header alone showed that the source is not accepted.
    case rejected
    /// The decoder failed.
    case undecodable
  }

  /// A digest of everything but the bytes that decided: the pipeline's limits, the versions.
  package var settings: String
  package var kind: Kind
  /// The catalog's error code.
  package var code: String
  /// The failure's arguments, as JSON.
  package var details: String
  /// The image's format and displayed pixels, if they are known.
  package var format: String?
  package var width: Int?
  package var height: Int?
  /// SHA-256 of the bytes, if all of them arrived.
  package var content: String?
  package var etag: String?
  /// The URL that the bytes came from, after redirects and without secrets: the ETag belongs to it.
  package var place: String
  /// When the bytes were last examined, in seconds since 1970.
  package var seen: Double
  /// How many examinations in a row had the same result as the one before. Its column is older than
  /// the number: there it was 0 or 1.
  package var repeats = 0

  package init(
    settings: String, kind: Kind, code: String, details: String, content: String?, etag: String?,
    place: String, seen: Double
  ) {
    self.settings = settings
    self.kind = kind
    self.code = code
    self.details = details
    self.content = content
    self.etag = etag
    self.place = place
    self.seen = seen
  }
}

extension RejectionRecord: MarkedRecord {
  static let table = "rejections"
  static let key = "key"
  static let columns = [
    "settings", "kind", "code", "details", "format", "width", "height", "content", "etag", "place",
    "seen", "twice",
  ]

  init?(_ row: Statement.Row) {
    guard let kind = Kind(rawValue: row.text(1)) else { return nil }
    self.init(
      settings: row.key(0), kind: kind, code: row.text(2), details: row.text(3),
      content: row.optionalKey(7), etag: row.optionalText(8), place: row.text(9),
      seen: row.double(10))
    format = row.optionalText(4)
    width = row.optionalInt(5)
    height = row.optionalInt(6)
    repeats = row.int(11)
  }

  var values: [Statement.Value] {
    [
      .key(settings), .text(kind.rawValue), .text(code), .text(details), .optional(format),
      .optional(width), .optional(height), .optional(key: content), .optional(etag), .text(place),
      .double(seen), .int(repeats),
    ]
  }
}
