/// GIF 87a and 89a: the logical screen, and whatever the bytes at hand tell of frames.
enum GIFHeader {
  static func read(_ bytes: Span<UInt8>) throws(HeaderStop) -> ImageHeader {
    let width = try bytes.littleEndian16(6)
    let height = try bytes.littleEndian16(8)
    let flags = try bytes.byte(10)
    var header = ImageHeader(format: .gif, pixelWidth: width, pixelHeight: height, isAnimated: nil)
    // Any frame may be translucent, and frames that do not cover the screen leave it so.
    header.hasAlpha = true
    let palette = flags & 0x80 != 0 ? 3 << (flags & 7 + 1) : 0
    header.isAnimated = hasSecondFrame(bytes, from: 13 + palette)
    return header
  }

  /// Walks the blocks as far as they are there. Nil where the bytes end before a second frame or
  /// the trailer; the file need not be read on for it.
  private static func hasSecondFrame(_ bytes: Span<UInt8>, from start: Int) -> Bool? {
    var offset = start
    var frames = 0
    do throws(HeaderStop) {
      while true {
        switch try bytes.byte(offset) {
        case 0x2C:  // image descriptor
          frames += 1
          if frames > 1 { return true }
          let flags = try bytes.byte(offset + 9)
          offset += 10 + (flags & 0x80 != 0 ? 3 << (flags & 7 + 1) : 0) + 1
        case 0x21: offset += 2  // extension
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
