internal import Glibc

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
