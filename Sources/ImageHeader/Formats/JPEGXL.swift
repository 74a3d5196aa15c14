/// JPEG XL (ISO/IEC 18181-1 and -2): bare code streams, and code streams in boxes, whole (`jxlc`)
/// or in parts (`jxlp`) of any length.
enum JPEGXLHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    var bits = BitReader(try CodeStream(file))
    // The signature FF 0A, as bits from the lowest up.
    guard try bits.take(file, 16) == 0x0AFF else {
      throw .malformed("its code stream has no signature")
    }
    return try metadata(file, &bits)
  }

  /// SizeHeader and ImageMetadata up to the extra channels (18181-1, annexes B and D).
  private static func metadata(
    _ file: borrowing HeaderView, _ bits: inout BitReader
  ) throws(HeaderStop) -> ImageHeader {
    let size = try size(file, &bits)
    var header = ImageHeader(format: .jxl, pixelWidth: size.width, pixelHeight: size.height)
    if try bits.take(file, 1) == 1 { return header }  // all_default
    if try bits.take(file, 1) == 1 {  // extra_fields
      header.orientation = Orientation(rawValue: try bits.take(file, 3) + 1) ?? .upright
      if try bits.take(file, 1) == 1 { _ = try self.size(file, &bits) }  // intrinsic_size
      if try bits.take(file, 1) == 1 { try skipPreview(file, &bits) }
      header.isAnimated = try bits.take(file, 1) == 1
      if header.isAnimated == true { try skipAnimation(file, &bits) }
    }
    header.bitsPerChannel = try depth(file, &bits)
    _ = try bits.take(file, 1)  // modular_16bit_buffers
    let extra = try bits.number(file, [(0, 0), (1, 0), (2, 4), (1, 12)])
    for _ in 0..<extra where !header.hasAlpha {
      header.hasAlpha = try isAlpha(file, &bits)
    }
    return header
  }

  /// ExtraChannelInfo: whether the channel is alpha. If it is not, the next one begins behind it.
  private static func isAlpha(
    _ file: borrowing HeaderView, _ bits: inout BitReader
  ) throws(HeaderStop) -> Bool {
    // all_default means an 8-bit alpha channel.
    if try bits.take(file, 1) == 1 { return true }
    let type = try bits.number(file, [(0, 0), (1, 0), (2, 4), (18, 6)])
    if type == 0 { return true }
    _ = try depth(file, &bits)
    _ = try bits.number(file, [(0, 0), (3, 0), (4, 0), (1, 3)])  // dim_shift
    for _ in 0..<(try bits.number(file, [(0, 0), (0, 4), (16, 5), (48, 10)])) {  // name
      _ = try bits.take(file, 8)
    }
    if type == 2 { _ = try bits.take(file, 64) }  // the colour of a spot: four halves
    if type == 5 { _ = try bits.number(file, [(1, 0), (0, 2), (3, 4), (19, 8)]) }  // cfa_channel
    return false
  }

  /// BitDepth: integer samples, or floating point ones with the bits of their exponent.
  private static func depth(
    _ file: borrowing HeaderView, _ bits: inout BitReader
  ) throws(HeaderStop) -> Int {
    if try bits.take(file, 1) == 0 {
      return try bits.number(file, [(8, 0), (10, 0), (12, 0), (1, 6)])
    }
    let depth = try bits.number(file, [(32, 0), (16, 0), (24, 0), (1, 6)])
    _ = try bits.take(file, 4)  // exp_bits
    return depth
  }

  /// PreviewHeader: a size of its own.
  private static func skipPreview(
    _ file: borrowing HeaderView, _ bits: inout BitReader
  ) throws(HeaderStop) {
    let side: [(Int, Int)] =
      try bits.take(file, 1) == 1
      ? [(16, 0), (32, 0), (1, 5), (33, 9)] : [(1, 6), (65, 8), (321, 10), (1345, 12)]
    _ = try bits.number(file, side)
    if try bits.take(file, 3) == 0 { _ = try bits.number(file, side) }
  }

  /// AnimationHeader: ticks per second (two numbers), loops, and whether frames have time codes.
  private static func skipAnimation(
    _ file: borrowing HeaderView, _ bits: inout BitReader
  ) throws(HeaderStop) {
    _ = try bits.number(file, [(100, 0), (1000, 0), (1, 10), (1, 30)])
    _ = try bits.number(file, [(1, 0), (1001, 0), (1, 8), (1, 10)])
    _ = try bits.number(file, [(0, 0), (0, 3), (0, 16), (0, 32)])
    _ = try bits.take(file, 1)
  }

  /// SizeHeader: the height, and the width as a ratio of it or as a number of its own.
  private static func size(
    _ file: borrowing HeaderView, _ bits: inout BitReader
  ) throws(HeaderStop) -> (width: Int, height: Int) {
    let isSmall = try bits.take(file, 1) == 1
    let height = try side(file, &bits, isSmall: isSmall)
    switch try bits.take(file, 3) {
    case 0: return (try side(file, &bits, isSmall: isSmall), height)
    // The fixed ratios of SizeHeader. The width is rounded down, as in libjxl.
    case 1: return (height, height)
    case 2: return (height * 12 / 10, height)
    case 3: return (height * 4 / 3, height)
    case 4: return (height * 3 / 2, height)
    case 5: return (height * 16 / 9, height)
    case 6: return (height * 5 / 4, height)
    default: return (height * 2, height)
    }
  }

  /// A side: a multiple of 8 up to 256, or a number of 9, 13, 18 or 30 bits.
  private static func side(
    _ file: borrowing HeaderView, _ bits: inout BitReader, isSmall: Bool
  ) throws(HeaderStop) -> Int {
    isSmall
      ? (try bits.take(file, 5) + 1) * 8
      : try bits.number(file, [(1, 9), (1, 13), (1, 18), (1, 30)])
  }
}

