/// GIF 87a and 89a: the logical screen, enlarged by the first frame as in browsers, and what the bytes at hand show of
/// further frames.
enum GIFHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    try file.require(6..<13)
    var header = ImageHeader(
      format: .gif, pixelWidth: try file.little16(6), pixelHeight: try file.little16(8))
    // Signature and screen descriptor have 13 bytes, and a global colour table may follow (GIF 89a,
    // sections 17 to 19).
    var walk = BlockWalk(offset: 13 + GIFStructure.paletteSize(try file.byte(10)))
    do throws(HeaderStop) {
      guard let frame = try walk.nextFrame(file) else { throw .malformed("it has no frame") }
      // The first frame enlarges a screen that it does not fit.
      header.pixelWidth = max(header.pixelWidth, frame.right)
      header.pixelHeight = max(header.pixelHeight, frame.bottom)
      header.isAnimated = nil
      try walk.skipFrame(file)
      header.isAnimated = try walk.nextFrame(file) != nil
    } catch {
      // Only the first frame of a screen without a size is worth a request.
      if header.pixelWidth == 0 || header.pixelHeight == 0 { throw error }
      header.isAnimated = nil
    }
    header.hasAlpha = walk.isTranslucent
    return header
  }
}

/// Walks the blocks of a GIF, within the ceilings of ``HeaderLimits``.
private struct BlockWalk {
  private var offset: Int
  private var steps = 0
  /// Whether a block so far names a transparent colour.
  private(set) var isTranslucent = false

  init(offset: Int) { self.offset = offset }

  /// The right and lower edge of a frame on the screen.
  struct Frame {
    var right: Int
    var bottom: Int
  }

  /// Moves to the next frame's descriptor. Nil at the trailer, or if no block begins there.
  mutating func nextFrame(_ file: borrowing HeaderView) throws(HeaderStop) -> Frame? {
    while true {
      switch try file.byte(offset) {
      case 0x2C:  // image descriptor
        try file.require(offset..<offset + 10)
        return Frame(
          right: try file.little16(offset + 1) + file.little16(offset + 5),
          bottom: try file.little16(offset + 3) + file.little16(offset + 7))
      case 0x21:  // extension; 0xF9 is graphic control
        // Bit 0 of its flags says that a colour is transparent (GIF 89a, section 23).
        if try file.byte(offset + 1) == 0xF9, try file.byte(offset + 3) & 1 == 1 {
          isTranslucent = true
        }
        offset += 2
        try skipData(file)
      default: return nil  // 0x3B is the trailer
      }
    }
  }

  /// Moves past the frame whose descriptor is at the current offset.
  mutating func skipFrame(_ file: borrowing HeaderView) throws(HeaderStop) {
    // The descriptor, a local colour table, and the minimum code size (GIF 89a, sections 20 to 22).
    offset += 10 + GIFStructure.paletteSize(try file.byte(offset + 9)) + 1
    try skipData(file)
  }

  /// Skips data sub-blocks, each with its length, up to one of length zero (GIF 89a, section 15).
  private mutating func skipData(_ file: borrowing HeaderView) throws(HeaderStop) {
    var length = try file.byte(offset)
    while length > 0 {
      steps += 1
      guard steps <= HeaderLimits.steps else { throw .malformed("it has too many blocks") }
      offset += 1 + length
      length = try file.byte(offset)
    }
    offset += 1
  }
}
