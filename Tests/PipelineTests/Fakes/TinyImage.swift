/// The smallest files that the header reader accepts: mostly lossless WebP headers (RFC 9649,
/// section 3) followed by a payload that tells files apart.
enum TinyImage {
  static func webp(_ width: Int, _ height: Int, _ payload: String = "") -> [UInt8] {
    var data = Array(payload.utf8)
    // A reader that needs 30 bytes finds them, and a chunk has an even length.
    while data.count < 16 || data.count % 2 == 0 { data.append(0) }
    // 14 bits per side, each one less; no alpha, version 0.
    let sides = (width - 1) | (height - 1) << 14
    let chunk = [0x2F] + little32(sides) + data
    return Array("RIFF".utf8) + little32(12 + chunk.count) + Array("WEBPVP8L".utf8)
      + little32(chunk.count) + chunk
  }

  /// IHDR, and the beginning of the pixels.
  static func png(_ width: UInt8, _ height: UInt8) -> [UInt8] {
    [0x89] + Array("PNG\r\n".utf8) + [0x1A, 10] + [0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 0, width] + [0, 0, 0, height] + [8, 2, 0, 0, 0] + [0, 0, 0, 0]
      + [0, 0, 0, 0] + Array("IDAT".utf8) + [0, 0, 0, 0]
  }

  private static func little32(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
