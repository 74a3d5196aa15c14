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
