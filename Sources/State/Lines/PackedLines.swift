internal import TesseraBytes

/// Lines of the catalog as they are stored: most of a state are lines.
///
/// Lines of one pipeline resemble each other. What they have in common, their shape, is stored once; of each line only its
/// values are.
final class PackedLines {
  /// In the tables `results` and `items`: the number of the shape, the values, their sum, and the item's id.
  static let columns = "results.settings, results.result, results.sum, id"
  /// How many they are.
  static let width = 4

  private let database: Database
  private let insert: Statement
  private let select: Statement
  /// By the settings that lines were made with, and by their bytes.
  private var numbers: [String: [[UInt8]: Int]] = [:]
  private var shapes: [Int: StoredShape] = [:]
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
    select = try database.prepare("\(Self.selection) WHERE number = ?")
    var isSound = true
    try database.prepare(Self.selection).run { row in if !add(row) { isSound = false } }
    // With another shape, lines would be others.
    guard isSound else {
      throw StateError(
        kind: .incomplete, path: database.path,
        message: "what lines of the catalog have in common is damaged in it")
    }
  }

  private struct StoredShape {
    let settings: String
    let shape: LineShape
    let mark: Int

    init(_ number: Int, _ settings: String, _ shape: [UInt8]) {
      (self.settings, self.shape) = (settings, LineShape(shape))
      mark = RecordMark.of(settings, [.int(number), .blob(shape)])
    }

    /// Of a line of this shape: other values, another shape under its number and another item have another one.
    func sum(_ id: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>) -> Int {
      var sum = RecordMark(stored: id)
      sum.add(mark)
      sum.add(text: values)
      return sum.checksum
    }
  }

  private static let selection = "SELECT number, digest, shape, mark FROM settings"

  /// Adds what a row has. Returns false if it is damaged.
  private func add(_ row: Statement.Row) -> Bool {
    let stored = StoredShape(row.int(0), row.key(1), Array(row.bytes(2)))
    guard row.int(3) == stored.mark else { return false }
    add(stored, row.int(0))
    return true
  }

  /// A run may have added shapes since this store was opened to read what it does.
  private func stored(_ number: Int) -> StoredShape? {
    if shapes[number] == nil { try? select.run([.int(number)]) { _ = add($0) } }
    return shapes[number]
  }

  private func add(_ stored: StoredShape, _ number: Int) {
    numbers[stored.settings, default: [:]][stored.shape.bytes] = number
    shapes[number] = stored
  }

  /// The number of a shape, which may be new.
  private func number(of shape: [UInt8], _ settings: String) throws(StateError) -> Int? {
    let known = numbers[settings]
    if let number = known?[shape] { return number }
    if let known, known.count >= Self.mostShapes, shape != LineShape.whole { return nil }
    let number = (shapes.keys.max() ?? 0) + 1
    let new = StoredShape(number, settings, shape)
    try insert.run([.int(number), .key(settings), .blob(shape), .int(new.mark)])
    add(new, number)
    return number
  }

  /// What is stored of a line: its shape's number, its values, and their sum.
  ///
  /// - Parameters:
  ///   - id: the item's.
  ///   - settings: that it was made with; lines without any share shapes, too.
  func pack(_ line: String, id: String, settings: String) throws(StateError) -> [Statement.Value] {
    if let split = LineSplitter(line, id: id),
      let number = try number(of: split.shape, settings)
    {
      return stored(split.values, number, id)
    }
    var values = LineValueWriter(id: id)
    values.write(text: Array(line.utf8)[...])
    return stored(values, try number(of: LineShape.whole, settings) ?? 0, id)
  }

  /// The values follow a byte that says whether they are compressed.
  private func stored(
    _ values: LineValueWriter, _ number: Int, _ id: String
  ) -> [Statement.Value] {
    let values = values.bytes
    let packed = values.count < Self.long ? [] : deflate.pack(values)
    let bytes = packed.isEmpty || packed.count >= values.count ? [0] + values : [1] + packed
    let sum = Array(id.utf8).withUnsafeBufferPointer { id in
      bytes.withUnsafeBufferPointer { shapes[number]?.sum(id, $0) }
    }
    return [.int(number), .blob(bytes), .optional(sum)]
  }

  /// Whether the line in a row that begins with ``columns`` was made with some settings.
  func isLine(in row: Statement.Row, of settings: String) -> Bool {
    stored(row.int(0))?.settings == settings
  }

  /// The line in a row that begins with ``columns``; nil if it is damaged.
  func line(in row: Statement.Row) -> String? {
    let (bytes, id) = (row.bytes(1), row.bytes(3))
    guard let stored = stored(row.int(0)), stored.sum(id, bytes) == row.wholeNumber(2),
      let form = bytes.first
    else { return nil }
    let (shape, values) = (stored.shape, UnsafeBufferPointer(rebasing: bytes.dropFirst()))
    switch form {
    case 0: return shape.line(values, id: id)
    case 1: return deflate.unpack(values)?.withUnsafeBufferPointer { shape.line($0, id: id) }
    default: return nil
    }
  }

  /// Forgets settings that no line has any more, and shapes, once they are many.
  func forgetUnused() throws(StateError) {
    let isFull = numbers.values.contains { $0.count > Self.mostShapes / 2 }
    if numbers.count > Self.kept || isFull { try forgetAllUnused() }
  }

  /// The same, however few they are.
  func forgetAllUnused() throws(StateError) {
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
