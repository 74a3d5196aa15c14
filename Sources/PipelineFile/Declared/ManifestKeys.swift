internal import TesseraJSON
internal import TesseraSystem

/// The forms of the key `manifest`: a place, a query, or several of them.
extension KeyType where Value == PipelineFile.Manifest {
  static var manifest: KeyType {
    let one = place.or(query)
    let several = KeyType<[PipelineFile.Manifest]>.list(
      of: one, initial: .standardInput, one: "list")
    return KeyType(
      expected: PipelineFile.Manifest.expected,
      schema: { ["anyOf": [one.schema($0), several.schema([])]] },
      read: { node, place, current in
        guard case .sequence = node.content else { return one.read(node, place, current) }
        guard let lists = several.read(node, place, []), !lists.isEmpty else { return nil }
        if lists.count(where: { $0 == .standardInput }) > 1 {
          place.report(node.mark, "names standard input twice")
        }
        return lists.count == 1 ? lists[0] : .several(lists)
      }, json: { _ in nil }, parse: one.parse)
  }

  private static var place: KeyType {
    scalar(
      PipelineFile.Manifest.expected,
      schema: [
        "type": "string", "minLength": 1,
        "not": ["pattern": "^(?![Hh][Tt][Tt][Pp][Ss]?://[^/?#@])(?!s3://).*://"],
      ], json: { _ in nil },
      parse: { text, folder in PipelineFile.Manifest(text, directory: folder) })
  }

  private static var query: KeyType {
    KeyType<PipelineFile.ManifestQuery>.group([
      Key(
        "sqlite", .path, \.database, isRequired: true, example: "shop.db",
        "The path of a SQLite database. It is only read."),
      Key(
        "query", .text("a SELECT statement"), \.sql, isRequired: true,
        example: "SELECT id, image_url AS url, title AS alt FROM products ORDER BY id",
        "One SELECT statement; its columns are those of a table."),
    ]).mapped({ .query($0) }, from: { _ in PipelineFile.ManifestQuery() })
  }

  /// A group, or one text in its place.
  private func or(_ group: KeyType) -> KeyType {
    var type = KeyType.either(self, or: group)
    type.parse = parse
    return type
  }
}
