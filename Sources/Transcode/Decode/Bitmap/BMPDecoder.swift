/// Decodes device-independent bitmaps as Microsoft's documentation of BITMAPINFOHEADER and its
/// relatives describes them: the versions of OS/2 and Windows, 1 to 32 bits per pixel, run-length
/// coded or in bit fields.
enum BMPDecoder {
  /// Decodes a whole BMP file.
  ///
  /// - Parameter maximumPixels: larger bitmaps are rejected before memory is allocated.
  static func decode(
    _ file: Span<UInt8>, maximumPixels: Int
  ) throws(BitmapError) -> Bitmap {
    let source = LittleEndian(file)
    guard try source.word(0) == 0x4D42 else { throw BitmapError(reason: "is not a BMP file") }
    let header = try DIBHeader(source, at: 14, isInIcon: false)
    var pixels = try source.double(10)
    // Some writers omit the palette from the offset of the pixels.
    if pixels == header.paletteStart { pixels = header.paletteEnd }
    var bitmap = try decode(source, header, pixels: pixels, maximumPixels: maximumPixels)
    bitmap.profile = try header.profile(source)
    return bitmap
  }

  /// Decodes a bitmap in an icon. Its header states twice the height, because a mask of one bit per
  /// pixel follows the image.
  static func decodeIcon(
    _ source: borrowing LittleEndian, at start: Int, maximumPixels: Int
  ) throws(BitmapError) -> Bitmap {
    let header = try DIBHeader(source, at: start, isInIcon: true)
    let pixels = header.paletteEnd
    var bitmap = try decode(source, header, pixels: pixels, maximumPixels: maximumPixels)
    // With 32 bits per pixel there is an alpha channel; if it is unused, as in old icons, the mask
    // applies.
    let hasAlpha =
      bitmap.bands == 4
      && stride(from: 3, to: bitmap.samples.count, by: 4).contains {
        bitmap.samples[$0] != 255
      }
    if !hasAlpha {
      let maskStart = pixels + header.stride * header.height
      do throws(BitmapError) {
        try bitmap.mask(with: source, at: maskStart, isUpsideDown: !header.isTopDown)
      } catch {
        // With 32 bits per pixel, some writers omit the mask.
        if header.bits != 32 { throw error }
      }
    }
    return bitmap
  }

  private static func decode(
    _ source: borrowing LittleEndian, _ header: DIBHeader, pixels: Int, maximumPixels: Int
  ) throws(BitmapError) -> Bitmap {
    guard header.width * header.height <= maximumPixels else {
      throw BitmapError(reason: "has \(header.width) x \(header.height) pixels")
    }
    let palette = try header.palette(source)
    switch header.compression {
    case .runs8, .runs4, .runs24:
      var runs = RunDecoder(header: header, palette: palette)
      return try runs.decode(source, at: pixels)
    default:
      // Checked before memory is allocated: a short file must not cost more memory than it has
      // bytes.
      guard header.stride * header.height <= source.bytes.count - pixels else { throw .cutOff }
      return try header.bits <= 8
        ? indexed(source, header, palette, pixels) : direct(source, header, pixels)
    }
  }

  /// 1, 2, 4 or 8 bits per pixel, as indices of a palette. An index beyond the palette is black.
  private static func indexed(
    _ source: borrowing LittleEndian, _ header: DIBHeader, _ palette: [UInt8], _ pixels: Int
  ) throws(BitmapError) -> Bitmap {
    var bitmap = try header.emptyBitmap(bands: 3)
    let (bits, mask) = (header.bits, 1 << header.bits - 1)
    for row in 0..<header.height {
      let start = pixels + row * header.stride
      var target = header.offset(ofRow: row, bands: 3)
      for x in 0..<header.width {
        let byte = Int(source.bytes[start + x * bits / 8])
        let index = (byte >> (8 - bits - x * bits % 8)) & mask
        if index * 3 + 2 < palette.count {
          for channel in 0..<3 { bitmap.samples[target + channel] = palette[index * 3 + channel] }
        }
        target += 3
      }
    }
    return bitmap
  }

