/// What is known of a file: some of its bytes, and perhaps its length.
///
/// Readers of formats ask for bytes by their place in the file. What is not known is thrown as the
/// exact range that is needed, so that it can be fetched from wherever it lies.
struct HeaderView: ~Escapable {
  /// Consecutive bytes of the file, and where they stand in `buffer`.
  struct Piece {
    var file: Int
    var buffer: Int
    var count: Int
  }

  private let buffer: Span<UInt8>
  /// How many of the file's first bytes are known. They stand at the start of `buffer`.
  private let prefix: Int
  /// Known bytes that lie further on.
  private let pieces: [Piece]
  /// The file's length, where that is known.
  let fileSize: Int?
  /// Whether to ask for bytes that may turn or change a size which is known.
  let isExact: Bool

  @_lifetime(copy buffer)
  init(
    _ buffer: Span<UInt8>, prefix: Int, pieces: [Piece] = [], fileSize: Int?,
    isExact: Bool = true
  ) {
    self.buffer = buffer
    self.prefix = prefix
    self.pieces = pieces
    self.fileSize = fileSize
    self.isExact = isExact
  }

  /// Where `count` bytes from `offset` stand in the buffer.
  @inline(__always)
  private func place(_ offset: Int, _ count: Int) throws(HeaderStop) -> Int {
    if offset >= 0, offset <= prefix - count { return offset }
    return try placeFurtherOn(offset, count)
  }

  private func placeFurtherOn(_ offset: Int, _ count: Int) throws(HeaderStop) -> Int {
    guard offset >= 0, offset <= HeaderLimits.largestOffset - count else {
      throw .malformed("it points to a place that no file has")
    }
    for piece in pieces where offset >= piece.file && offset + count <= piece.file + piece.count {
      return piece.buffer + offset - piece.file
    }
    if let fileSize, offset + count > fileSize { throw .ended }
    throw .needs(offset..<offset + count)
  }

  func byte(_ offset: Int) throws(HeaderStop) -> Int { Int(buffer[try place(offset, 1)]) }

  func big16(_ offset: Int) throws(HeaderStop) -> Int {
    let place = try place(offset, 2)
    return Int(buffer[place]) << 8 | Int(buffer[place + 1])
  }

  func big32(_ offset: Int) throws(HeaderStop) -> Int {
    let place = try place(offset, 4)
    return Int(buffer[place]) << 24 | Int(buffer[place + 1]) << 16 | Int(buffer[place + 2]) << 8
      | Int(buffer[place + 3])
  }

  func little16(_ offset: Int) throws(HeaderStop) -> Int {
    let place = try place(offset, 2)
    return Int(buffer[place]) | Int(buffer[place + 1]) << 8
  }

  func little24(_ offset: Int) throws(HeaderStop) -> Int {
    try little16(offset) | byte(offset + 2) << 16
  }

  func little32(_ offset: Int) throws(HeaderStop) -> Int {
    try little16(offset) | little16(offset + 2) << 16
  }

  /// A 64-bit length or offset. More than any file has is malformed.
  func big64(_ offset: Int) throws(HeaderStop) -> Int {
    let high = try big32(offset)
    guard high <= HeaderLimits.largestOffset >> 32 else {
      throw .malformed("it points to a place that no file has")
    }
    return try high << 32 | big32(offset + 4)
  }

  func little64(_ offset: Int) throws(HeaderStop) -> Int {
    let high = try little32(offset + 4)
    guard high <= HeaderLimits.largestOffset >> 32 else {
      throw .malformed("it points to a place that no file has")
    }
    return try high << 32 | little32(offset)
  }

  /// 4 bytes as a signed number.
  func littleSigned32(_ offset: Int) throws(HeaderStop) -> Int {
    Int(Int32(truncatingIfNeeded: try little32(offset)))
  }

  func number16(_ offset: Int, isLittle: Bool) throws(HeaderStop) -> Int {
    isLittle ? try little16(offset) : try big16(offset)
  }

  func number32(_ offset: Int, isLittle: Bool) throws(HeaderStop) -> Int {
    isLittle ? try little32(offset) : try big32(offset)
  }

  /// Whether the bytes at `offset` are these ASCII characters.
  func has(_ text: StaticString, at offset: Int) throws(HeaderStop) -> Bool {
    let length = text.utf8CodeUnitCount
    let place = try place(offset, length)
    return text.withUTF8Buffer { characters in
      for index in 0..<length where unsafe characters[index] != buffer[place + index] {
        return false
      }
      return true
    }
  }

  /// Makes sure that a range is known, so that what follows costs one request.
  func require(_ range: Range<Int>) throws(HeaderStop) {
    guard !range.isEmpty else { return }
    _ = try place(range.lowerBound, range.count)
  }

  /// How many bytes are known from an offset on, at most `limit`.
  func known(from offset: Int, limit: Int) -> Int {
    if offset < prefix { return min(limit, prefix - offset) }
    for piece in pieces where offset >= piece.file && offset < piece.file + piece.count {
      return min(limit, piece.file + piece.count - offset)
    }
    return 0
  }
}

/// Why a format's reader could not go on.
enum HeaderStop: Error, Equatable {
  case needs(Range<Int>)
  /// The file ends before.
  case ended
  /// A clause that fits after "a PNG picture, but": "it has no header chunk".
  case malformed(String)
}

extension HeaderStop {
  /// What a search comes to for something that may refine a header which is known: it is thrown on
  /// where there is more to ask for and that is wanted. Otherwise the header stands.
  func endsRefinement(of file: borrowing HeaderView) throws(HeaderStop) {
    if case .needs = self, file.isExact { throw self }
  }
}

/// Ceilings that nothing in a file can lift.
enum HeaderLimits {
  /// The largest offset that is believed: 2^48, so that sums of a few never overflow.
  static let largestOffset = 1 << 48
  /// Segments, chunks, boxes and directory entries that are looked at in one file.
  static let steps = 4_096
  /// The longest side that is believed, in pixels.
  static let longestSide = 0x7FFF_FFFF
}
