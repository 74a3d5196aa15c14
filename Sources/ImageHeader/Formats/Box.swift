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
