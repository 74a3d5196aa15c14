/// JPEG (ITU-T T.81), with the orientation from Exif and the presence of an ICC profile.
///
/// Marker segments are walked by their lengths up to the frame header (SOFn); the content of no
/// segment but Exif is asked for, so a megabyte of profile or thumbnails is jumped over. An Exif
/// segment that comes after the frame header is not looked for: no camera writes one, and the
/// transcoder would say so.
enum JPEGHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    var offset = 2
    var orientation = Orientation.upright
    var hasProfile = false
    var rubbish = 0
    for _ in 0..<2 * HeaderLimits.steps {
      guard try file.byte(offset) == 0xFF, try file.byte(offset + 1) != 0 else {
        // Rubbish between segments: libjpeg looks for the next marker, with a warning.
        offset += 1
        rubbish += 1
        guard rubbish <= HeaderLimits.steps else {
          throw .malformed("it has no marker where one must be (byte \(offset - rubbish))")
        }
        continue
      }
      let marker = try file.byte(offset + 1)
      switch marker {
      case 0xFF:  // a fill byte (B.1.1.2)
        offset += 1
        continue
      case 0x01, 0xD0...0xD8:  // markers without a segment
        offset += 2
        continue
      case 0xD9, 0xDA: throw .malformed("its frame header is missing")
      default: break
      }
      let length = try file.big16(offset + 2)
      guard length >= 2 else {
        throw .malformed("one of its segments is \(length) bytes long (byte \(offset))")
      }
      switch marker {
      // All frame headers; DHT (C4), JPG (C8) and DAC (CC) share their range of codes.
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        try file.require(offset + 4..<offset + 9)
        let height = try file.big16(offset + 5)
        guard height > 0 else {
          throw .malformed("it tells its height only after its pixels (DNL)")
        }
        return ImageHeader(
          format: .jpeg, pixelWidth: try file.big16(offset + 7), pixelHeight: height,
          orientation: orientation, bitsPerChannel: try file.byte(offset + 4),
          hasICCProfile: hasProfile)
      case 0xE1 where length >= 16:
        // The first Exif segment that has an orientation counts.
        if orientation == .upright, try file.has("Exif\0\0", at: offset + 4) {
          orientation =
            try Exif.orientation(file, from: offset + 10, to: offset + 2 + length) ?? .upright
        }
      case 0xE2 where length >= 16:
        if !hasProfile { hasProfile = try file.has("ICC_PROFILE\0", at: offset + 4) }
      default: break
      }
      offset += 2 + length
    }
    throw .malformed("it has too many segments")
  }
}
