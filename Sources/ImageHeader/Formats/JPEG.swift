/// JPEG (ITU-T T.81), with the orientation from Exif and the presence of an ICC profile.
///
/// The reader walks the marker segments by their lengths. It requests the content of Exif and of
/// the frame header (SOFn) only, and so skips a megabyte of profile or thumbnails. As in libvips,
/// the first Exif segment counts, whatever it contains. One after the frame header counts if it is
/// at hand; no known program writes one there, so it is not worth a request.
enum JPEGHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    var walk = SegmentWalk()
    var orientation: Orientation?
    var hasProfile = false
    var header: ImageHeader?
    do throws(HeaderStop) {
      while header == nil || orientation == nil, let segment = try walk.next(file) {
        switch segment.marker {
        // SOF0 to SOF15; DHT (C4), JPG (C8) and DAC (CC) share their range of codes (T.81, table
        // B.1).
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
          if header == nil { header = try frame(file, segment) }
        case 0xE1 where orientation == nil && segment.count >= 6:
          if try file.has("Exif\0\0", at: segment.start) {
            orientation =
              try Exif.orientation(file, from: segment.start + 6, to: segment.end) ?? .upright
          }
        // 14 bytes: the name with its NUL, the number of the chunk, and the number of all chunks.
        case 0xE2 where !hasProfile && segment.count >= 14:
          hasProfile = try file.has("ICC_PROFILE\0", at: segment.start)
        default: break
        }
      }
    } catch {
      // With the size known, only an Exif segment after it is missing.
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
    // T.81, B.2.5: the height may be 0 if a DNL segment after the first scan states it. libjpeg
    // does not support that.
    guard height > 0 else { throw .malformed("its height follows its pixels (DNL)") }
    let precision = try file.byte(segment.start)
    guard (2...16).contains(precision) else {
      throw .malformed("its samples have \(precision) bits")
    }
    return ImageHeader(
      format: .jpeg, pixelWidth: try file.big16(segment.start + 3), pixelHeight: height,
      bitsPerChannel: precision)
  }
}

/// Walks the marker segments before the pixels of a JPEG, within the ceilings of ``HeaderLimits``.
private struct SegmentWalk {
  struct Segment {
    var marker: Int
    /// Where the content begins, after marker and length.
    var start: Int
    var end: Int
    var count: Int { end - start }
  }

  // After SOI, which has no length and which the signature has checked.
  private var offset = 2
  private var steps = 0
  /// Bytes between segments that belong to none.
  private var stray = 0

  /// The next segment, or nil if the pixels begin or the image ends.
  mutating func next(_ file: borrowing HeaderView) throws(HeaderStop) -> Segment? {
    while true {
      steps += 1
      // Twice: stray bytes have a ceiling of their own, and each of them is a step.
      guard steps <= 2 * HeaderLimits.steps else { throw .malformed("it has too many segments") }
      guard try file.byte(offset) == 0xFF, try file.byte(offset + 1) != 0 else {
        // libjpeg skips stray bytes up to the next marker, with a warning.
        offset += 1
        stray += 1
        guard stray <= HeaderLimits.steps else {
          throw .malformed("a marker is missing at byte \(offset - stray)")
        }
        continue
      }
      let marker = try file.byte(offset + 1)
      switch marker {
      case 0xFF: offset += 1  // a fill byte (B.1.1.2)
      case 0x01, 0xD0...0xD8: offset += 2  // TEM, RSTn and SOI have no segment
      case 0xD9, 0xDA: return nil  // EOI, SOS
      default:
        let length = try file.big16(offset + 2)
        // The length counts its own two bytes (T.81, B.1.1.4).
        guard length >= 2 else {
          throw .malformed("one of its segments is \(length) bytes long (byte \(offset))")
        }
        offset += 2 + length
        return Segment(marker: marker, start: offset - length + 2, end: offset)
      }
    }
  }
}
