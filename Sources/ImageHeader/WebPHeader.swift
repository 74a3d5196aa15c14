/// WebP (RFC 9649): the simple lossy and lossless formats and the extended one.
enum WebPHeader {
  static func read(
    _ bytes: Span<UInt8>, isWhole: Bool, seeksOrientation: Bool
  ) throws(HeaderStop) -> ImageHeader {
    var header = ImageHeader(format: .webp, pixelWidth: 0, pixelHeight: 0)
    if try bytes.has("VP8 ", at: 12) {
      // A key frame's start code, then 14 bits a side; the upper two bits are a hint for scaling
      // (RFC 6386, section 9.1).
      guard try bytes.byte(20) & 1 == 0, try bytes.littleEndian24(23) == 0x2A019D else {
        throw .malformed("a WebP picture whose first frame is no key frame")
      }
      header.pixelWidth = try bytes.littleEndian16(26) & 0x3FFF
      header.pixelHeight = try bytes.littleEndian16(28) & 0x3FFF
    } else if try bytes.has("VP8L", at: 12) {
      guard try bytes.byte(20) == 0x2F else {
        throw .malformed("a lossless WebP picture without its signature")
      }
      let bits = try bytes.littleEndian32(21)
      header.pixelWidth = bits & 0x3FFF + 1
      header.pixelHeight = bits >> 14 & 0x3FFF + 1
      header.hasAlpha = bits >> 28 & 1 == 1
    } else if try bytes.has("VP8X", at: 12) {
      let flags = try bytes.byte(20)
      header.pixelWidth = try bytes.littleEndian24(24) + 1
      header.pixelHeight = try bytes.littleEndian24(27) + 1
      header.isAnimated = flags & 0x02 != 0
      header.hasAlpha = flags & 0x10 != 0
      header.hasICCProfile = flags & 0x20 != 0
      if flags & 0x08 != 0 {
        do throws(HeaderStop) {
          header.orientation = try orientation(bytes, isWhole: isWhole)
        } catch {
          // The size is known. Exif stands behind the pixels; who decodes them will meet it.
          guard case .needs = error, !seeksOrientation else { throw error }
        }
      }
    } else {
      throw .malformed("a WebP container without a picture in it")
    }
    return header
  }

  /// The Exif chunk stands behind the pixels, so the chunks are walked to their end.
  private static func orientation(
    _ bytes: Span<UInt8>, isWhole: Bool
  ) throws(HeaderStop) -> Orientation {
    let end = try 8 + bytes.littleEndian32(4)
    var offset = 30
    for _ in 0..<HeaderCeiling.steps where offset + 8 <= end {
      if isWhole && offset + 8 > bytes.count { break }
      let length = try bytes.littleEndian32(offset + 4)
      if bytes.matches("EXIF", at: offset) {
        let chunkEnd = offset + 8 + length
        guard chunkEnd <= bytes.count else { throw .needs(prefix: chunkEnd) }
        // Some writers put JPEG's "Exif\0\0" before the block.
        let hasPrefix = length >= 6 && bytes.matches("Exif\0\0", at: offset + 8)
        let block = bytes.extracting(offset + (hasPrefix ? 14 : 8)..<chunkEnd)
        return Exif.orientation(in: block) ?? .upright
      }
      offset += 8 + length + length % 2
    }
    return .upright
  }
}
