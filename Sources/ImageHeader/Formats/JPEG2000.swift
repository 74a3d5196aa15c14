/// JPEG 2000 (ISO/IEC 15444-1): bare code streams, and those in a JP2 file.
enum JPEG2000Header {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    if try file.big16(0) == 0xFF4F { return try codeStream(file) }
    var walk = BoxWalk(from: 12, to: nil)
    while let box = try walk.next(file) {
      guard box.type == Box.type("jp2h") else { continue }
      var header: ImageHeader?
      var inner = BoxWalk(from: box.start, to: box.end)
      var hasAlpha = false
      var hasProfile = false
      while let part = try inner.next(file) {
        if part.type == Box.type("ihdr") {
          header = ImageHeader(
            format: .jp2, pixelWidth: try file.big32(part.start + 4),
            pixelHeight: try file.big32(part.start),
            bitsPerChannel: try bits(file.byte(part.start + 10)))
        } else if part.type == Box.type("cdef") {
          let count = try file.big16(part.start)
          for index in 0..<min(count, 64) {
            // Opacity, and opacity that colours are multiplied by.
            if try (1...2).contains(file.big16(part.start + 4 + index * 6)) { hasAlpha = true }
          }
        } else if part.type == Box.type("colr"), try file.byte(part.start) == 2 {
          hasProfile = true
        }
      }
      guard var header else { throw .malformed("its header box names no size") }
      header.hasAlpha = hasAlpha
      header.hasICCProfile = hasProfile
      return header
    }
    throw .malformed("it has no header box")
  }

  /// The SIZ marker segment, which is always the first.
  private static func codeStream(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    guard try file.big16(2) == 0xFF51 else { throw .malformed("it does not begin with its size") }
    return ImageHeader(
      format: .jp2, pixelWidth: try file.big32(8) - file.big32(16),
      pixelHeight: try file.big32(12) - file.big32(20),
      bitsPerChannel: try bits(file.byte(42)))
  }

  /// Bits a channel, from a byte that holds one less and a sign. 255 says that channels differ.
  private static func bits(_ byte: Int) -> Int { byte == 255 ? 8 : byte & 0x7F + 1 }
}
