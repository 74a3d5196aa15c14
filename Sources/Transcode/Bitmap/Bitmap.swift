/// Pixels of a bitmap of Windows, decoded here: libvips reads these through ImageMagick alone, which no
/// stranger's bytes may reach.
struct Bitmap {
  var width: Int
  var height: Int
  /// 3 (red, green, blue) or 4 (with alpha, not premultiplied).
  var bands: Int
  /// Rows from the top down, without gaps.
  var samples: [UInt8]
}

/// Why a bitmap can't be decoded.
struct BitmapError: Error {
  /// Completes "the file …".
  var reason: String

  static let cutOff = BitmapError(reason: "is cut off")
  static let outOfMemory = BitmapError(reason: "is too large: out of memory")
}

/// Little-endian numbers out of bytes that end where they end.
struct LittleEndian: ~Copyable, ~Escapable {
  let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  func byte(_ offset: Int) throws(BitmapError) -> Int {
    guard offset >= 0, offset < bytes.count else { throw .cutOff }
    return Int(bytes[offset])
  }

  func word(_ offset: Int) throws(BitmapError) -> Int {
    try byte(offset) | byte(offset + 1) << 8
  }

  func double(_ offset: Int) throws(BitmapError) -> Int {
    try word(offset) | word(offset + 2) << 16
  }

  func signed(_ offset: Int) throws(BitmapError) -> Int {
    Int(Int32(truncatingIfNeeded: try double(offset)))
  }
}
