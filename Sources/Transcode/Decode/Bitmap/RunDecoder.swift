/// Decodes run-length coded bitmaps (BI_RLE8, BI_RLE4, and OS/2's with 24 bits). Pixels that no run covers are black, as
/// in browsers.
struct RunDecoder {
  let header: DIBHeader
  /// Red, green and blue of each colour.
  let palette: [UInt8]
  private var x = 0
  private var y = 0

  init(header: DIBHeader, palette: [UInt8]) {
    self.header = header
    self.palette = palette
  }

  mutating func decode(
    _ source: borrowing LittleEndian, at start: Int
  ) throws(BitmapError) -> Bitmap {
    // A run has at most 255 pixels: a file that is too short to fill the image must not cost its
    // memory.
    guard header.width * header.height / 255 <= source.bytes.count else { throw .cutOff }
    var bitmap = try header.emptyBitmap(bands: 3)
    var place = start
    while true {
      let (count, value) = (try source.byte(place), try source.byte(place + 1))
      if count > 0 {
        // Of a run one pixel is stored; in four bits two, which take turns.
        for index in 0..<count {
          put(try pixel(header.bits == 4 ? index % 2 : 0, of: source, at: place + 1), in: &bitmap)
        }
        place += 1 + max(1, header.bits / 8)
        continue
      }
      place += 2
      // A count of 0 escapes: end of row, end of bitmap, a move, or that many pixels one by one.
      switch value {
      case 0: (x, y) = (0, y + 1)
      case 1: return bitmap
      case 2:
        x += try source.byte(place)
        y += try source.byte(place + 1)
        place += 2
      default:
        for index in 0..<value { put(try pixel(index, of: source, at: place), in: &bitmap) }
        // An even number of bytes.
        let length = (value * header.bits + 7) / 8
        place += length + length % 2
      }
    }
  }

  /// One of the pixels that are stored from a place on: an index, or blue, green and red.
  private func pixel(
    _ number: Int, of source: borrowing LittleEndian, at place: Int
  ) throws(BitmapError) -> Int {
    switch header.bits {
    case 4:
      let byte = try source.byte(place + number / 2)
      return number % 2 == 0 ? byte >> 4 : byte & 15
    case 8: return try source.byte(place + number)
    default:
      let start = place + number * 3
      let colours = (try source.byte(start), try source.byte(start + 1), try source.byte(start + 2))
      return colours.0 | colours.1 << 8 | colours.2 << 16
    }
  }

  /// Sets the next pixel. Pixels outside the image are dropped; an index beyond the palette is black.
  private mutating func put(_ pixel: Int, in bitmap: inout Bitmap) {
    defer { x += 1 }
    guard x < header.width, y < header.height else { return }
    let place = header.offset(ofRow: y, bands: 3) + x * 3
    if header.bits == 24 {
      for channel in 0..<3 {
        bitmap.samples[place + channel] = UInt8(truncatingIfNeeded: pixel >> (16 - 8 * channel))
      }
    } else if pixel * 3 + 2 < palette.count {
      for channel in 0..<3 { bitmap.samples[place + channel] = palette[pixel * 3 + channel] }
    }
  }
}
