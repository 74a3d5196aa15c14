/// Decodes bitmaps of runs (BI_RLE8, BI_RLE4). What no run reaches has the palette's first colour.
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
    // A run has at most 255 pixels: what can't fill the picture is not worth its memory.
    guard header.width * header.height / 255 <= source.bytes.count else { throw .cutOff }
    var bitmap = try header.emptyBitmap(bands: 3)
    for pixel in 0..<header.width * header.height { set(0, at: pixel, in: &bitmap) }
    var place = start
    let isFour = header.compression == 2
    while true {
      let (count, value) = (try source.byte(place), try source.byte(place + 1))
      place += 2
      if count > 0 {
        for index in 0..<count {
          put(isFour ? (index % 2 == 0 ? value >> 4 : value & 15) : value, in: &bitmap)
        }
        continue
      }
      switch value {
      case 0:
        (x, y) = (0, y + 1)
      case 1: return bitmap
      case 2:
        x += try source.byte(place)
        y += try source.byte(place + 1)
        place += 2
      default:
        for index in 0..<value {
          let byte = try source.byte(place + (isFour ? index / 2 : index))
          put(isFour ? (index % 2 == 0 ? byte >> 4 : byte & 15) : byte, in: &bitmap)
        }
        // Each stretch of pixels fills whole words.
        let length = isFour ? (value + 1) / 2 : value
        place += length + length % 2
      }
    }
  }

  /// The next pixel. What is outside of the picture is not there.
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
