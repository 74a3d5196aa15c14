internal import TesseraJSON
internal import TesseraManifest
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

/// The keys under `columns`: where a list has what Tessera needs of an image.
extension ColumnMapping {
  static let type = KeyType<Self>.group(
    Member.allCases.map(key) + [
      Key(
        "separator", .optional(.text("a character, such as \",\""), initial: ","), \.separator,
        shapes: .entries,
        "What is between several URLs in one field; each becomes an image. Without it, a field has one URL."
      ),
      Key(
        "prefix", .optional(.prefixURL("https://shop.example.com/media/"), initial: ""), \.prefix,
        shapes: .entries,
        "What is put before a URL without a scheme, as it is, for exports that have paths."),
    ])

  private static func key(_ member: Member) -> Key<Self> {
    let about =
      switch member {
      case .url: "Columns that have the image's URL, or several; all of them count."
      case .id: "The column of the id. Several images with one id become items of their own."
      case .alt: "Columns of the description; the first that is not empty counts."
      case .slots: "The column of the slots' names, with blanks between them."
      case .focus: "The column of the point that crops are centred on: two numbers from 0 to 1."
      case .views: "The column that says how often the image is viewed."
      case .published:
        "Columns that say whether the image may be shown, such as true, active, 0 or draft; all of them have to. A row that has no word is as the row before it with the same id. An empty list says that all images are public."
      }
    return Key(
      member.rawValue,
      .list(of: .text("the name of a column, or a path such as images[0].src"), initial: ""),
      \.[member], shapes: .entries, about)
  }

  /// The columns of a member; none if the mapping does not say.
  subscript(member: Member) -> [String] {
    get { columns[member] ?? [] }
    set { columns[member] = newValue.isEmpty && member != .published ? nil : newValue }
  }
}
