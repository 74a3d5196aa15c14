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
