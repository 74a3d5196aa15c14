internal import TesseraCatalog
package import TesseraPlan

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

/// The placeholders of a content, a column each, with what made them as the key.
struct PlaceholderRecord: MarkedRecord {
  static let table = "placeholders"
  static let key = "key"
  static let columns = Placeholders.Kind.allCases.map(\.rawValue)

  var placeholders: Placeholders

  init(_ placeholders: Placeholders) { self.placeholders = placeholders }

  init?(_ row: Statement.Row) {
    placeholders = Placeholders()
    for (column, kind) in Placeholders.Kind.allCases.enumerated() {
      let text = row.optionalText(Int32(column))
      placeholders[kind] = text?.isEmpty == true ? nil : text
    }
  }

  var values: [Statement.Value] {
    Placeholders.Kind.allCases.map { kind in
      kind == .color || kind == .css
        ? .optional(placeholders[kind]) : .text(placeholders[kind] ?? "")
    }
  }
}

/// The quality that was found for a content in one encoding.
package struct QualityRecord: Sendable, Equatable {
  /// ``Plan/QualitySearch/recipe``.
  package var recipe: String
  package var found: FoundQuality
  /// The run that searched.
  package var run: Int

  package init(recipe: String, found: FoundQuality, run: Int) {
    (self.recipe, self.found, self.run) = (recipe, found, run)
  }

  /// The key of a record: rows of a content are neighbours, and leave the state with it.
  ///
  /// - Parameter digest: of everything that shapes what is found, apart from the content.
  package static func key(content: String, digest: String) -> String {
    "\(content)\(digest.prefix(digestLength))"
  }

  private static let digestLength = 16
  /// The content in a key: SQL.
  static let contentOfKey =
    "substr(qualities.key, 1, length(qualities.key) - CASE typeof(qualities.key)"
    + " WHEN 'blob' THEN \(digestLength / 2) ELSE \(digestLength) END)"
  /// Around all keys of a content.
  static func keys(of content: String) -> ClosedRange<String> {
    content...key(content: content, digest: String(repeating: "f", count: digestLength))
  }
}

extension QualityRecord: MarkedRecord {
  static let table = "qualities"
  static let key = "key"
  static let columns = [
    "recipe", "quality", "score", "tile", "width", "height", "encodes", "graphic", "run",
  ]

  init?(_ row: Statement.Row) {
    found = FoundQuality(
      quality: row.int(1), score: row.double(2), worstTile: row.double(3),
      size: Size(row.int(4), row.int(5)), encodes: row.int(6), isGraphic: row.int(7) != 0)
    recipe = row.text(0)
    run = row.int(8)
    guard found.isPossible else { return nil }
  }

  var values: [Statement.Value] {
    [
      .text(recipe), .int(found.quality), .double(found.score), .double(found.worstTile),
      .int(found.size.width), .int(found.size.height), .int(found.encodes),
      .bool(found.isGraphic), .int(run),
    ]
  }
}
