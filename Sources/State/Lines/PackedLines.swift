internal import TesseraBytes

/// Lines of the catalog as they are stored: most of a state are lines.
///
/// Lines of one pipeline resemble each other. What they have in common, their shape, is stored once; of each line only its
/// values are.
final class PackedLines {
  /// In the tables `results` and `items`: the number of the shape, the values, and the item's id.
  static let columns = "results.settings, results.result, id"
  /// How many they are.
  static let width = 3

  private let database: Database
  private let insert: Statement
  /// By the settings that lines were made with, and by their bytes.
  private var numbers: [String: [[UInt8]: Int]] = [:]
  private var shapes: [Int: (settings: String, shape: LineShape)] = [:]
  private let deflate = RawDeflate()

  /// Settings that are kept without a look at whether lines have them.
  private static let kept = 8
  /// Shapes of one setting: a few hundred are many. More lines are kept whole.
  private static let mostShapes = 1_024
  /// Values with long texts, from this many bytes on, are compressed.
  private static let long = 256

  init(_ database: Database) throws(StateError) {
    self.database = database
    insert = try database.prepare(
      "INSERT INTO settings (number, digest, shape, mark) VALUES (?, ?, ?, ?)")
    var isSound = true
    try database.prepare("SELECT number, digest, shape, mark FROM settings").run { row in
      let (number, digest, shape) = (row.int(0), row.key(1), Array(row.bytes(2)))
      if row.int(3) != Self.mark(number, digest, shape) { isSound = false }
      add(number, digest, shape)
    }
    // With another shape, lines would be others.
    guard isSound else {
      throw StateError(
        kind: .incomplete, path: database.path,
        message: "what lines of the catalog have in common is damaged in it")
    }
  }

  private static func mark(_ number: Int, _ settings: String, _ shape: [UInt8]) -> Int {
    RecordMark.of(settings, [.int(number), .blob(shape)])
  }

  private func add(_ number: Int, _ settings: String, _ shape: [UInt8]) {
    numbers[settings, default: [:]][shape] = number
    shapes[number] = (settings, LineShape(shape))
  }

  /// The number of a shape, which may be new.
  private func number(of shape: [UInt8], _ settings: String) throws(StateError) -> Int? {
    let known = numbers[settings]
    if let number = known?[shape] { return number }
    if let known, known.count >= Self.mostShapes, shape != LineShape.whole { return nil }
    let number = (shapes.keys.max() ?? 0) + 1
    try insert.run([
      .int(number), .key(settings), .blob(shape), .int(Self.mark(number, settings, shape)),
    ])
    add(number, settings, shape)
    return number
  }

  /// What is stored of a line: its shape's number, and its values.
  ///
  /// - Parameters:
  ///   - id: the item's.
  ///   - settings: that it was made with; lines without any share shapes, too.
  func pack(_ line: String, id: String, settings: String) throws(StateError) -> [Statement.Value] {
    if let split = LineSplitter(line, id: id),
      let number = try number(of: split.shape, settings)
    {
      return [.int(number), .blob(stored(split.values.bytes))]
    }
    var values = LineValueWriter(id: id)
    values.write(text: Array(line.utf8)[...])
    return [.optional(try number(of: LineShape.whole, settings)), .blob(stored(values.bytes))]
  }

  /// The values, after a byte that says whether they are compressed.
  private func stored(_ values: [UInt8]) -> [UInt8] {
    let packed = values.count < Self.long ? [] : deflate.pack(values)
    return packed.isEmpty || packed.count >= values.count ? [0] + values : [1] + packed
  }

  /// Whether the line in a row that begins with ``columns`` was made with some settings.
  func isLine(in row: Statement.Row, of settings: String) -> Bool {
    shapes[row.int(0)]?.settings == settings
  }

  /// The line in a row that begins with ``columns``; nil if it is damaged.
  func line(in row: Statement.Row) -> String? {
    let stored = row.bytes(1)
    guard let shape = shapes[row.int(0)]?.shape, let form = stored.first else { return nil }
    let values = UnsafeBufferPointer(rebasing: stored.dropFirst())
    switch form {
    case 0: return shape.line(values, id: row.bytes(2))
    case 1:
      return deflate.unpack(values)?.withUnsafeBufferPointer { shape.line($0, id: row.bytes(2)) }
    default: return nil
    }
  }

  /// Forgets settings that no line has any more.
  func forgetUnused() throws(StateError) {
    guard numbers.count > Self.kept else { return }
    try database.execute(
      "DELETE FROM settings WHERE number NOT IN (SELECT DISTINCT settings FROM results)")
    var rest: Set<Int> = []
    try database.prepare("SELECT number FROM settings").run { rest.insert($0.int(0)) }
    shapes = shapes.filter { rest.contains($0.key) }
    numbers = numbers.mapValues { $0.filter { rest.contains($0.value) } }.filter {
      !$0.value.isEmpty
    }
  }
}
