package import TesseraPlan

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
