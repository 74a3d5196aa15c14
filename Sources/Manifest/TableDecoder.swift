internal import TesseraJSON

/// CSV (RFC 4180) or TSV with a header row. The columns `id`, `url`, `slots` (names parted by
/// blanks) and `focus` (two numbers parted by a blank) are known; all others go into `extra` as
/// strings.
struct TableDecoder: RecordDecoding {
  let separator: Character
  let columns: [String]

  var separatorOfQuotedFields: UInt8? { separator.asciiValue }

  private static let known: Set = ["id", "url", "slots", "focus"]

  /// Nil where the line is no header row in this format: one with a field called `url`. The known names may be written
  /// with capital letters.
  init?(header: String, separator: Character) {
    guard let names = Self.names(in: header, separator: separator), names.contains("url"),
      Set(names).count == names.count
    else { return nil }
    self.separator = separator
    columns = names
  }

  /// Why a line that looks like a header row is none; nil where it does not look like one: a few words, which are no
  /// URLs.
  static func mistake(inHeader line: String, separator: Character) -> String? {
    guard let names = names(in: line, separator: separator), names.count > 1,
      names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isOfWord) })
    else { return nil }
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      return "the header row has the column \"\(twice)\" twice"
    }
    return "the header row has no column \"url\"; it has \(names.joined(separator: ", "))"
  }

  private static func names(in header: String, separator: Character) -> [String]? {
    fields(of: header, separator: separator)?.map { field in
      let name = field.trimmed
      return known.contains(name.lowercased()) ? name.lowercased() : name
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: " "), 0x80...:
      true
    default: false
    }
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
