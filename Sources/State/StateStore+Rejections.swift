/// URLs that there is nothing to show of.
extension StateStore {
  static let rejectionColumns =
    "settings, kind, code, message, format, width, height, content, etag, place, seen, twice"

  /// Nil also where the record is damaged.
  package func rejection(_ key: String) throws(StateError) -> RejectionRecord? {
    try selectRejection.first([.text(key)]) { row -> RejectionRecord? in
      guard row.isSound(key, columns: 12), let kind = RejectionRecord.Kind(rawValue: row.text(1))
      else { return nil }
      var record = RejectionRecord(
        settings: row.text(0), kind: kind, code: row.text(2), message: row.text(3),
        content: row.optionalText(7), etag: row.optionalText(8), place: row.text(9),
        seen: row.double(10))
      record.format = row.optionalText(4)
      record.width = row.optionalInt(5)
      record.height = row.optionalInt(6)
      record.wasSeenTwice = row.int(11) != 0
      return record
    } ?? nil
  }

  package func save(_ rejection: RejectionRecord, key: String) throws(StateError) {
    try begin()
    try upsertRejection.run(
      RecordMark.with(
        key,
        [
          .text(rejection.settings), .text(rejection.kind.rawValue), .text(rejection.code),
          .text(rejection.message), .optional(rejection.format), .optional(rejection.width),
          .optional(rejection.height), .optional(rejection.content), .optional(rejection.etag),
          .text(rejection.place), .double(rejection.seen), .int(rejection.wasSeenTwice ? 1 : 0),
        ]))
  }

  /// To be called when something of a URL can be shown.
  package func forgetRejection(_ key: String) throws(StateError) {
    try begin()
    try deleteRejection.run([.text(key)])
  }
}
