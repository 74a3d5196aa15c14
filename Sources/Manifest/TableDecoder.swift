internal import TesseraCatalog
internal import TesseraJSON

/// CSV (RFC 4180) or TSV with a header row. The known columns are `id`, `url`, `slots` (names with
/// blanks between them), `focus` (two numbers with a blank between them), `alt` and `views`; all others are private
/// unless the pipeline file names them, and go into `extra` as strings.
struct TableDecoder: RecordDecoding {
  let separator: Character
  let columns: [String]

  var separatorOfQuotedFields: UInt8? { separator.asciiValue }

  private static let known: Set = ["id", "url", "slots", "focus", "alt", "views"]

  /// Nil unless the line is a header row in this format: one with a field `url`, and no name twice.
  /// Known names may have capital letters.
  init?(header: String, separator: Character) {
    guard let names = Self.names(in: header, separator: separator), names.contains("url"),
      Set(names).count == names.count
    else { return nil }
    self.separator = separator
    columns = names
  }

  /// Why a line that looks like a header row cannot be used; nil if it does not look like one. A
  /// header row is several fields of plain words; a URL has other characters.
  static func mistake(inHeader line: String, separator: Character) -> String? {
    guard let names = names(in: line, separator: separator), names.count > 1,
      names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isWordByte) })
    else { return nil }
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      return "the header row has the column \"\(twice)\" twice"
    }
    return "the header row has no column \"url\"; it has \(names.joined(separator: ", "))"
  }

  private static func names(in header: String, separator: Character) -> [String]? {
    TableFields.split(header, separator: separator)?.map { field in
      let name = field.trimmed
      return known.contains(name.lowercased()) ? name.lowercased() : name
    }
  }

  /// Letters of ASCII, digits, a few marks, and all bytes of characters beyond ASCII.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: " "), 0x80...:
      true
    default: false
    }
  }

  func entry(from text: String, line: Int) throws(ManifestProblem) -> ManifestEntry {
    guard let fields = TableFields.split(text, separator: separator) else {
      throw ManifestProblem(
        line: line, message: "text follows the closing quote of a field")
    }
    guard fields.count == columns.count else {
      throw ManifestProblem(
        line: line,
        message: "expected \(columns.count) fields as in the header row, found \(fields.count)")
    }
    var id: String?
    var entry = ManifestEntry(line: line, id: nil, url: "")
    for (column, field) in zip(columns, fields) {
      switch column {
      case "id": id = field.trimmed
      case "url": entry.url = field.trimmed
      case "slots":
        let names = field.split(separator: " ").map(String.init)
        entry.slots = names.isEmpty ? nil : names  // an empty field: all slots
      case "focus":
        let parts = field.split(separator: " ").map { Double($0) }
        if parts.isEmpty { continue }  // an empty field: no focus
        guard parts.count == 2, let x = parts[0], let y = parts[1] else {
          throw ManifestProblem(
            line: line, message: "\"focus\" must be two numbers from 0 to 1, such as 0.5 0.3")
        }
        entry.focus = .init(x: x, y: y)
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
