internal import TesseraBytes

/// A record that is stored under a key, with a mark (``RecordMark``) that shows damage.
protocol MarkedRecord {
  static var table: String { get }
  /// The name of the key's column.
  static var key: String { get }
  /// Without the key and the mark. The order is that of ``values`` and decides the mark: another one needs another
  /// ``Schema/version``.
  static var columns: [String] { get }
  /// Reads the columns, from the first; nil if the values cannot be true.
  init?(_ row: Statement.Row)
  var values: [Statement.Value] { get }
}

extension MarkedRecord {
  /// The columns and the mark, and then the key, for a statement of several tables.
  static var selection: String {
    (columns + ["mark", key]).map { "\(table).\($0)" }.joined(separator: ", ")
  }

  /// How many columns ``selection`` has.
  static var width: Int { columns.count + 2 }

  /// The record in a row that begins with ``selection``. Nil if it is missing or damaged.
  static func found(in row: Statement.Row) -> Self? {
    let key = Int32(columns.count + 1)
    guard !row.isNull(key), row.isSound(key: key, columns: columns.count)
    else { return nil }
    return Self(row)
  }
}

/// The table of one kind of record, with its prepared statements.
final class RecordTable<Record: MarkedRecord> {
  private let database: Database
  private let columns: [String]
  private let select: Statement
  private let remove: Statement
  /// By the number of rows that they save.
  private var upserts: [Int: Statement] = [:]
  /// Whether the table may have rows; nil before that was needed.
  private var mayHaveRows: Bool?

  /// - Parameter extra: a column after the mark whose value ``save(_:extra:)`` gets.
  init(_ database: Database, extra: String? = nil) throws(StateError) {
    self.database = database
    columns = [Record.key] + Record.columns + ["mark"] + (extra.map { [$0] } ?? [])
    select = try database.prepare(
      "SELECT \(Record.selection) FROM \(Record.table) WHERE \(Record.key) = ?")
    remove = try database.prepare("DELETE FROM \(Record.table) WHERE \(Record.key) = ?")
  }

  /// Nil also if the record is damaged.
  func find(_ key: String) throws(StateError) -> Record? {
    try select.first([.key(key)]) { Record.found(in: $0) } ?? nil
  }

  func save(_ record: Record, key: String) throws(StateError) {
    try save([(key, record)])
  }

  /// Saves records in one statement, which costs less than one each.
  func save(
    _ records: [(key: String, record: Record)], extra: Statement.Value? = nil
  ) throws(StateError) {
    var rest = records[...]
    while !rest.isEmpty {
      // SQLite limits the values of a statement.
      let part = rest.prefix(100)
      try upsert(rows: part.count).run(
        part.flatMap { key, record in
          RecordMark.row(key, record.values) + (extra.map { [$0] } ?? [])
        })
      rest = rest.dropFirst(part.count)
    }
    mayHaveRows = true
  }

  private func upsert(rows: Int) throws(StateError) -> Statement {
    if let statement = upserts[rows] { return statement }
    let row = "(\(repeatElement("?", count: columns.count).joined(separator: ", ")))"
    let statement = try database.prepare(
      "INSERT OR REPLACE INTO \(Record.table) (\(columns.joined(separator: ", "))) VALUES "
        + repeatElement(row, count: rows).joined(separator: ", "))
    upserts[rows] = statement
    return statement
  }

  /// Most tables of headers and rejections are empty, and every saved source deletes from them.
  func delete(_ key: String) throws(StateError) {
    if mayHaveRows == nil {
      mayHaveRows =
        try database.prepare("SELECT 1 FROM \(Record.table) LIMIT 1").first([]) { _ in true }
        ?? false
    }
    if mayHaveRows == true { try remove.run([.key(key)]) }
  }
}

/// Keys that consist of digests are stored as their bytes: keys are digests almost everywhere, and several of them belong
/// to each image.
enum PackedKey {

  /// Calls `body` with what is stored of a key, and whether that is packed: a text that is not a row of hexadecimal digits
  /// in lower case, as long as a key at least, is stored as it is.
  static func withBytes<Value>(
    of text: String, _ body: (UnsafeBufferPointer<UInt8>, _ isPacked: Bool) -> Value
  ) -> Value {
    var text = text
    return text.withUTF8 { digits in
      guard digits.count >= RecordKey.digits, digits.count.isMultiple(of: 2) else {
        return body(digits, false)
      }
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits.count / 2) { bytes in
        pack(digits, into: bytes)
          ? body(UnsafeBufferPointer(bytes), true) : body(digits, false)
      }
    }
  }

  /// The bytes of pairs of digits; nil if something else is among them.
  static func pack(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var isPacked = false
    let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
      count = digits.count / 2
      isPacked = digits.withUnsafeBufferPointer {
        pack($0, into: UnsafeMutableBufferPointer(rebasing: bytes[..<count]))
      }
    }
    return isPacked ? bytes : nil
  }

  /// Packs as many digits as fill the bytes. Returns whether they are digits.
  private static func pack(
    _ digits: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    for index in bytes.indices {
      let (high, low) = (value(digits[index * 2]), value(digits[index * 2 + 1]))
      guard high < 16, low < 16 else { return false }
      bytes[index] = high << 4 | low
    }
    return true
  }

  /// 16 for what is not a digit.
  private static func value(_ digit: UInt8) -> UInt8 {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: 16
    }
  }

  /// The text of which these are the bytes.
  static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { digits in
      for (index, byte) in bytes.enumerated() {
        digits[index * 2] = digit(byte >> 4)
        digits[index * 2 + 1] = digit(byte & 15)
      }
      return bytes.count * 2
    }
  }

  /// Appends that text.
  static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x61 + value - 10
  }
}

