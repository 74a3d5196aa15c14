/// A mark of a record's values, kept with it: SQLite notices when its pages are not what they should be, and not
/// when a digit in one is another. A record whose mark is wrong counts as none.
///
/// The hash is FNV-1a with 64 bits, which is for accidents and not against anybody.
struct RecordMark {
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// What to store: the key, the values and their mark.
  static func with(_ key: String, _ values: [Statement.Value]) -> [Statement.Value] {
    [.text(key)] + values + [.int(of(key, values))]
  }

  static func of(_ key: String, _ values: [Statement.Value]) -> Int {
    var mark = RecordMark(key)
    for value in values { mark.add(value) }
    return mark.number
  }

  init(_ key: String) {
    for byte in key.utf8 { add(byte) }
  }

  var number: Int { Int(truncatingIfNeeded: Int64(bitPattern: hash)) }

  private mutating func add(_ byte: UInt8) {
    hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
  }

  private mutating func add(_ kind: UInt8, _ bits: UInt64) {
    add(kind)
    for shift in 0..<8 { add(UInt8(truncatingIfNeeded: bits >> (shift * 8))) }
  }

  mutating func addNull() { add(0 as UInt8) }
  mutating func add(_ number: Int) { add(1, UInt64(bitPattern: Int64(number))) }
  mutating func add(_ number: Double) { add(2, number.bitPattern) }

  mutating func add(text: some Sequence<UInt8>) {
    add(3 as UInt8)
    for byte in text { add(byte) }
  }

  private mutating func add(_ value: Statement.Value) {
    switch value {
    case .null: addNull()
    case .int(let number): add(number)
    case .double(let number): add(number)
    case .text(let text): add(text: text.utf8)
    }
  }
}
