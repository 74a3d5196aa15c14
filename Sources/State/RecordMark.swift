/// A mark of a record's values, kept with it: SQLite notices when its pages are not what they should be, and not
/// when a digit in one is another. A record whose mark is wrong counts as none.
///
/// The hash is FNV-1a with 64 bits, which is for accidents and not against anybody.
enum RecordMark {
  static func of(_ key: String, _ values: [Statement.Value]) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    func add(_ number: UInt64) {
      for shift in 0..<8 { add(UInt8(truncatingIfNeeded: number >> (shift * 8))) }
    }
    for byte in key.utf8 { add(byte) }
    for value in values {
      switch value {
      case .null: add(0 as UInt8)
      case .int(let number):
        add(1 as UInt8)
        add(UInt64(bitPattern: Int64(number)))
      case .double(let number):
        add(2 as UInt8)
        add(number.bitPattern)
      case .text(let text):
        add(3 as UInt8)
        for byte in text.utf8 { add(byte) }
      }
    }
    return Int(truncatingIfNeeded: Int64(bitPattern: hash))
  }

  /// What to store: the key, the values and their mark.
  static func with(_ key: String, _ values: [Statement.Value]) -> [Statement.Value] {
    [.text(key)] + values + [.int(of(key, values))]
  }
}

extension Statement.Row {
  /// Whether the first columns are what they were when they were stored; the mark stands behind them. What an earlier
  /// version has stored has none.
  func isSound(_ key: String, columns: Int32) -> Bool {
    if isNull(columns) { return true }
    return RecordMark.of(key, (0..<columns).map(value)) == int(columns)
  }
}
