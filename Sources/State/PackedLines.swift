internal import TesseraBytes
internal import TesseraJSON

/// Lines of the catalog as they are stored: compressed, each by itself, because they are most of the state.
///
/// Lines of one pipeline resemble each other. What they have in common is a preset dictionary for zlib (RFC 1950,
/// section 2.2), which is stored once for each of the settings that lines were made with.
final class PackedLines {
  /// In the table `results`: the number of the dictionary and the bytes.
  static let columns = "results.settings, results.result"

  private let database: Database
  private let insert: Statement
  private var numbers: [String: Int] = [:]
  private var dictionaries: [Int: PresetDeflate] = [:]

  /// Settings that are kept without a look at whether lines have them.
  private static let kept = 8

  init(_ database: Database) throws(StateError) {
    self.database = database
    insert = try database.prepare(
      "INSERT INTO settings (number, digest, sample, mark) VALUES (?, ?, ?, ?)")
    var isSound = true
    try database.prepare("SELECT number, digest, sample, mark FROM settings").run { row in
      let (number, digest, sample) = (row.int(0), row.key(1), row.text(2))
      if row.int(3) != Self.mark(number, digest, sample) { isSound = false }
      add(number, digest, sample)
    }
    // With another dictionary, lines would be others.
    guard isSound else {
      throw StateError(
        kind: .incomplete, path: database.path,
        message: "what lines of the catalog have in common is damaged in it")
    }
  }

  private static func mark(_ number: Int, _ settings: String, _ sample: String) -> Int {
    RecordMark.of(settings, [.int(number), .text(sample)])
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
      let number = (dictionaries.keys.max() ?? 0) + 1
      try insert.run([
        .int(number), .key(settings), .text(sample), .int(Self.mark(number, settings, sample)),
      ])
      add(number, settings, sample)
    }
    let number = numbers[settings] ?? 0
    return [.int(number), .blob(dictionaries[number]?.pack(line) ?? [])]
  }

  /// The line in a row that begins with ``columns``; nil if it is damaged.
  func line(in row: Statement.Row) -> String? {
    dictionaries[row.int(0)]?.unpack(row.bytes(1))
  }

  /// Forgets settings that no line has any more.
  func forgetUnused() throws(StateError) {
    guard numbers.count > Self.kept else { return }
    try database.execute(
      "DELETE FROM settings WHERE number NOT IN (SELECT DISTINCT settings FROM results)")
    var rest: Set<Int> = []
    try database.prepare("SELECT number FROM settings").run { rest.insert($0.int(0)) }
    numbers = numbers.filter { rest.contains($0.value) }
    dictionaries = dictionaries.filter { rest.contains($0.key) }
  }

  // MARK: Samples

  /// Members whose strings are words of the format.
  private static let words: Set<String> = ["status", "format", "type", "mode", "dynamicRange"]
  /// Members that may hold anything.
  private static let open: Set<String> = ["extra", "alt", "error", "focus"]

  /// A line without everything that is an image's own, so that nothing of one that is forgotten stays: names of members, words
  /// of the format and the order of files are left.
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
