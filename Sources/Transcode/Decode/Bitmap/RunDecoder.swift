/// Decodes run-length coded bitmaps (BI_RLE8, BI_RLE4). Pixels that no run covers get the palette's
/// first colour.
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
    for pixel in 0..<header.width * header.height { set(0, at: pixel, in: &bitmap) }
    var place = start
    while true {
      let (count, value) = (try source.byte(place), try source.byte(place + 1))
      place += 2
      if count > 0 {
        for index in 0..<count {
          put(isFour ? (index % 2 == 0 ? value >> 4 : value & 15) : value, in: &bitmap)
        }
        continue
      }
      // A count of 0 escapes: end of row, end of bitmap, a move, or that many pixels one by one.
      switch value {
      case 0: (x, y) = (0, y + 1)
      case 1: return bitmap
      case 2:
        x += try source.byte(place)
        y += try source.byte(place + 1)
        place += 2
      default: place += try copy(value, source, at: place, in: &bitmap)
      }
    }
  }

  /// Whether an index has four bits.
  private var isFour: Bool { header.compression == .runs4 }

  /// Copies pixels that are stored one by one.
  ///
  /// - Returns: how many bytes they take; always an even number.
  private mutating func copy(
    _ count: Int, _ source: borrowing LittleEndian, at place: Int, in bitmap: inout Bitmap
  ) throws(BitmapError) -> Int {
    for index in 0..<count {
      let byte = try source.byte(place + (isFour ? index / 2 : index))
      put(isFour ? (index % 2 == 0 ? byte >> 4 : byte & 15) : byte, in: &bitmap)
    }
    let length = isFour ? (count + 1) / 2 : count
    return length + length % 2
  }

  /// Sets the next pixel. Pixels outside the image are dropped.
  private mutating func put(_ index: Int, in bitmap: inout Bitmap) {
    if x < header.width && y < header.height {
      set(index, at: header.offset(ofRow: y, bands: 1) + x, in: &bitmap)
    }
    x += 1
  }

  private func set(_ index: Int, at pixel: Int, in bitmap: inout Bitmap) {
    guard index * 3 + 2 < palette.count else { return }
    for channel in 0..<3 { bitmap.samples[pixel * 3 + channel] = palette[index * 3 + channel] }
  }
}
