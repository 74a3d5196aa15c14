/// BMP: OS/2 (BITMAPCOREHEADER), Windows (BITMAPINFOHEADER) and its versions 2 to 5. A negative
/// height means rows from the top down.
enum BMPHeader {
  /// Whether an information header may be so long: it is what tells a bitmap from a text that begins
  /// with "BM".
  static func isLength(_ size: Int) -> Bool { size == 12 || (16...256).contains(size) }

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let size = try file.little32(14)
    if size == 12 {
      return ImageHeader(
        format: .bmp, pixelWidth: try file.little16(18), pixelHeight: try file.little16(20))
    }
    guard isLength(size) else {
      throw .malformed("its information header is \(size) bytes long")
    }
    let width = try file.littleSigned32(18)
    let height = abs(try file.littleSigned32(22))
    guard width > 0 else { throw .malformed("its width is \(width)") }
    let bits = try file.little16(28)
    var header = ImageHeader(format: .bmp, pixelWidth: width, pixelHeight: height)
    // Versions 4 and 5, and version 3's extension, have a mask for alpha.
    if size >= 56, bits == 32 { header.hasAlpha = try file.little32(66) != 0 }
    return header
  }
}
