/// A published file.
package struct VariantRecord: Sendable, Equatable {
  /// Relative to the output.
  package var path: String
  package var width: Int
  package var height: Int
  package var bytes: Int
  /// In hexadecimal; nil in records of schema 4 and earlier.
  package var sha256: String?

  package init(path: String, width: Int, height: Int, bytes: Int, sha256: String? = nil) {
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
  static let columns = ["path", "width", "height", "bytes", "sha256"]

  init?(_ row: Statement.Row) {
    self.init(
      path: row.text(0), width: row.int(1), height: row.int(2), bytes: row.int(3),
      sha256: row.optionalKey(4))
  }

  var values: [Statement.Value] {
    [.text(path), .int(width), .int(height), .int(bytes), .optional(key: sha256)]
  }
}
