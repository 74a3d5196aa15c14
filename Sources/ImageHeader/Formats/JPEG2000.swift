/// JPEG 2000 (ISO/IEC 15444-1): bare code streams (annex A) and JP2 files (annex I).
enum JPEG2000Header: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    if try file.big16(0) == 0xFF4F { return try codeStream(file) }
    // After the signature box.
    var walk = BoxWalk(from: 12, to: nil)
    while let box = try walk.next(file) {
      if box.type == Box.type("jp2h") { return try headerBox(file, from: box.start, to: box.end) }
    }
    throw .malformed("it has no header box")
  }

  private static func headerBox(
    _ file: borrowing HeaderView, from start: Int, to end: Int?
  ) throws(HeaderStop) -> ImageHeader {
    var walk = BoxWalk(from: start, to: end)
    var header: ImageHeader?
    var hasAlpha = false
    var hasProfile = false
    var hasPalette = false
    while let box = try walk.next(file) {
      if box.type == Box.type("ihdr") {
        // In ihdr the height precedes the width (I.5.3.1).
        header = ImageHeader(
          format: .jp2, pixelWidth: try file.big32(box.start + 4),
          pixelHeight: try file.big32(box.start),
          bitsPerChannel: try bits(file.byte(box.start + 10)))
      } else if box.type == Box.type("cdef") {
        hasAlpha = try definesOpacity(file, at: box.start) || hasAlpha
      } else if box.type == Box.type("colr"), try file.byte(box.start) == 2 {
        hasProfile = true  // method 2: a restricted ICC profile (I.5.3.3)
      } else if box.type == Box.type("pclr") {
        hasPalette = true
      }
    }
    guard var header else { throw .malformed("its header box has no size") }
    header.coded.hasPalette = hasPalette
    header.hasAlpha = hasAlpha
    header.hasICCProfile = hasProfile
    return header
  }

  /// Whether a channel definition box names an opacity channel (I.5.3.6).
  private static func definesOpacity(
    _ file: borrowing HeaderView, at start: Int
  ) throws(HeaderStop) -> Bool {
    var isDefined = false
    // 64 channels are more than any image for display has; the count may claim 65,535.
    for index in 0..<min(try file.big16(start), 64) {
      // Type 1 is opacity, 2 is premultiplied opacity.
      if try (1...2).contains(file.big16(start + 4 + index * 6)) { isDefined = true }
    }
    return isDefined
  }

  /// The SIZ marker segment, which is always the first (A.5.1).
  private static func codeStream(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    guard try file.big16(2) == 0xFF51 else {
      throw .malformed("it does not begin with a SIZ marker")
    }
    // The size of the reference grid without the offset of the image area.
    return ImageHeader(
      format: .jp2, pixelWidth: try file.big32(8) - file.big32(16),
      pixelHeight: try file.big32(12) - file.big32(20),
      bitsPerChannel: try bits(file.byte(42)))
  }

  /// Bits per channel, from a byte that holds one less and the sign in its upper bit. 255 means
  /// that channels differ; 8 is then the best guess.
  private static func bits(_ byte: Int) -> Int { byte == 255 ? 8 : byte & 0x7F + 1 }
}
