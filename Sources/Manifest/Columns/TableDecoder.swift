internal import TesseraJSON

/// CSV (RFC 4180) or TSV with a header row. The known columns are `id`, `url`, `slots` (names with
/// blanks between them), `focus` (two numbers with a blank between them), `alt` and `views`; all others are private
/// unless the pipeline file names them, and go into `extra` as strings. A mapping has other names for the known ones.
struct TableDecoder: RecordDecoding {
  let separator: Character
  let columns: [String]
  /// Nil without a mapping.
  private var mapped: MappedColumns?

  var joinsRows: Bool { mapped?.mapping.joinsRows ?? false }

  var separatorOfQuotedFields: UInt8? { separator.asciiValue }

  private static let known = Set(
    ColumnMapping.Member.allCases.filter { $0 != .published }.map(\.rawValue))

  /// Nil unless the line is a header row in this format: one with a field `url`, or all that a mapping names in any case, and
  /// no name twice. Known names may have capital letters.
  init?(header: String, separator: Character, _ mapping: ColumnMapping? = nil) {
    guard let names = Self.names(in: header, separator: separator) else { return nil }
    self.init(columns: names, mapping, separator: separator)
  }

  /// Nil if the columns are not those of a list.
  init?(columns names: [String], _ mapping: ColumnMapping?, separator: Character = ",") {
    self.separator = separator
    if let mapping {
      guard let mapped = MappedColumns(mapping, in: names) else { return nil }
      (columns, self.mapped) = (names, mapped)
    } else {
      (columns, mapped) = (names.map(Self.canonical), nil)
      guard columns.contains("url"), Set(columns).count == columns.count else { return nil }
    }
  }

  /// The names in a header row; nil if its quotes are wrong.
  static func names(in header: String, separator: Character) -> [String]? {
    TableFields.split(header, separator: separator)?.map(\.trimmed)
  }

  /// A known name in its own spelling.
  private static func canonical(_ name: String) -> String {
    known.contains(name.lowercased()) ? name.lowercased() : name
  }

  /// A name that stands in a header row twice; nil if there is none.
  static func repeatedName(in names: [String]) -> String? {
    let names = names.map(canonical)
    return names.first { name in names.count { $0 == name } > 1 }
  }

  func isCutOff(_ text: String) -> Bool {
    guard let fields = TableFields.split(text, separator: separator) else { return false }
    return fields.count < columns.count
  }

  mutating func entries(
    from text: String, line: Int, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry] {
    guard let fields = TableFields.split(text, separator: separator) else {
      loseRecord()
      throw ManifestProblem(
        line: line, message: "text follows the closing quote of a field")
    }
    guard fields.count == columns.count else {
      loseRecord()
      throw ManifestProblem(
        line: line,
        message: "expected \(columns.count) fields as in the header row, found \(fields.count)")
    }
    return try entries(of: fields, line: line, &omitted)
  }

  mutating func loseRecord() { mapped?.publication.loseRecord() }

  /// - Parameter fields: one for each column; nil where a database has no value.
  mutating func entries(
    of fields: [String?], line: Int, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry] {
    guard mapped != nil else { return [try entry(of: fields, line: line)] }
    return try mapped?.entries(of: fields, columns, line: line, &omitted) ?? []
  }

  private func entry(
    of fields: [String?], line: Int
  ) throws(ManifestProblem) -> ManifestEntry {
    var id: String?
    var entry = ManifestEntry(line: line, id: nil, url: "")
    for (column, field) in zip(columns, fields) {
      guard let field else { continue }
      switch column {
      case "id": id = field.trimmed
      case "url": entry.url = field.trimmed
      case "slots":
        let names = field.split(separator: " ").map(String.init)
        entry.slots = names.isEmpty ? nil : names  // an empty field: all slots
      case "focus":
        entry.focus = try ManifestEntry.focusPoint(
          field.split(separator: " ").map(String.init), line: line)
      case "alt": entry.alt = field
      case "views":
        entry.others.list.append(.init(column, .string(field)))
        entry.views = ManifestEntry.views(Double(field.trimmed))
      default: entry.others.list.append(.init(column, .string(field)))
      }
    }
    // Without the column, ids are derived from URLs. An empty field in it is a mistake, which the
    // check of the entry reports.
    entry.id = id ?? ""
    entry.hasNoID = id == nil
    return entry
  }
}

/// The columns of a table that a mapping names.
private struct MappedColumns {
  let mapping: ColumnMapping
  /// The index of each column by its name in lower case.
  private let indices: [String: Int]
  /// Names as the table spells them.
  private let used: Set<String>
  var publication = Publication(ifUnsaid: false)

  /// Nil if the mapping names a column that is not there.
  init?(_ mapping: ColumnMapping, in names: [String]) {
    indices = Dictionary(zip(names.map { $0.lowercased() }, 0...)) { first, _ in first }
    guard mapping.missing(in: names).isEmpty else { return nil }
    self.mapping = mapping
    let places = ColumnMapping.Member.allCases.flatMap(mapping.places).map { $0.lowercased() }
    used = Set(names.filter { places.contains($0.lowercased()) })
  }

  mutating func entries(
    of fields: [String?], _ columns: [String], line: Int, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry] {
    let mapped = MappedFields(mapping: mapping, line: line) { [indices] _, place in
      indices[place.lowercased()].flatMap { fields[$0] }.map { [MemberPath.Found(text: $0)] } ?? []
    }
    // A program may write a separator too many after the names.
    let others = zip(columns, fields).filter { !$0.0.isEmpty }.compactMap { column, field in
      field.map { JSONValue.Member(column, .string($0)) }
    }
    return try mapped.entries(
      others: OtherMembers(list: others, mapped: used), &publication, &omitted)
  }
}

/// The fields of a record in CSV (RFC 4180) or TSV.
///
/// It works on bytes, as ``RecordSplitter`` does: a Swift character may join a comma or a quote
/// with a combining mark after it, and would hide the separator.
enum TableFields {
  /// The fields of one record, without quotes; nil if the quotes are wrong.
  static func split(_ text: String, separator: Character) -> [String]? {
    let (quote, separator) = (UInt8(ascii: "\""), separator.asciiValue)
    var fields: [String] = []
    var rest = text.utf8[...]
    while true {
      var field: [UInt8] = []
      if rest.first == quote {
        rest.removeFirst()
        while true {
          guard let end = rest.firstIndex(of: quote) else { return nil }
          field += rest[..<end]
          rest = rest[rest.index(after: end)...]
          // Two quotes stand for one within the field.
          guard rest.first == quote else { break }
          field.append(quote)
          rest.removeFirst()
        }
        guard rest.isEmpty || rest.first == separator else { return nil }
      } else {
        let end = rest.firstIndex { $0 == separator } ?? rest.endIndex
        field += rest[..<end]
        rest = rest[end...]
      }
      fields.append(String(decoding: field, as: UTF8.self))
      guard rest.first == separator else { return fields }
      rest.removeFirst()
    }
  }
}
