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
  /// Where `checked`… `run` are among the columns; see ``StateStore/salvage(from:)``.
  static let freshness = 3...4

  init(_ row: Statement.Row) {
    self.init(
      etag: row.optionalText(0), lastModified: row.optionalText(1), checked: row.double(2),
      freshUntil: row.optionalDouble(3), run: row.int(4))
  }

  var values: [Statement.Value] {
    [
      .optional(etag), .optional(lastModified), .double(checked), .optional(freshUntil), .int(run),
    ]
  }
}
