/// JPEG 2000 (ISO/IEC 15444-1): bare code streams (annex A) and JP2 files (annex I).
enum JPEG2000Header: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    if try file.big16(0) == 0xFF4F { return try codeStream(file, at: 0) }
    // After the signature box.
    var walk = BoxWalk(from: 12, to: nil)
    while let box = try walk.next(file) {
      guard box.type == Box.type("jp2h") else { continue }
      var header = try headerBox(file, from: box.start, to: box.end)
      do throws(HeaderStop) {
        if let stream = try nextStream(file, &walk) {
          (header.pixelWidth, header.pixelHeight) = (stream.pixelWidth, stream.pixelHeight)
        }
      } catch {
        try file.endRefinement(error)
      }
      return header
    }
    throw .malformed("it has no header box")
  }

  private static func nextStream(
    _ file: borrowing HeaderView, _ walk: inout BoxWalk
  ) throws(HeaderStop) -> ImageHeader? {
    while let box = try walk.next(file) {
      if box.type == Box.type("jp2c") { return try codeStream(file, at: box.start) }
    }
    return nil
  }

  private static func headerBox(
    _ file: borrowing HeaderView, from start: Int, to end: Int?
  ) throws(HeaderStop) -> ImageHeader {
    var walk = BoxWalk(from: start, to: end)
    var header: ImageHeader?
    var hasAlpha: Bool?
    var hasProfile = false
    var components = 0
    var isCMYK = false
    while let box = try walk.next(file) {
      if box.type == Box.type("ihdr") {
        // In ihdr the height precedes the width (I.5.3.1).
        header = ImageHeader(
          format: .jp2, pixelWidth: try file.big32(box.start + 4),
          pixelHeight: try file.big32(box.start),
          bitsPerChannel: try bits(file.byte(box.start + 10)))
        components = try file.big16(box.start + 8)
      } else if box.type == Box.type("cdef") {
        hasAlpha = try definesOpacity(file, at: box.start) || hasAlpha == true
      } else if box.type == Box.type("colr") {
        // Method 1 is an enumerated space, of which 12 is CMYK; 2 is a restricted ICC profile (I.5.3.3), which names its
        // space after 16 bytes.
        let method = try file.byte(box.start)
        if method == 2 { hasProfile = true }
        let end = box.end ?? box.start
        if method == 1, end >= box.start + 7 { isCMYK = try file.big32(box.start + 3) == 12 }
        if method == 2, end >= box.start + 23 { isCMYK = try file.has("CMYK", at: box.start + 19) }
      } else if box.type == Box.type("pclr") {
        // Columns of the palette (I.5.3.4).
        components = try file.byte(box.start + 2)
      }
    }
    guard var header else { throw .malformed("its header box has no size") }
    header.hasAlpha = hasAlpha ?? (!isCMYK && isAlphaOfRest(components))
    header.hasICCProfile = hasProfile
    return header
  }

  /// One more component than grey, or than red, green and blue, is alpha for all readers.
  private static func isAlphaOfRest(_ components: Int) -> Bool {
    components == 2 || components == 4
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

  /// The SIZ marker segment, which is always the first (A.5.1). The sides are those of the component with most samples:
  /// all may have fewer than the reference grid has points.
  private static func codeStream(
    _ file: borrowing HeaderView, at start: Int
  ) throws(HeaderStop) -> ImageHeader {
    guard try file.big16(start) == 0xFF4F, try file.big16(start + 2) == 0xFF51 else {
      throw .malformed("it does not begin with a SIZ marker")
    }
    try file.require(start..<start + 43)
    let components = try file.big16(start + 40)
    var (across, down) = (255, 255)
    for index in 0..<min(components, 16) {
      across = try min(across, file.byte(start + 43 + index * 3))
      down = try min(down, file.byte(start + 44 + index * 3))
    }
    guard across > 0, down > 0 else { throw .malformed("its components have no samples") }
    func side(_ end: Int, _ first: Int, _ step: Int) -> Int {
      (end + step - 1) / step - (first + step - 1) / step
    }
    return ImageHeader(
      format: .jp2, pixelWidth: try side(file.big32(start + 8), file.big32(start + 16), across),
      pixelHeight: try side(file.big32(start + 12), file.big32(start + 20), down),
      hasAlpha: isAlphaOfRest(components), bitsPerChannel: try bits(file.byte(start + 42)))
  }

  /// Bits per channel, from a byte that holds one less and the sign in its upper bit. 255 means
  /// that channels differ; 8 is then the best guess.
  private static func bits(_ byte: Int) -> Int { byte == 255 ? 8 : byte & 0x7F + 1 }
}
