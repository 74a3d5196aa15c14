internal import TesseraBytes
internal import TesseraJSON

/// Lines of the catalog as they are stored: compressed, each by itself, because they are most of the state.
///
/// Lines of one pipeline resemble each other. What they have in common is a preset dictionary for zlib (RFC 1950,
/// section 2.2), which is stored once for each of the settings that lines were made with.
final class PackedLines {
  /// In the table `results`: the number of the dictionary and the bytes.
  static let columns = "results.settings, results.result"

  private let insert: Statement
  private var numbers: [String: Int] = [:]
  private var dictionaries: [Int: PresetDeflate] = [:]

  init(_ database: Database) throws(StateError) {
    insert = try database.prepare(
      "INSERT INTO settings (digest, sample, mark) VALUES (?, ?, ?) RETURNING number")
    try database.prepare("SELECT number, digest, sample, mark FROM settings").run { row in
      let (digest, sample) = (row.key(1), row.text(2))
      // With another dictionary, lines would be others.
      if row.int(3) == Self.mark(digest, sample) { add(row.int(0), digest, sample) }
    }
  }

  private static func mark(_ digest: String, _ sample: String) -> Int {
    RecordMark.of(digest, [.text(sample)])
  }

  private func add(_ number: Int, _ settings: String, _ sample: String) {
    numbers[settings] = number
    dictionaries[number] = PresetDeflate(Array(sample.utf8))
  }

  /// The number of settings that lines were made with; nil if none were.
  func number(of settings: String) -> Int? { numbers[settings] }

  /// What is stored of a line.
  ///
  /// - Parameter settings: that it was made with; lines without any share a dictionary, too.
  func pack(_ line: String, settings: String) throws(StateError) -> [Statement.Value] {
    if numbers[settings] == nil {
      let sample = Self.sample(of: line)
      let values: [Statement.Value] = [
        .key(settings), .text(sample), .int(Self.mark(settings, sample)),
      ]
      let number = try insert.first(values) { $0.int(0) }
      add(number ?? 0, settings, sample)
    }
    let number = numbers[settings] ?? 0
    return [.int(number), .blob(dictionaries[number]?.pack(line) ?? [])]
  }

  /// The line in a row that begins with ``columns``; nil if it is damaged.
  func line(in row: Statement.Row) -> String? {
    dictionaries[row.int(0)]?.unpack(row.bytes(1))
  }

  // MARK: Samples

  /// Members whose strings are words of the format.
  private static let words: Set<String> = ["status", "format", "type", "mode", "dynamicRange"]
  /// Members that may hold anything.
  private static let open: Set<String> = ["extra", "alt", "error", "focus"]

  /// A line without everything that is an image's own: of an image that is forgotten, nothing may stay.
  static func sample(of line: String) -> String {
    guard let value = try? JSONParser.parse(Array(line.utf8)) else { return "" }
    var writer = JSONWriter()
    writer.value(emptied(value, of: ""))
    return writer.text
  }

  private static func emptied(_ value: JSONValue, of member: String) -> JSONValue {
    if open.contains(member) { return .null }
    switch value {
    case .array(let elements): return .array(elements.map { emptied($0, of: element) })
    case .object(let members):
      return .object(members.map { .init($0.name, emptied($0.value, of: $0.name)) })
    case .string(let text):
      return words.contains(member) ? value : .string(member == "path" ? frame(ofPath: text) : "")
    // Indices are those of most images; other numbers are an image's own.
    case .number: return member == element ? value : .int(0)
    case .null, .bool: return value
    }
  }

  /// What most paths have in common.
  private static func frame(ofPath path: String) -> String {
    path.hasSuffix(".webp") ? "variants/-0x0.webp" : ""
  }

  /// Stands for the name of an array's elements.
  private static let element = "[]"
}
