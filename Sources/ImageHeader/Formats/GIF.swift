/// GIF 87a and 89a: the logical screen, as far as libnsgif believes it, through which libvips reads; and
/// whatever the bytes at hand tell of further frames.
enum GIFHeader {
  /// Sizes of monitors, which some writers told instead of the picture's. libnsgif takes the first
  /// frame's in their place, and also for screens without a size or with a side over 2048.
  private static let monitors = [
    (640, 480), (640, 512), (800, 600), (1024, 768), (1280, 1024), (1600, 1200),
  ]
  private static let longestSide = 2048

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    try file.require(6..<13)
    let screen = try (width: file.little16(6), height: file.little16(8))
    let isBelieved =
      (1...longestSide).contains(screen.width) && (1...longestSide).contains(screen.height)
      && !monitors.contains { $0 == screen.width && $1 == screen.height }
    var header = ImageHeader(
      format: .gif, pixelWidth: isBelieved ? screen.width : 0,
      pixelHeight: isBelieved ? screen.height : 0)
    var walk = BlockWalk(offset: 13 + paletteSize(try file.byte(10)))
    do throws(HeaderStop) {
      guard let frame = try walk.nextFrame(file) else { throw .malformed("it has no frame") }
      // The first frame enlarges a screen that it does not fit.
      header.pixelWidth = max(header.pixelWidth, frame.right)
      header.pixelHeight = max(header.pixelHeight, frame.bottom)
      header.isAnimated = nil
      try walk.skipFrame(file)
      header.isAnimated = try walk.nextFrame(file) != nil
    } catch {
      // Nothing is asked for but the first frame of a screen that is not believed.
      if header.pixelWidth == 0 || header.pixelHeight == 0 { throw error }
      header.isAnimated = nil
    }
    header.hasAlpha = walk.isTranslucent
    return header
  }

  /// Bytes of the colour table that flags announce.
  static func paletteSize(_ flags: Int) -> Int { flags & 0x80 != 0 ? 3 << (flags & 7 + 1) : 0 }
}

/// Walks a GIF's blocks, within the ceilings.
private struct BlockWalk {
  private var offset: Int
  private var steps = 0
  /// Whether a block was seen that names a translucent colour.
  private(set) var isTranslucent = false

  init(offset: Int) { self.offset = offset }

  /// Where a frame ends on the screen.
  struct Frame {
    var right: Int
    var bottom: Int
  }

  /// Goes to the next frame's descriptor. Nil at the trailer, or where there is no block.
  mutating func nextFrame(_ file: borrowing HeaderView) throws(HeaderStop) -> Frame? {
    while true {
      switch try file.byte(offset) {
      case 0x2C:  // image descriptor
        try file.require(offset..<offset + 10)
        return Frame(
          right: try file.little16(offset + 1) + file.little16(offset + 5),
          bottom: try file.little16(offset + 3) + file.little16(offset + 7))
      case 0x21:  // extension; 0xF9 is graphic control
        if try file.byte(offset + 1) == 0xF9, try file.byte(offset + 3) & 1 == 1 {
          isTranslucent = true
        }
        offset += 2
        try skipData(file)
      default: return nil  // 0x3B is the trailer
      }
    }
  }

  /// Goes behind the frame whose descriptor this stands at.
  mutating func skipFrame(_ file: borrowing HeaderView) throws(HeaderStop) {
    offset += 10 + GIFHeader.paletteSize(try file.byte(offset + 9)) + 1
    try skipData(file)
  }

  /// Data in parts with their lengths, up to a length of nothing.
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
