/// Sources that there is nothing to show of.
extension StateStore {
  static let rejectionColumns =
    "url, settings, kind, code, message, format, width, height, content, etag, last_modified,"
    + " twice"

  /// Nil also where the record is damaged.
  package func rejection(_ key: String) throws(StateError) -> RejectionRecord? {
    try selectRejection.first([.text(key)]) { row -> RejectionRecord? in
      guard row.isSound(key, columns: 12), let kind = RejectionRecord.Kind(rawValue: row.text(2))
      else { return nil }
      var record = RejectionRecord(
        url: row.text(0), settings: row.text(1), kind: kind, code: row.text(3),
        message: row.text(4), format: row.optionalText(5), width: row.optionalInt(6),
        height: row.optionalInt(7), content: row.optionalText(8), etag: row.optionalText(9),
        lastModified: row.optionalText(10))
      record.wasSeenTwice = row.int(11) != 0
      return record
    } ?? nil
  }

  /// Stands until something of the source can be shown.
  package func save(_ rejection: RejectionRecord, key: String) throws(StateError) {
    try begin()
    try upsertRejection.run(
      RecordMark.with(
        key,
        [
          .text(rejection.url), .text(rejection.settings), .text(rejection.kind.rawValue),
          .text(rejection.code), .text(rejection.message), .optional(rejection.format),
          .optional(rejection.width), .optional(rejection.height), .optional(rejection.content),
          .optional(rejection.etag), .optional(rejection.lastModified),
          .int(rejection.wasSeenTwice ? 1 : 0),
        ]))
  }
}
