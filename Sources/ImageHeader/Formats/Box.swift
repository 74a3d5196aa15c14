/// A box of the ISO base media file format (ISO/IEC 14496-12, section 4.2). JPEG 2000 and JPEG XL
/// use the same boxes.
struct Box {
  /// Four characters, as a big-endian number.
  var type: Int
  /// Where the content begins, after length and type.
  var start: Int
  /// Where the box ends; nil means at the end of the file.
  var end: Int?

  /// Reads the head of the box at an offset.
  init(_ file: borrowing HeaderView, at offset: Int) throws(HeaderStop) {
    let length = try file.big32(offset)
    type = try file.big32(offset + 4)
    switch length {
    case 0:  // to the end of the file
      start = offset + 8
      end = nil
    case 1:  // a 64-bit length follows the type
      let long = try file.big64(offset + 8)
      // The length counts the head of the box, too. With a smaller one the box would end within its
      // head.
      guard long >= 16 else { throw .malformed("a box is \(long) bytes long") }
      start = offset + 16
      end = offset + long
    default:
      guard length >= 8 else { throw .malformed("a box is \(length) bytes long") }
      start = offset + 8
      end = offset + length
    }
  }

  /// The number that four characters make in a file.
  static func type(_ name: StaticString) -> Int {
    name.withUTF8Buffer { bytes in
      var value = 0
      for index in 0..<4 { value = unsafe value << 8 | Int(bytes[index]) }
      return value
    }
  }
}

/// Walks the boxes of a range by their lengths, within the ceilings of ``HeaderLimits``.
struct BoxWalk {
  private var offset: Int
  private let end: Int?
  private var steps = 0
  /// Whether the last box extends to the end of the file.
  private var isAtEnd = false

  /// - Parameter end: nil means the end of the file.
  init(from offset: Int, to end: Int?) {
    self.offset = offset
    self.end = end
  }

  /// The next box, or nil at the end of the range.
  mutating func next(_ file: borrowing HeaderView) throws(HeaderStop) -> Box? {
    if isAtEnd { return nil }
    if let end, offset + 8 > end { return nil }
    steps += 1
    guard steps <= HeaderLimits.steps else { throw .malformed("it has too many boxes") }
    var box: Box
    do throws(HeaderStop) {
      box = try Box(file, at: offset)
    } catch {
      // At the top level the file may end after any box.
      if error == .ended, end == nil { return nil }
      throw error
    }
    if let end {
      // Otherwise a crafted child would be read from bytes that belong to other boxes.
      guard box.end ?? end <= end else { throw .malformed("a box is longer than its parent") }
      box.end = box.end ?? end
    }
    guard let next = box.end else {
      isAtEnd = true
      return box
    }
    offset = next
    return box
  }
}

/// The result of several rotations and mirrorings: whether the image is mirrored first, and then
/// turned by how many quarters to the left.
struct QuarterTurn {
  private var quarters = 0
  private var isMirrored = false

  mutating func rotate(_ count: Int) { quarters = (quarters + count) % 4 }

  /// - Parameter axis: 0 is vertical (left and right change places), 1 is horizontal.
  mutating func mirror(_ axis: Int) {
    // To mirror after a turn is to mirror first and then turn the other way. The horizontal axis
    // mirrors like the vertical one and a half turn.
    quarters = (4 - quarters + (axis == 1 ? 2 : 0)) % 4
    isMirrored.toggle()
  }

  var orientation: Orientation {
    switch (isMirrored, quarters) {
    case (false, 0): .upright
    case (false, 1): .turnedLeft
    case (false, 2): .upsideDown
    case (false, _): .turnedRight
    case (true, 0): .mirrored
    case (true, 1): .mirroredTurnedLeft
    case (true, 2): .mirroredUpsideDown
    case (true, _): .mirroredTurnedRight
    }
  }
}

/// The part of an image that is displayed (`clap`; ISO/IEC 14496-12, section 12.1.4), in whole
/// pixels as libheif rounds it.
struct CleanAperture {
  /// Width and height of the part, and how far its centre is to the right of and below the image's:
  /// numerators and denominators.
  private var width: (Int, Int)
  private var height: (Int, Int)
  private var right: (Int, Int)
  private var down: (Int, Int)

  /// Nil if a denominator is 0, or if a number is larger than any image.
  init?(_ file: borrowing HeaderView, at offset: Int) throws(HeaderStop) {
    func fraction(_ index: Int, _ file: borrowing HeaderView) throws(HeaderStop) -> (Int, Int) {
      let number = try Int(Int32(truncatingIfNeeded: file.big32(offset + index * 8)))
      return (number, try file.big32(offset + index * 8 + 4))
    }
    width = try fraction(0, file)
    height = try fraction(1, file)
    right = try fraction(2, file)
    down = try fraction(3, file)
    // Numerators may be larger than sides: a crop of 2,237 pixels over the denominator 60,000 has
    // one above 2^27.
    let isPossible = [width, height, right, down].allSatisfy { number, denominator in
      (1...0xFFFF).contains(denominator) && abs(number) <= HeaderLimits.longestSide
    }
    guard isPossible, width.0 > 0, height.0 > 0 else { return nil }
  }

  /// What makes the numbers at an offset those of a whole image.
  static func edit(
    at offset: Int, toShow image: (width: Int, height: Int)
  ) -> CodedSamples.Edit {
    let numbers = [image.width, 1, image.height, 1, 0, 1, 0, 1]
    return CodedSamples.Edit(
      at: offset,
      numbers.flatMap { number in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } })
  }

  /// The size of the part; nil if it reaches outside the image, or is less than half a pixel. libheif 1.15 states the size
  /// of such a part and then decodes less of it, so that libvips reports wrong dimensions.
  func size(of image: (width: Int, height: Int)) -> (width: Int, height: Int)? {
    guard let width = Self.side(of: image.width, width, right),
      let height = Self.side(of: image.height, height, down)
    else { return nil }
    return (width, height)
  }

  /// As many whole pixels as are nearest, from the first one, rounded down.
  private static func side(of whole: Int, _ part: (Int, Int), _ offset: (Int, Int)) -> Int? {
    let length = Double(part.0) / Double(part.1)
    let centre = Double(whole - 1) / 2 + Double(offset.0) / Double(offset.1)
    let first = (centre - (length - 1) / 2).rounded(.down)
    let count = length.rounded()
    guard count > 0, first >= 0, first + count <= Double(whole) else { return nil }
    return Int(count)
  }
}
