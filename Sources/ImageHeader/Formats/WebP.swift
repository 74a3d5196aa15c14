/// WebP (RFC 9649): the simple lossy and lossless formats and the extended one. An orientation in its Exif does not
/// count: Chromium does not turn WebP.
enum WebPHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    try file.require(12..<30)
    var header = ImageHeader(format: .webp, pixelWidth: 0, pixelHeight: 0)
    if try file.has("VP8 ", at: 12) {
      // The start code of a key frame, then 14 bits per side; the upper two bits are a scaling hint
      // (RFC 6386, section 9.1).
      guard try file.byte(20) & 1 == 0, try file.little24(23) == 0x2A019D else {
        throw .malformed("its first frame is not a key frame")
      }
      header.pixelWidth = try file.little16(26) & 0x3FFF
      header.pixelHeight = try file.little16(28) & 0x3FFF
    } else if try file.has("VP8L", at: 12) {
      // Signature, then 14 bits per side, each one less, and a bit for alpha (RFC 9649, section 3).
      guard try file.byte(20) == 0x2F else { throw .malformed("it lacks the lossless signature") }
      let bits = try file.little32(21)
      header.pixelWidth = bits & 0x3FFF + 1
      header.pixelHeight = bits >> 14 & 0x3FFF + 1
      header.hasAlpha = bits >> 28 & 1 == 1
    } else if try file.has("VP8X", at: 12) {
      // Flags, then 24 bits per side, each one less (RFC 9649, section 2.7).
      let flags = try file.byte(20)
      header.pixelWidth = try file.little24(24) + 1
      header.pixelHeight = try file.little24(27) + 1
      header.isAnimated = flags & 0x02 != 0
      header.hasAlpha = flags & 0x10 != 0
      header.hasICCProfile = flags & 0x20 != 0
    } else {
      throw .malformed("its container holds no image")
    }
    return header
  }
}
