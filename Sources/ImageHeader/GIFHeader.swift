/// GIF 87a and 89a: the logical screen, and whatever the bytes at hand tell of frames.
enum GIFHeader {
  static func read(_ bytes: Span<UInt8>) throws(HeaderStop) -> ImageHeader {
    let width = try bytes.littleEndian16(6)
    let height = try bytes.littleEndian16(8)
    let flags = try bytes.byte(10)
    var header = ImageHeader(format: .gif, pixelWidth: width, pixelHeight: height, isAnimated: nil)
    let palette = flags & 0x80 != 0 ? 3 << (flags & 7 + 1) : 0
    var walk = Walk(offset: 13 + palette)
    header.isAnimated = walk.hasSecondFrame(bytes)
    header.hasAlpha = walk.isTranslucent
    return header
  }

  private struct Walk {
    var offset: Int
    /// Whether a frame was seen that names a translucent colour.
    var isTranslucent = false

    init(offset: Int) { self.offset = offset }

    /// Walks the blocks as far as they are there. Nil where the bytes end before a second frame or
    /// the trailer; the file need not be read on for it.
    mutating func hasSecondFrame(_ bytes: Span<UInt8>) -> Bool? {
      var frames = 0
      do throws(HeaderStop) {
        while true {
          switch try bytes.byte(offset) {
          case 0x2C:  // image descriptor
            frames += 1
            if frames > 1 { return true }
            let flags = try bytes.byte(offset + 9)
            offset += 10 + (flags & 0x80 != 0 ? 3 << (flags & 7 + 1) : 0) + 1
          case 0x21:  // extension; 0xF9 is graphic control
            if try bytes.byte(offset + 1) == 0xF9, try bytes.byte(offset + 3) & 1 == 1 {
              isTranslucent = true
            }
            offset += 2
          case 0x3B: return false  // trailer
          default: return nil
          }
          var length = try bytes.byte(offset)
          while length > 0 {
            offset += 1 + length
            length = try bytes.byte(offset)
          }
          offset += 1
        }
      } catch {
        return nil
      }
    }
  }
}