/// Locates the bytes of a code stream in a file: all of it, or the contents of its boxes.
private struct CodeStream {
  /// Nil if the file has no boxes.
  private var walk: BoxWalk?
  private var part: (start: Int, end: Int?)?
  /// The number of bytes of the code stream before this part.
  private var before = 0

  init(_ file: borrowing HeaderView) throws(HeaderStop) {
    if try file.big16(0) == 0xFF0A {
      part = (0, nil)
    } else {
      // After the signature box.
      walk = BoxWalk(from: 12, to: nil)
    }
  }

  /// A byte of the code stream. Indices must not decrease from call to call.
  mutating func byte(_ file: borrowing HeaderView, _ index: Int) throws(HeaderStop) -> Int {
    while true {
      if let part {
        let place = part.start + index - before
        if place < part.end ?? .max { return try file.byte(place) }
        before += (part.end ?? place) - part.start
      }
      guard let next = try nextPart(file) else { throw .malformed("it has no code stream") }
      part = next
    }
  }

  private mutating func nextPart(
    _ file: borrowing HeaderView
  ) throws(HeaderStop) -> (start: Int, end: Int?)? {
    while let box = try walk?.next(file) {
      if box.type == Box.type("jxlc") { return (box.start, box.end) }
      // A part begins with its index, four bytes.
      if box.type == Box.type("jxlp") {
        // A part of less than four bytes would end before it begins.
        return (box.start + 4, box.end.map { max($0, box.start + 4) })
      }
    }
    return nil
  }
}

/// Reads bits from the lowest up.
private struct BitReader {
  private var stream: CodeStream
  private var position = 0

  init(_ stream: CodeStream) { self.stream = stream }

  mutating func take(_ file: borrowing HeaderView, _ count: Int) throws(HeaderStop) -> Int {
    var value = 0
    for index in 0..<count {
      let byte = try stream.byte(file, position / 8)
      value |= (byte >> (position % 8) & 1) << index
      position += 1
    }
    return value
  }

  /// A number of type U32 (18181-1): two bits choose a base and how many bits to add to it.
  mutating func number(
    _ file: borrowing HeaderView, _ choices: [(base: Int, bits: Int)]
  ) throws(HeaderStop) -> Int {
    let choice = choices[try take(file, 2)]
    return try choice.base + take(file, choice.bits)
  }
}
