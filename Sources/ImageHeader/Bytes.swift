extension Span where Element == UInt8 {
  /// The byte at `offset`, or a stop that asks for it.
  func byte(_ offset: Int) throws(HeaderStop) -> Int {
    guard offset < count else { throw .needs(prefix: offset + 1) }
    return Int(self[offset])
  }

  func bigEndian16(_ offset: Int) throws(HeaderStop) -> Int {
    guard offset + 2 <= count else { throw .needs(prefix: offset + 2) }
    return Int(self[offset]) << 8 | Int(self[offset + 1])
  }

  func bigEndian32(_ offset: Int) throws(HeaderStop) -> Int {
    guard offset + 4 <= count else { throw .needs(prefix: offset + 4) }
    return Int(self[offset]) << 24 | Int(self[offset + 1]) << 16 | Int(self[offset + 2]) << 8
      | Int(self[offset + 3])
  }

  func littleEndian16(_ offset: Int) throws(HeaderStop) -> Int {
    guard offset + 2 <= count else { throw .needs(prefix: offset + 2) }
    return Int(self[offset]) | Int(self[offset + 1]) << 8
  }

  func littleEndian24(_ offset: Int) throws(HeaderStop) -> Int {
    try littleEndian16(offset) | byte(offset + 2) << 16
  }

  func littleEndian32(_ offset: Int) throws(HeaderStop) -> Int {
    try littleEndian16(offset) | littleEndian16(offset + 2) << 16
  }

  /// Whether the bytes at `offset` are these; bytes that are not there are asked for.
  func has(_ text: StaticString, at offset: Int) throws(HeaderStop) -> Bool {
    let length = text.utf8CodeUnitCount
    guard offset + length <= count else { throw .needs(prefix: offset + length) }
    return matches(text, at: offset)
  }

  /// Whether the bytes at `offset` are there and are these.
  func matches(_ text: StaticString, at offset: Int = 0) -> Bool {
    let length = text.utf8CodeUnitCount
    guard offset + length <= count else { return false }
    // A StaticString of ASCII characters has as many code units as it has bytes.
    return text.withUTF8Buffer { buffer in
      for index in 0..<length where unsafe buffer[index] != self[offset + index] { return false }
      return true
    }
  }
}
