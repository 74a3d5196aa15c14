internal import Glibc
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
