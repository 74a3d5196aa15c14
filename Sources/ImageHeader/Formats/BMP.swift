/// BMP: OS/2 (BITMAPCOREHEADER), Windows (BITMAPINFOHEADER) and its versions 2 to 5. A negative
/// height means that rows are stored from the top down.
enum BMPHeader: FormatReading {
  /// Whether an information header may have this length. It distinguishes a bitmap from a text that
  /// begins with "BM".
  static func isLength(_ size: Int) -> Bool {
    // 12 is BITMAPCOREHEADER; BITMAPINFOHEADER has 40 bytes, version 5 has 124, and
    // OS/2 2.x has 16 to 64.
    size == 12 || (16...256).contains(size)
  }

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let size = try file.little32(14)
    // BITMAPCOREHEADER is the only header with sides of 16 bits; the others have 32.
    if size == 12 {
      return ImageHeader(
        format: .bmp, pixelWidth: try file.little16(18), pixelHeight: try file.little16(20))
    }
    let width = try file.littleSigned32(18)
    let height = abs(try file.littleSigned32(22))
    guard width > 0 else { throw .malformed("its width is \(width)") }
    let bits = try file.little16(28)
    var header = ImageHeader(format: .bmp, pixelWidth: width, pixelHeight: height)
    // BITMAPV3INFOHEADER (56 bytes) and versions 4 and 5 have a mask for alpha.
    if size >= 56, bits == 32 { header.hasAlpha = try file.little32(66) != 0 }
    return header
  }
}