/// The keys of records: the first 128 bits of SHA-256 of a text, in hexadecimal.
///
/// As many as in the names of files: to find another text with the key of a given one takes 2^128 attempts. Of the bytes of a
/// source, all 256 bits are kept.
package enum RecordKey {
  static let digits = 32

  package static func of(_ text: String) -> String { String(SHA256.of(text).prefix(digits)) }
}

/// A checksum of a record's values, stored with the record.
///
/// SQLite notices pages that are not well formed, but not a digit that changed inside a page. A record
/// whose mark does not match is treated as missing. The hash is FNV-1a with 64 bits (Fowler, Noll, Vo):
/// it protects against accidents, not against an attacker.
struct RecordMark {
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV's offset basis

  init(_ key: String) { add(key: key) }

  /// - Parameter key: as it is stored.
  init(stored key: UnsafeBufferPointer<UInt8>) { for byte in key { add(byte) } }

  init(_ key: String, _ values: some Sequence<Statement.Value>) {
    self.init(key)
    for value in values { add(value) }
  }

  static func of(_ key: String, _ values: some Sequence<Statement.Value>) -> Int {
    RecordMark(key, values).number
  }

  /// What a row stores: the key, the values and their mark.
  static func row(_ key: String, _ values: [Statement.Value]) -> [Statement.Value] {
    [.key(key)] + values + [.int(RecordMark(key, values).checksum)]
  }

  fileprivate mutating func add(_ column: Int32, of row: Statement.Row) {
    // Bytes are hashed where SQLite keeps them: a string of each would be copied twice.
    if row.hasBytes(column) { add(text: row.bytes(column)) } else { add(row.number(column)) }
  }

  var number: Int { Int(truncatingIfNeeded: Int64(bitPattern: hash)) }

  /// Both halves folded into one: against accidents 32 bits are enough, and they take half the place.
  var checksum: Int { Int(Int32(truncatingIfNeeded: hash ^ hash >> 32)) }

  // Each value is preceded by its kind, so that neighbours cannot be mistaken for each other.
  mutating func addNull() { add(0 as UInt8) }
  mutating func add(_ number: Int) { add(1, UInt64(bitPattern: Int64(number))) }
  mutating func add(_ number: Double) { add(2, number.bitPattern) }

  mutating func add(text: UnsafeBufferPointer<UInt8>) {
    add(3 as UInt8)
    for byte in text { add(byte) }
  }

  mutating func add(_ byte: UInt8) {
    hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3  // FNV's prime
  }

  private mutating func add(_ kind: UInt8, _ bits: UInt64) {
    add(kind)
    for shift in 0..<8 { add(UInt8(truncatingIfNeeded: bits >> (shift * 8))) }
  }

  fileprivate mutating func add(_ value: Statement.Value) {
    switch value {
    case .null: addNull()
    case .int(let number): add(number)
    case .double(let number): add(number)
    case .text(let text):
      add(3 as UInt8)
      add(bytesOf: text)
    case .blob(let bytes):
      add(3 as UInt8)
      for byte in bytes { add(byte) }
    case .key(let text):
      add(3 as UInt8)
      add(key: text)
    }
  }

  private mutating func add(key: String) {
    PackedKey.withBytes(of: key) { bytes, _ in for byte in bytes { add(byte) } }
  }

  /// A string's bytes one by one are several times slower than its storage.
  private mutating func add(bytesOf text: String) {
    var text = text
    text.withUTF8 { bytes in for byte in bytes { add(byte) } }
  }
}

extension Statement.Row {
  /// Whether the first columns are what was stored; the mark is in the column after them.
  ///
  /// - Parameter key: the column with the key.
  func isSound(key: Int32, columns: Int) -> Bool {
    let count = Int32(columns)
    if isNull(count) { return false }
    var mark = RecordMark(stored: bytes(key))
    for column in 0..<count { mark.add(column, of: self) }
    return int(count) == mark.checksum
  }
}
