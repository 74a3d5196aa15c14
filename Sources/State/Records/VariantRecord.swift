internal import TesseraCatalog

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
