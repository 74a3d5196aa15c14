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
