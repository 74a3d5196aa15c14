/// JPEG (ITU-T T.81), with the orientation from Exif and the presence of an ICC profile.
///
/// Marker segments are walked by their lengths; the content of none but Exif and the frame header
/// (SOFn) is asked for, so a megabyte of profile or thumbnails is jumped over. As for libvips, the
/// first Exif segment counts, whatever it says. One that comes after the frame header counts where it
/// is at hand; nobody is known to write it, so it is not worth a request.
enum JPEGHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    var walk = SegmentWalk()
    var orientation: Orientation?
    var hasProfile = false
    var header: ImageHeader?
    do throws(HeaderStop) {
      while header == nil || orientation == nil, let segment = try walk.next(file) {
        switch segment.marker {
        // All frame headers; DHT (C4), JPG (C8) and DAC (CC) share their range of codes.
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
          if header == nil { header = try frame(file, segment) }
        case 0xE1 where orientation == nil && segment.count >= 6:
          if try file.has("Exif\0\0", at: segment.start) {
            orientation =
              try Exif.orientation(file, from: segment.start + 6, to: segment.end) ?? .upright
          }
        case 0xE2 where !hasProfile && segment.count >= 14:
          hasProfile = try file.has("ICC_PROFILE\0", at: segment.start)
        default: break
        }
      }
    } catch {
      guard header != nil else { throw error }
    }
    guard var header else { throw .malformed("its frame header is missing") }
    header.orientation = orientation ?? .upright
    header.hasICCProfile = hasProfile
    return header
  }

  private static func frame(
    _ file: borrowing HeaderView, _ segment: SegmentWalk.Segment
  ) throws(HeaderStop) -> ImageHeader {
    try file.require(segment.start..<segment.start + 5)
    let height = try file.big16(segment.start + 1)
    guard height > 0 else { throw .malformed("it tells its height only after its pixels (DNL)") }
    let precision = try file.byte(segment.start)
    guard (2...16).contains(precision) else {
      throw .malformed("its samples have \(precision) bits")
    }
    return ImageHeader(
      format: .jpeg, pixelWidth: try file.big16(segment.start + 3), pixelHeight: height,
      bitsPerChannel: precision)
  }
}

/// Walks the marker segments before a JPEG's pixels, within the ceilings.
private struct SegmentWalk {
  struct Segment {
    var marker: Int
    /// Of its content, behind marker and length.
    var start: Int
    var end: Int
    var count: Int { end - start }
  }

  private var offset = 2
  private var steps = 0
  private var rubbish = 0

  /// The next segment, or nil where the pixels begin or the picture ends.
  mutating func next(_ file: borrowing HeaderView) throws(HeaderStop) -> Segment? {
    while true {
      steps += 1
      guard steps <= 2 * HeaderLimits.steps else { throw .malformed("it has too many segments") }
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
      case 0xFF: offset += 1  // a fill byte (B.1.1.2)
      case 0x01, 0xD0...0xD8: offset += 2  // markers without a segment
      case 0xD9, 0xDA: return nil
      default:
        let length = try file.big16(offset + 2)
        guard length >= 2 else {
          throw .malformed("one of its segments is \(length) bytes long (byte \(offset))")
        }
        offset += 2 + length
        return Segment(marker: marker, start: offset - length + 2, end: offset)
      }
    }
  }
}
