/// Finds the image that represents an icon or cursor: the largest one by its directory and, among
/// equally large ones, the one with the most colours. As in the header reader, a side of 0 means
/// 256, unless the image itself says otherwise.
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
    let best = try largestEntry(source)
    guard best.area > 0 else { throw BitmapError(reason: "contains no image") }
    guard try isPNG(source, at: best.offset) else {
      return .bitmap(
        try BMPDecoder.decodeIcon(source, at: best.offset, maximumPixels: maximumPixels))
    }
    guard best.offset + best.length <= file.count else { throw .cutOff }
    return .png((best.offset..<best.offset + best.length).map { file[$0] })
  }

  private struct Entry {
    var area = 0
    var bits = 0
    var offset = 0
    var length = 0
  }

  private static func largestEntry(
    _ source: borrowing LittleEndian
  ) throws(BitmapError) -> Entry {
    var best = Entry()
    for index in 0..<(try source.word(4)) {
      let entry = 6 + index * 16
      let (width, height) = (try source.byte(entry), try source.byte(entry + 1))
      let offset = try source.double(entry + 12)
      var area = (width == 0 ? 256 : width) * (height == 0 ? 256 : height)
      if width == 0 || height == 0 { area = (try? ownArea(source, at: offset)) ?? area }
      guard area >= best.area else { continue }
      let bits: Int
      do throws(BitmapError) {
        // Read from the image, because directories often omit the bits, and in a cursor's directory
        // the field is the hotspot.
        bits = try isPNG(source, at: offset) ? 32 : source.word(offset + 14)
      } catch {
        // An offset outside the file is an error only if it is the largest image's.
        bits = 0
      }
      if area > best.area || bits > best.bits {
        best = Entry(
          area: area, bits: bits, offset: offset, length: try source.double(entry + 8))
      }
    }
    return best
  }

  /// Of a PNG, or of a bitmap with its mask below it.
  private static func ownArea(
    _ source: borrowing LittleEndian, at offset: Int
  ) throws(BitmapError) -> Int? {
    if try isPNG(source, at: offset) {
      // The upper halves of sides in an icon are 0.
      func side(_ place: Int) throws(BitmapError) -> Int {
        try source.byte(place) << 8 | source.byte(place + 1)
      }
      return try side(offset + 18) * side(offset + 22)
    }
    let (width, rows) = (try source.signed(offset + 4), try source.signed(offset + 8))
    let sides = 1...256
    return sides.contains(width) && sides.contains(abs(rows) / 2) ? width * (abs(rows) / 2) : nil
  }

  private static func isPNG(
    _ source: borrowing LittleEndian, at offset: Int
  ) throws(BitmapError) -> Bool {
    // The first four bytes of a PNG file, 89 "PNG".
    try source.double(offset) == 0x474E_5089
  }
}
