/// The header of a device-independent bitmap.
struct DIBHeader {
  var width: Int
  var height: Int
  var isTopDown: Bool
  /// A pixel's: 1, 2, 4, 8, 16, 24 or 32.
  var bits: Int
  /// 0 none, 1 and 2 runs, 3 and 6 bit fields.
  var compression: Int
  /// Where the palette begins, how many colours it has, and from one to the next how many bytes.
  var paletteStart: Int
  var paletteCount: Int
  var paletteStep: Int
  /// Where the masks of bit fields stand; nil where there are none.
  private var masks: Int?
  private var alphaMask: Int?
  private var isInIcon: Bool

  var paletteEnd: Int { paletteStart + paletteCount * paletteStep }

  /// Bytes of a row: a multiple of four.
  var stride: Int { (width * bits + 31) / 32 * 4 }

  init(
    _ source: borrowing LittleEndian, at start: Int, isInIcon: Bool
  ) throws(BitmapError) {
    let size = try source.double(start)
    let isOld = size == 12
    let rows: Int
    var colours = 0
    if isOld {
      (width, rows) = (try source.word(start + 4), try source.word(start + 6))
      bits = try source.word(start + 10)
      compression = 0
    } else {
      guard (16...256).contains(size) else {
        throw BitmapError(reason: "has an information header of \(size) bytes")
      }
      (width, rows) = (try source.signed(start + 4), try source.signed(start + 8))
      bits = try source.word(start + 14)
      // OS/2's second version may end its header behind any field.
      compression = size >= 20 ? try source.double(start + 16) : 0
      colours = size >= 36 ? try source.double(start + 32) : 0
    }
    isTopDown = rows < 0
    height = isInIcon ? abs(rows) / 2 : abs(rows)
    guard (1...1 << 20).contains(width), (1...1 << 20).contains(height) else {
      throw BitmapError(reason: "says that it has \(width) x \(height) pixels")
    }
    let isKnown =
      switch compression {
      case 0: [1, 2, 4, 8, 16, 24, 32].contains(bits)
      case 1: bits == 8
      case 2: bits == 4
      case 3, 6: bits == 16 || bits == 32
      default: false
      }
    guard isKnown else {
      throw BitmapError(reason: "has \(bits) bits a pixel in compression \(compression)")
    }
    // The masks of the first Windows version stand behind its header, those of later ones in it.
    let extra = size == 40 ? (compression == 3 ? 12 : compression == 6 ? 16 : 0) : 0
    masks = compression == 3 || compression == 6 ? start + 40 : nil
    alphaMask = compression == 6 || size >= 56 ? start + 52 : nil
    paletteStart = start + size + extra
    paletteStep = isOld ? 3 : 4
    paletteCount = bits > 8 ? 0 : min(1 << bits, colours == 0 ? 1 << bits : colours)
    self.isInIcon = isInIcon
  }

  /// Red, green and blue of each colour.
  func palette(_ source: borrowing LittleEndian) throws(BitmapError) -> [UInt8] {
    var palette: [UInt8] = []
    for index in 0..<paletteCount {
      let place = paletteStart + index * paletteStep
      for channel in [2, 1, 0] { palette.append(UInt8(try source.byte(place + channel))) }
    }
    return palette
  }

  /// Red, green, blue and alpha; a mask of 0 for alpha where there is none.
  func fields(_ source: borrowing LittleEndian) throws(BitmapError) -> [BitField] {
    var alpha = 0
    if let alphaMask, bits == 32 { alpha = try source.double(alphaMask) }
    if isInIcon && bits == 32 { alpha = 0xFF00_0000 }
    guard let masks else {
      return (bits == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF_0000, 0xFF00, 0xFF, alpha])
        .map { BitField(mask: $0) }
    }
    var fields: [BitField] = []
    for index in 0..<3 { fields.append(BitField(mask: try source.double(masks + index * 4))) }
    return fields + [BitField(mask: alpha)]
  }

  func emptyBitmap(bands: Int) throws(BitmapError) -> Bitmap {
    // Where Swift is refused memory the process ends. It is had twice: libvips takes a copy.
    guard AddressSpace.has(2 * width * height * bands) else { throw .outOfMemory }
    return Bitmap(
      width: width, height: height, bands: bands,
      samples: [UInt8](repeating: 0, count: width * height * bands))
  }

  /// Where the samples of a stored row go: most bitmaps begin with the lowest.
  func offset(ofRow row: Int, bands: Int) -> Int {
    (isTopDown ? row : height - 1 - row) * width * bands
  }
}
