/// WebP (RFC 9649): the simple lossy and lossless formats and the extended one.
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
      if flags & 0x08 != 0 {
        do throws(HeaderStop) {
          header.orientation = try orientation(file)
        } catch {
          if case .malformed = error { throw error }
          try file.endRefinement(error)
        }
      }
    } else {
      throw .malformed("its container holds no image")
    }
    return header
  }

  /// The orientation in the Exif chunk, which follows the pixels. The reader jumps from chunk to
  /// chunk by their lengths; in an animation it looks at the end of the file first, instead of
  /// jumping over every frame.
  private static func orientation(
    _ file: borrowing HeaderView
  ) throws(HeaderStop) -> Orientation {
    // The length of a RIFF container does not count its first eight bytes (RFC 9649, section 2.4).
    let end = try 8 + file.little32(4)
    var offset = 30
    var hasLookedAtEnd = false
    for _ in 0..<HeaderLimits.steps where offset + 8 <= end {
      let length: Int
      do throws(HeaderStop) {
        try file.require(offset..<offset + 8)
        length = try file.little32(offset + 4)
      } catch {
        // The container claims more bytes than the file has; its pixels may still be complete.
        if error == .ended { return .upright }
        throw error
      }
      if try file.has("EXIF", at: offset) {
        return try orientation(file, chunk: offset, length)
      }
      if !hasLookedAtEnd, try file.has("ANMF", at: offset) {
        hasLookedAtEnd = true
        if let place = try lastExif(file, from: offset, to: end) {
          return try orientation(file, chunk: place, file.little32(place + 4))
        }
      }
      // Chunks are padded to an even length (RFC 9649, section 2.3).
      offset += 8 + length + length % 2
    }
    return .upright
  }

  private static func orientation(
    _ file: borrowing HeaderView, chunk offset: Int, _ length: Int
  ) throws(HeaderStop) -> Orientation {
    // Some writers put JPEG's "Exif\0\0" before the block.
    let hasPrefix = length >= 6 ? try file.has("Exif\0\0", at: offset + 8) : false
    return try Exif.orientation(
      file, from: offset + (hasPrefix ? 14 : 8), to: offset + 8 + length) ?? .upright
  }

  /// The offset of an Exif chunk that is the file's last chunk, or the last but one, before XMP.
  /// Nil if none begins in the last 16 KiB, which hold any Exif without a preview.
  private static func lastExif(
    _ file: borrowing HeaderView, from start: Int, to end: Int
  ) throws(HeaderStop) -> Int? {
    let start = max(start, end - 16_384)
    guard start + 8 <= end else { return nil }
    do throws(HeaderStop) {
      try file.require(start..<end)
    } catch {
      if error == .ended { return nil }
      throw error
    }
    // Byte by byte: without the chunks before it, it is not known where a chunk begins here.
    for place in start...end - 8 where try file.has("EXIF", at: place) {
      var next = try place + 8 + file.little32(place + 4)
      next += next % 2  // padding to an even length
      if next + 8 <= end, try file.has("XMP ", at: next) {
        next += 8 + (try file.little32(next + 4))
      }
      // The last chunk may lack its byte of padding.
      if next == end || next == end + 1 || next + 1 == end { return place }
    }
    return nil
  }
}
