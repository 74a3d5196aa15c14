/// WebP (RFC 9649): the simple lossy and lossless formats and the extended one.
enum WebPHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    try file.require(12..<30)
    var header = ImageHeader(format: .webp, pixelWidth: 0, pixelHeight: 0)
    if try file.has("VP8 ", at: 12) {
      // A key frame's start code, then 14 bits a side; the upper two bits are a hint for scaling
      // (RFC 6386, section 9.1).
      guard try file.byte(20) & 1 == 0, try file.little24(23) == 0x2A019D else {
        throw .malformed("its first frame is no key frame")
      }
      header.pixelWidth = try file.little16(26) & 0x3FFF
      header.pixelHeight = try file.little16(28) & 0x3FFF
    } else if try file.has("VP8L", at: 12) {
      guard try file.byte(20) == 0x2F else { throw .malformed("it lacks the lossless signature") }
      let bits = try file.little32(21)
      header.pixelWidth = bits & 0x3FFF + 1
      header.pixelHeight = bits >> 14 & 0x3FFF + 1
      header.hasAlpha = bits >> 28 & 1 == 1
    } else if try file.has("VP8X", at: 12) {
      let flags = try file.byte(20)
      header.pixelWidth = try file.little24(24) + 1
      header.pixelHeight = try file.little24(27) + 1
      header.isAnimated = flags & 0x02 != 0
      header.hasAlpha = flags & 0x10 != 0
      header.hasICCProfile = flags & 0x20 != 0
      if flags & 0x08 != 0 {
        do throws(HeaderStop) {
          header.orientation = try orientation(file)
        } catch {
          if case .malformed = error { throw error }
          try error.endsRefinement(of: file)
        }
      }
    } else {
      throw .malformed("its container holds no picture")
    }
    return header
  }

  /// The Exif chunk stands behind the pixels: the chunks are jumped along by their lengths.
  private static func orientation(
    _ file: borrowing HeaderView
  ) throws(HeaderStop) -> Orientation {
    let end = try 8 + file.little32(4)
    var offset = 30
    for _ in 0..<HeaderLimits.steps where offset + 8 <= end {
      let length: Int
      do throws(HeaderStop) {
        try file.require(offset..<offset + 8)
        length = try file.little32(offset + 4)
      } catch {
        // The container says more than there is: its pixels may be whole all the same.
        if error == .ended { return .upright }
        throw error
      }
      if try file.has("EXIF", at: offset) {
        // Some writers put JPEG's "Exif\0\0" before the block.
        let hasPrefix = length >= 6 ? try file.has("Exif\0\0", at: offset + 8) : false
        return try Exif.orientation(
          file, from: offset + (hasPrefix ? 14 : 8), to: offset + 8 + length) ?? .upright
      }
      offset += 8 + length + length % 2
    }
    return .upright
  }
}
