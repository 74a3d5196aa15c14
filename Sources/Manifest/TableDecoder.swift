internal import TesseraJSON

/// CSV (RFC 4180) or TSV with a header row. The columns `id`, `url`, `slots` (names parted by
/// blanks) and `focus` (two numbers parted by a blank) are known; all others go into `extra` as
/// strings.
struct TableDecoder: RecordDecoding {
  let separator: Character
  let columns: [String]

  var separatorOfQuotedFields: UInt8? { separator.asciiValue }

  /// Nil where the line is no header row in this format: one with a field called `url`.
  init?(header: String, separator: Character) {
    guard let fields = Self.fields(of: header, separator: separator) else { return nil }
    let names = fields.map(\.trimmed)
    guard names.contains("url"), Set(names).count == names.count else { return nil }
    self.separator = separator
    columns = names
  }

  func entry(from text: String, line: Int) throws(ManifestProblem) -> ManifestEntry {
    guard let fields = Self.fields(of: text, separator: separator) else {
      throw ManifestProblem(
        line: line, message: "a field in quotes is not closed, or text follows its closing quote")
    }
    guard fields.count == columns.count else {
      throw ManifestProblem(
        line: line,
        message: "expected \(columns.count) fields as in the header row, found \(fields.count)")
    }
    var id: String?
    var extra: [JSONValue.Member] = []
    var entry = ManifestEntry(line: line, id: nil, url: "")
    for (column, field) in zip(columns, fields) {
      switch column {
      case "id": id = field.trimmed
      case "url": entry.url = field.trimmed
      case "slots":
        let names = field.split(separator: " ").map(String.init)
        entry.slots = names.isEmpty ? nil : names
      case "focus":
        let parts = field.split(separator: " ").map { Double($0) }
        if parts.isEmpty { continue }
        guard parts.count == 2, let x = parts[0], let y = parts[1] else {
          throw ManifestProblem(
            line: line, message: "\"focus\" must be two numbers from 0 to 1, such as 0.5 0.3")
        }
        entry.focus = .init(x: x, y: y)
      default: extra.append(.init(column, .string(field)))
      }
    }
    entry.id = id ?? ""
    entry.hasNoID = id == nil
    if !extra.isEmpty { entry.extra = .object(extra) }
    return entry
  }

  /// The fields of one record, quotes removed; nil where the quotes are wrong.
  ///
  /// Works on bytes, as the splitter does: a character of Swift's may swallow a comma or a quote before
  /// a combining mark.
  static func fields(of text: String, separator: Character) -> [String]? {
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
