/// JPEG files with the frame header at a chosen offset. They contain no pixels, because a probe
/// must need the header only.
enum CameraJPEG {
  /// The layout of a camera's file: an Exif block with an orientation, `filler` bytes in place of
  /// thumbnails and maker notes, the frame header, and `pixels` bytes in place of pixels.
  static func bytes(
    width: Int = 4000, height: Int = 3000, orientation: UInt8 = 6, filler: Int = 20_000,
    pixels: Int = 100_000
  ) -> [UInt8] {
    [0xFF, 0xD8] + segment(0xE1, exif(orientation) + zeros(filler)) + frame(width, height)
      + zeros(pixels)
  }

  /// `count` segments of one length before the frame header.
  static func segmented(_ count: Int, of length: Int, width: Int, height: Int) -> [UInt8] {
    var bytes: [UInt8] = [0xFF, 0xD8]
    for _ in 0..<count { bytes += segment(0xE2, zeros(length)) }
    return bytes + frame(width, height) + zeros(5_000)
  }

  /// The layout of a real file, given as its segments before the pixels (marker or content, and the
  /// length field): `E0:16 Exif:9897 DB:67 C0:17 C4:418`.
  static func laidOut(
    _ segments: String, width: Int, height: Int, orientation: UInt8, length: Int
  ) -> [UInt8] {
    var bytes: [UInt8] = [0xFF, 0xD8]
    for part in segments.split(separator: " ") {
      let words = part.split(separator: ":")
      let (kind, count) = (words[0], (Int(words[1]) ?? 2) - 2)
      var (marker, content): (UInt8, [UInt8])
      switch kind {
      case "Exif": (marker, content) = (0xE1, exif(orientation))
      case "ICC": (marker, content) = (0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1])
      default:
        marker = UInt8(kind, radix: 16) ?? 0
        let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
        content = isFrame ? [8] + big(height) + big(width) : []
      }
      bytes += segment(
        marker, Array((content + zeros(max(0, count - content.count))).prefix(count)))
    }
    bytes += segment(0xDA, zeros(10))
    return bytes + zeros(max(0, length - bytes.count))
  }

  private static func exif(_ orientation: UInt8) -> [UInt8] {
    Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1]
      + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
  }

  private static func frame(_ width: Int, _ height: Int) -> [UInt8] {
    let quantization = segment(0xDB, zeros(65)) + segment(0xDB, zeros(65))
    return quantization + segment(0xC0, [8] + big(height) + big(width) + [3] + zeros(9))
      + segment(0xDA, zeros(10))
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + big(content.count + 2) + content
  }

  private static func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
