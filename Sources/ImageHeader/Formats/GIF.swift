/// GIF 87a and 89a: the logical screen, and whatever the bytes at hand tell of frames.
enum GIFHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    try file.require(6..<13)
    let flags = try file.byte(10)
    var header = ImageHeader(
      format: .gif, pixelWidth: try file.little16(6), pixelHeight: try file.little16(8))
    var walk = Walk(offset: 13 + (flags & 0x80 != 0 ? 3 << (flags & 7 + 1) : 0))
    header.isAnimated = walk.hasSecondFrame(file)
    header.hasAlpha = walk.isTranslucent
    return header
  }

  private struct Walk {
    var offset: Int
    /// Whether a frame was seen that names a translucent colour.
    var isTranslucent = false

    init(offset: Int) { self.offset = offset }

    /// Walks the blocks as far as they are there. Nil where the bytes end before a second frame or
    /// the trailer; nothing is fetched for it.
    mutating func hasSecondFrame(_ file: borrowing HeaderView) -> Bool? {
      var frames = 0
      do throws(HeaderStop) {
        while true {
          switch try file.byte(offset) {
          case 0x2C:  // image descriptor
            frames += 1
            if frames > 1 { return true }
            let flags = try file.byte(offset + 9)
            offset += 10 + (flags & 0x80 != 0 ? 3 << (flags & 7 + 1) : 0) + 1
          case 0x21:  // extension; 0xF9 is graphic control
            if try file.byte(offset + 1) == 0xF9, try file.byte(offset + 3) & 1 == 1 {
              isTranslucent = true
            }
            offset += 2
          case 0x3B: return false  // trailer
          default: return nil
          }
          var length = try file.byte(offset)
          while length > 0 {
            offset += 1 + length
            length = try file.byte(offset)
          }
          offset += 1
        }
      } catch {
        return nil
      }
    }
  }
}
