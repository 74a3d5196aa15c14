/// The header of a device-independent bitmap.
struct DIBHeader {
  /// How pixels are stored.
  enum Compression {
    case uncompressed, runs8, runs4, runs24, bitFields, alphaBitFields

    /// By the number of Windows (BI_RGB, BI_RLE8…) or, where it is another one, of OS/2.
    init?(_ number: Int, isOfOS2: Bool) {
      switch number {
      case 0: self = .uncompressed
      case 1: self = .runs8
      case 2: self = .runs4
      case 3: self = .bitFields
      case 4 where isOfOS2: self = .runs24
      case 6: self = .alphaBitFields
      default: return nil
      }
    }
  }

  let width: Int
  let height: Int
  let isTopDown: Bool
  /// Per pixel: 1, 2, 4, 8, 16, 24 or 32.
  let bits: Int
  let compression: Compression
  /// The offset of the palette, its number of colours, and the bytes of each.
  let paletteStart: Int
  private let paletteCount: Int
  private let paletteStep: Int
  /// The offset of the masks of bit fields; nil if there are none.
  private let masks: Int?
  private let alphaMask: Int?
  private let isInIcon: Bool
  private let start: Int
  private let size: Int

  /// What all versions of the header state, in different places.
  private struct Fields {
    var width: Int
    /// Negative if the first stored row is the highest.
    var rows: Int
    var bits: Int
    var compression = 0
    /// 0 means as many colours as the bits allow.
    var colours = 0
  }

  init(
    _ source: borrowing LittleEndian, at start: Int, isInIcon: Bool
  ) throws(BitmapError) {
    let size = try source.double(start)
    let isOld = size == Self.oldSize
    let fields = try isOld ? Self.oldFields(source, start) : Self.fields(source, start, size)
    isTopDown = fields.rows < 0
    width = fields.width
    height = isInIcon ? abs(fields.rows) / 2 : abs(fields.rows)
    // Larger sides would overflow in products.
    guard (1...1 << 20).contains(width), (1...1 << 20).contains(height) else {
      throw BitmapError(reason: "states a size of \(width) x \(height) pixels")
    }
    bits = fields.bits
    compression = try Self.compression(fields, isOfOS2: Self.sizesOfOS2.contains(size))
    // The first Windows version has its masks after the header, later versions inside it.
    let extra = size == 40 ? [.bitFields: 12, .alphaBitFields: 16][compression] ?? 0 : 0
    let hasMasks = compression == .bitFields || compression == .alphaBitFields
    masks = hasMasks ? start + 40 : nil
    // BITMAPV3INFOHEADER, 56 bytes long, is the first version that has a mask for alpha.
    alphaMask = compression == .alphaBitFields || size >= 56 ? start + 52 : nil
    paletteStart = start + size + extra
    // OS/2's first version stores RGBTRIPLE; all others store RGBQUAD, whose fourth byte is unused.
    paletteStep = isOld ? 3 : 4
    let colours = fields.colours == 0 ? 1 << min(bits, 8) : fields.colours
    paletteCount = bits > 8 ? 0 : min(1 << bits, colours)
    self.isInIcon = isInIcon
    self.start = start
    self.size = size
  }

  /// The size of BITMAPCOREHEADER, the first version of OS/2.
  private static let oldSize = 12

  private static func oldFields(
    _ source: borrowing LittleEndian, _ start: Int
  ) throws(BitmapError) -> Fields {
    Fields(
      width: try source.word(start + 4), rows: try source.word(start + 6),
      bits: try source.word(start + 10))
  }

  private static func fields(
    _ source: borrowing LittleEndian, _ start: Int, _ size: Int
  ) throws(BitmapError) -> Fields {
    guard (16...256).contains(size) else {
      throw BitmapError(reason: "has an information header of \(size) bytes")
    }
    // The second version of OS/2 may end its header after any field.
    return Fields(
      width: try source.signed(start + 4), rows: try source.signed(start + 8),
      bits: try source.word(start + 14),
      compression: size >= 20 ? try source.double(start + 16) : 0,
      colours: size >= 36 ? try source.double(start + 32) : 0)
  }

  /// The second version of OS/2 has a header of its own; the size of 40 is that of Windows, too.
  private static let sizesOfOS2 = [16, 24, 48, 64]

