/// Finds the picture of an icon or cursor that stands for it: the largest one by its directory, where a
/// side of 0 means 256, as in the header reader, and of equally large ones that with most colours.
enum ICODecoder {
  enum Content {
    case bitmap(Bitmap)
    /// A whole PNG file.
    case png([UInt8])
  }

  static func decode(
    _ file: Span<UInt8>, maximumPixels: Int
  ) throws(BitmapError) -> Content {
    let source = LittleEndian(file)
    var best = (area: 0, bits: 0, offset: 0, length: 0)
    for index in 0..<(try source.word(4)) {
      let entry = 6 + index * 16
      let (width, height) = (try source.byte(entry), try source.byte(entry + 1))
      let area = (width == 0 ? 256 : width) * (height == 0 ? 256 : height)
      guard area >= best.area else { continue }
      let offset = try source.double(entry + 12)
      let bits: Int
      do throws(BitmapError) {
        // Directories often leave the bits out, and in a cursor's the field is a place.
        bits = try isPNG(source, at: offset) ? 32 : source.word(offset + 14)
      } catch {
        // A place outside the file matters only if it is the largest picture's.
        bits = 0
      }
      if area > best.area || bits > best.bits {
        best = (area, bits, offset, try source.double(entry + 8))
      }
    }
    guard best.area > 0 else { throw BitmapError(reason: "has no picture in it") }
    guard try isPNG(source, at: best.offset) else {
      return .bitmap(
        try BMPDecoder.decodeIcon(source, at: best.offset, maximumPixels: maximumPixels))
    }
    guard best.offset + best.length <= file.count else { throw .cutOff }
    return .png((best.offset..<best.offset + best.length).map { file[$0] })
  }

  private static func isPNG(
    _ source: borrowing LittleEndian, at offset: Int
  ) throws(BitmapError) -> Bool {
    try source.double(offset) == 0x474E_5089
  }
}
