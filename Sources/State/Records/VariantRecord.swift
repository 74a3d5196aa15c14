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
    if let whole = path(ending: path), !path.contains("/") { path = whole }
  }

  var values: [Statement.Value] {
    [.text(storedPath), .int(width), .int(height), .int(bytes), .optional(key: sha256)]
  }

  /// A file that is named after its bytes and its size is stored with the ending of its path alone: it would be half of the
  /// record.
  private var storedPath: String {
    let ending = path.split(separator: ".").last.map(String.init) ?? ""
    return path(ending: ending) == path && !ending.contains("/") ? ending : path
  }

  private func path(ending: String) -> String? {
    guard let sha256, sha256.utf8.count == 64 else { return nil }
    return "variants/\(sha256.prefix(2))/\(sha256.prefix(32))-\(width)x\(height).\(ending)"
  }

  /// The whole path in SQL.
  static let wholePath =
    "CASE WHEN instr(variants.path, '/') OR typeof(sha256) <> 'blob' THEN variants.path ELSE 'variants/'"
    + " || substr(lower(hex(sha256)), 1, 2) || '/' || substr(lower(hex(sha256)), 1, 32) || '-'"
    + " || width || 'x' || height || '.' || variants.path END"
}