  /// 16, 24 or 32 bits per pixel, in bit fields.
  private static func direct(
    _ source: borrowing LittleEndian, _ header: DIBHeader, _ pixels: Int
  ) throws(BitmapError) -> Bitmap {
    let fields = try header.fields(source)
    let bands = fields[3].mask == 0 ? 3 : 4
    var bitmap = try header.emptyBitmap(bands: bands)
    let step = header.bits / 8
    for row in 0..<header.height {
      var place = pixels + row * header.stride
      var target = header.offset(ofRow: row, bands: bands)
      for _ in 0..<header.width {
        var value = 0
        for index in 0..<step { value |= Int(source.bytes[place + index]) << (8 * index) }
        for band in 0..<bands { bitmap.samples[target + band] = fields[band].sample(of: value) }
        place += step
        target += bands
      }
    }
    // Many writers leave the fourth byte zero, and mean an opaque image; a mask is meant.
    if bands == 4, !header.hasMasks,
      stride(from: 3, to: bitmap.samples.count, by: 4).allSatisfy({ bitmap.samples[$0] == 0 })
    {
      for index in stride(from: 3, to: bitmap.samples.count, by: 4) { bitmap.samples[index] = 255 }
    }
    return bitmap
  }
}

extension Bitmap {
  /// Adds an icon's mask as alpha: a set bit means transparent.
  fileprivate mutating func mask(
    with source: borrowing LittleEndian, at start: Int, isUpsideDown: Bool
  ) throws(BitmapError) {
    let stride = (width + 31) / 32 * 4
    guard stride * height <= source.bytes.count - start else { throw .cutOff }
    var masked = [UInt8](repeating: 255, count: width * height * 4)
    for y in 0..<height {
      let row = start + (isUpsideDown ? height - 1 - y : y) * stride
      for x in 0..<width {
        let (from, to) = ((y * width + x) * bands, (y * width + x) * 4)
        for channel in 0..<3 { masked[to + channel] = samples[from + channel] }
        if source.bytes[row + x / 8] >> (7 - x % 8) & 1 == 1 { masked[to + 3] = 0 }
      }
    }
    samples = masked
    bands = 4
  }
}

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

/// The pixels of a Windows bitmap, decoded by this module: libvips would read them through
/// ImageMagick, which must never see untrusted bytes.
struct Bitmap {
  var width: Int
  var height: Int
  /// 3 (red, green, blue) or 4 (with alpha, not premultiplied).
  var bands: Int
  /// Rows from top to bottom, without padding.
  var samples: [UInt8]
  /// An ICC profile; empty if there is none.
  var profile: [UInt8] = []
}

/// Why a bitmap cannot be decoded.
struct BitmapError: Error {
  /// A predicate for "the file …".
  var reason: String

  static let cutOff = BitmapError(reason: "is truncated")
  static let outOfMemory = BitmapError(reason: "is too large: out of memory")
}

/// Little-endian numbers at offsets in a sequence of bytes; reading past the end is an error.
struct LittleEndian: ~Copyable, ~Escapable {
  let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  func byte(_ offset: Int) throws(BitmapError) -> Int {
    guard offset >= 0, offset < bytes.count else { throw .cutOff }
    return Int(bytes[offset])
  }

  /// 16 bits, unsigned.
  func word(_ offset: Int) throws(BitmapError) -> Int {
    try byte(offset) | byte(offset + 1) << 8
  }

  /// 32 bits, unsigned.
  func double(_ offset: Int) throws(BitmapError) -> Int {
    try word(offset) | word(offset + 2) << 16
  }

  /// 32 bits, signed.
  func signed(_ offset: Int) throws(BitmapError) -> Int {
    Int(Int32(truncatingIfNeeded: try double(offset)))
  }
}
