internal import TesseraJSON

/// What a run said of an item: its line of the catalog, and the keys of what the line was made from.
package struct LastResult: Sendable {
  package var status: String
  package var line: String
  /// Nil before schema 10.
  package var source: String?
  /// Nil if it is the source's.
  var request: String?
  var content: String?
  var placeholder: String?

  /// In the tables `results` and `items`.
  static let columns = "\(PackedLines.columns), \(status), source, request, content, placeholder"
  /// That of a result, most often `ok`: SQL.
  static let status = "coalesce(status, 'ok')"
  /// How many they are.
  static let width = PackedLines.width + 5

  init(
    status: String, line: String, source: String?, request: String?, content: String?,
    placeholder: String?
  ) {
    (self.status, self.line, self.source, self.request) = (status, line, source, request)
    (self.content, self.placeholder) = (content, placeholder)
  }

  /// A row that begins with ``columns``. If its line is damaged, it is empty: the keys are those of the item all the same.
  init(_ row: Statement.Row, _ packed: PackedLines) {
    let rest = row.dropFirst(PackedLines.width)
    self.init(
      status: rest.text(0), line: packed.line(in: row) ?? "", source: rest.optionalKey(1),
      request: rest.optionalKey(2), content: rest.optionalKey(3), placeholder: rest.optionalKey(4))
  }

  /// What the item has by this result.
  var possessions: Set<Possession> {
    var names: Set<Possession> = []
    if let files = Self.files(in: line) { names.insert(Possession(.files, files)) }
    if let source {
      names.insert(Possession(.sources, source))
      names.insert(Possession(.rejections, request ?? source))
    }
    if let content { names.insert(Possession(.contents, content)) }
    if let placeholder { names.insert(Possession(.placeholders, placeholder)) }
    return names
  }

  /// What the names of the files begin with that a line of the catalog has: its `source`. Nil without files, and of a line that is
  /// damaged.
  private static func files(in line: String) -> String? {
    (try? JSONParser.parse(Array(line.utf8)))?["source"]?.stringValue
  }
}

/// Something that an item has in an output: files, or a row of a table of the state.
package struct Possession: Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    case files, sources, rejections, contents, placeholders
  }

  package var kind: Kind
  /// What the names of files begin with, or a key.
  package var name: String

  init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }

  /// As it is stored.
  var values: [Statement.Value] { [.text(kind.rawValue), .key(name)] }

  /// A row that begins with such values; nil if its kind is none.
  init?(_ row: Statement.Row) {
    guard let kind = Kind(rawValue: row.text(0)) else { return nil }
    self.init(kind, row.key(1))
  }
}
