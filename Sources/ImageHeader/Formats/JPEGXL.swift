/// JPEG XL (ISO/IEC 18181-1 and -2): bare code streams, and those in boxes, whole (`jxlc`) or in
/// parts (`jxlp`).
enum JPEGXLHeader {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    if try file.big16(0) == 0xFF0A { return try codeStream(file, at: 2) }
    var walk = BoxWalk(from: 12, to: nil)
    while let box = try walk.next(file) {
      let start: Int
      if box.type == Box.type("jxlc") {
        start = box.start
      } else if box.type == Box.type("jxlp") {
        start = box.start + 4  // the part's number
      } else {
        continue
      }
      guard try file.big16(start) == 0xFF0A else {
        throw .malformed("its code stream has no start")
      }
      return try codeStream(file, at: start + 2)
    }
    throw .malformed("it has no code stream")
  }

  /// SizeHeader and the beginning of ImageMetadata (18181-1, annex D), bits from the lowest up.
  private static func codeStream(
    _ file: borrowing HeaderView, at offset: Int
  ) throws(HeaderStop) -> ImageHeader {
    var bits = Bits(offset: offset)
    let size = try size(file, &bits)
    var header = ImageHeader(format: .jxl, pixelWidth: size.width, pixelHeight: size.height)
    if try bits.take(file, 1) == 1 { return header }  // all default
    var hasPreview = false
    if try bits.take(file, 1) == 1 {  // extra fields
      header.orientation = Orientation(rawValue: try bits.take(file, 3) + 1) ?? .upright
      if try bits.take(file, 1) == 1 { _ = try self.size(file, &bits) }  // the intrinsic size
      hasPreview = try bits.take(file, 1) == 1
      if !hasPreview { header.isAnimated = try bits.take(file, 1) == 1 }
    }
    // Behind a preview or an animation the fields are no longer at hand in a few bits; size and
    // orientation are what matters.
    guard !hasPreview, header.isAnimated != true else { return header }
    let isFloat = try bits.take(file, 1) == 1
    let choice = try bits.take(file, 2)
    let depth: Int
    if choice < 3 {
      depth = isFloat ? [32, 16, 24][choice] : [8, 10, 12][choice]
    } else {
      depth = try bits.take(file, 6) + 1
    }
    if isFloat { _ = try bits.take(file, 4) }  // bits of the exponent
    header.bitsPerChannel = depth
    _ = try bits.take(file, 1)  // modular 16-bit buffers
    // Extra channels: 0, 1, 2 + 4 bits, 1 + 12 bits. The first is alpha where its type is 0.
    var extra = try bits.take(file, 2)
    if extra == 2 {
      extra = 2 + (try bits.take(file, 4))
    } else if extra == 3 {
      extra = 1 + (try bits.take(file, 12))
    }
    if extra > 0 {
      // All default means an 8-bit alpha channel.
      if try bits.take(file, 1) == 1 {
        header.hasAlpha = true
      } else {
        header.hasAlpha = try bits.take(file, 2) == 0
      }
    }
    return header
  }

  /// SizeHeader: the height, and the width as a ratio of it or by itself.
  private static func size(
    _ file: borrowing HeaderView, _ bits: inout Bits
  ) throws(HeaderStop) -> (width: Int, height: Int) {
    let isSmall = try bits.take(file, 1) == 1
    let height = try side(file, &bits, isSmall: isSmall)
    switch try bits.take(file, 3) {
    case 0: return (try side(file, &bits, isSmall: isSmall), height)
    case 1: return (height, height)
    case 2: return (height * 12 / 10, height)
    case 3: return (height * 4 / 3, height)
    case 4: return (height * 3 / 2, height)
    case 5: return (height * 16 / 9, height)
    case 6: return (height * 5 / 4, height)
    default: return (height * 2, height)
    }
  }

  /// A side: eighths up to 256, or a number of 9, 13, 18 or 30 bits.
  private static func side(
    _ file: borrowing HeaderView, _ bits: inout Bits, isSmall: Bool
  ) throws(HeaderStop) -> Int {
    if isSmall { return (try bits.take(file, 5) + 1) * 8 }
    let lengths = [9, 13, 18, 30]
    return try bits.take(file, lengths[try bits.take(file, 2)]) + 1
  }

  private struct Bits {
    var offset: Int
    var position = 0

    mutating func take(_ file: borrowing HeaderView, _ count: Int) throws(HeaderStop) -> Int {
      var value = 0
      for index in 0..<count {
        let byte = try file.byte(offset + position / 8)
        value |= (byte >> (position % 8) & 1) << index
        position += 1
      }
      return value
    }
  }
}