  private static func compression(
    _ fields: Fields, isOfOS2: Bool
  ) throws(BitmapError) -> Compression {
    let compression = Compression(fields.compression, isOfOS2: isOfOS2)
    let isSupported =
      switch compression {
      case .uncompressed: [1, 2, 4, 8, 16, 24, 32].contains(fields.bits)
      case .runs8: fields.bits == 8
      case .runs4: fields.bits == 4
      case .runs24: fields.bits == 24
      case .bitFields, .alphaBitFields: fields.bits == 16 || fields.bits == 32
      case nil: false
      }
    guard let compression, isSupported else {
      throw BitmapError(
        reason: "has \(fields.bits) bits per pixel in compression \(fields.compression)")
    }
    return compression
  }
}

// MARK: What follows the header

extension DIBHeader {
  var paletteEnd: Int { paletteStart + paletteCount * paletteStep }

  /// The bytes of a row: a multiple of four.
  var stride: Int { (width * bits + 31) / 32 * 4 }

  /// Red, green and blue of each colour.
  func palette(_ source: borrowing LittleEndian) throws(BitmapError) -> [UInt8] {
    var palette: [UInt8] = []
    for index in 0..<paletteCount {
      let place = paletteStart + index * paletteStep
      // Stored as blue, green, red.
      for channel in [2, 1, 0] { palette.append(UInt8(try source.byte(place + channel))) }
    }
    return palette
  }

  /// The fields of red, green, blue and alpha; the mask of alpha is 0 without an alpha channel.
  func fields(_ source: borrowing LittleEndian) throws(BitmapError) -> [BitField] {
    var alpha = 0
    if let alphaMask, bits == 32 || hasMasks { alpha = try source.double(alphaMask) }
    // In an icon, 32 bits per pixel include alpha, although the header declares no mask for it.
    if isInIcon && bits == 32 { alpha = 0xFF00_0000 }
    guard let masks else {
      // Without masks (BI_RGB), 16 bits per pixel are five for each colour.
      return (bits == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF_0000, 0xFF00, 0xFF, alpha])
        .map { BitField(mask: $0) }
    }
    var fields: [BitField] = []
    for index in 0..<3 { fields.append(BitField(mask: try source.double(masks + index * 4))) }
    return fields + [BitField(mask: alpha)]
  }

  /// Whether the header says which bits are alpha.
  var hasMasks: Bool { masks != nil }

  /// The ICC profile in the file, which the fifth version may have; empty if there is none, or it is elsewhere.
  func profile(_ source: borrowing LittleEndian) throws(BitmapError) -> [UInt8] {
    guard size >= 124, try source.double(start + 56) == Self.embedded else { return [] }
    let (place, length) = (
      try source.double(start + 112) + start, try source.double(start + 116)
    )
    guard length > 0, place >= 0, place <= source.bytes.count - length else { return [] }
    return (place..<place + length).map { source.bytes[$0] }
  }

  /// `PROFILE_EMBEDDED`: "MBED".
  private static let embedded = 0x4D42_4544

  func emptyBitmap(bands: Int) throws(BitmapError) -> Bitmap {
    // A failed allocation ends a Swift process, so the memory is tested first; twice the size,
    // because libvips makes a copy.
    guard AddressSpace.has(2 * width * height * bands) else { throw .outOfMemory }
    return Bitmap(
      width: width, height: height, bands: bands,
      samples: [UInt8](repeating: 0, count: width * height * bands))
  }

  /// The index of a stored row's first sample: most bitmaps begin with the lowest row.
  func offset(ofRow row: Int, bands: Int) -> Int {
    (isTopDown ? row : height - 1 - row) * width * bands
  }
}

/// A bit field of a pixel, such as the five bits of red in 16 bits.
struct BitField {
  /// The bits of the field; 0 if the pixel does not have it.
  let mask: Int
  private let shift: Int
  private let largest: Int

  init(mask: Int) {
    self.mask = mask
    shift = mask == 0 ? 0 : mask.trailingZeroBitCount
    largest = max(1, mask >> shift)
  }

  /// The field's value in a pixel, scaled to 0 to 255.
  func sample(of value: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (((value & mask) >> shift) * 255 + largest / 2) / largest)
  }
}
