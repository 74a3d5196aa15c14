/// Little-endian numbers at offsets in a sequence of bytes; reading past the end is an error.
struct LittleEndian: ~Copyable, ~Escapable {
  let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  func byte(_ offset: Int) throws(BitmapError) -> Int {
    guard offset >= 0, offset < bytes.count else { throw .cutOff }
    return Int(bytes[offset])
  }

  /// 16 bits, unsigned.
  func word(_ offset: Int) throws(BitmapError) -> Int {
    try byte(offset) | byte(offset + 1) << 8
  }

  /// 32 bits, unsigned.
  func double(_ offset: Int) throws(BitmapError) -> Int {
    try word(offset) | word(offset + 2) << 16
  }

  /// 32 bits, signed.
  func signed(_ offset: Int) throws(BitmapError) -> Int {
    Int(Int32(truncatingIfNeeded: try double(offset)))
  }
}
