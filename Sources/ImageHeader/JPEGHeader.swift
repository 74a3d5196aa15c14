/// JPEG (ITU-T T.81), with the orientation from Exif and the presence of an ICC profile.
///
/// Marker segments are walked by their lengths up to the frame header (SOFn). An Exif segment that
/// comes after it is not looked for: no camera writes one, and the transcoder would say so.
enum JPEGHeader {
  static func read(_ bytes: Span<UInt8>) throws(HeaderStop) -> ImageHeader {
    var offset = 2
    var orientation = Orientation.upright
    var hasProfile = false
    for _ in 0..<HeaderCeiling.steps {
      guard try bytes.byte(offset) == 0xFF else {
        throw .malformed("a JPEG picture with no marker where one must be (byte \(offset))")
      }
      let marker = try bytes.byte(offset + 1)
      switch marker {
      case 0xFF:  // a fill byte (B.1.1.2)
        offset += 1
        continue
      case 0x01, 0xD0...0xD8:  // markers without a segment
        offset += 2
        continue
      case 0xD9, 0xDA:
        throw .malformed("a JPEG picture whose frame header is missing")
      default: break
      }
      let length = try bytes.bigEndian16(offset + 2)
      guard length >= 2 else {
        throw .malformed("a JPEG picture with a segment of \(length) bytes (byte \(offset))")
      }
      switch marker {
      // All frame headers; DHT (C4), JPG (C8) and DAC (CC) share their range of codes.
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        let height = try bytes.bigEndian16(offset + 5)
        guard height > 0 else {
          throw .malformed("a JPEG picture that tells its height only after its pixels (DNL)")
        }
        return ImageHeader(
          format: .jpeg, pixelWidth: try bytes.bigEndian16(offset + 7), pixelHeight: height,
          orientation: orientation, bitsPerChannel: try bytes.byte(offset + 4),
          hasICCProfile: hasProfile)
      case 0xE1 where length >= 8 + 2:
        if try bytes.has("Exif\0\0", at: offset + 4) {
          let start = offset + 10
          let end = offset + 2 + length
          guard end <= bytes.count else { throw .needs(prefix: end) }
          // The first Exif segment that has an orientation counts.
          if orientation == .upright {
            orientation = Exif.orientation(in: bytes.extracting(start..<end)) ?? .upright
          }
        }
      case 0xE2 where length >= 14 + 2:
        if try bytes.has("ICC_PROFILE\0", at: offset + 4) { hasProfile = true }
      default: break
      }
      offset += 2 + length
    }
    throw .malformed("a JPEG picture with too many segments before its size")
  }
}
