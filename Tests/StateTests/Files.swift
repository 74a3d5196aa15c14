@testable import TesseraState

/// Files of images as runs name them, each by a name of its source.
enum Files {
  /// What the names of the source's files begin with.
  static func source(_ name: String) -> String { RecordKey.of(name) }

  static func path(_ name: String, fileExtension: String = "webp") -> String {
    let source = source(name)
    return "variants/\(source.prefix(2))/\(source.dropFirst(2).prefix(2))/"
      + "\(source)-3x4-0123456789abcdef.\(fileExtension)"
  }

  static func record(
    _ name: String, fileExtension: String = "webp", bytes: Int = 9
  ) -> VariantRecord {
    record(at: path(name, fileExtension: fileExtension), bytes: bytes)
  }

  /// A record of a file at any path.
  static func record(at path: String, bytes: Int = 9) -> VariantRecord {
    VariantRecord(path: path, width: 3, height: 4, bytes: bytes, sha256: "ab")
  }
}
