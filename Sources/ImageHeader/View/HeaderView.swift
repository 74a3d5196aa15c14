/// The part of a file that is known: some of its bytes, and perhaps its length.
///
/// The readers of formats address bytes by their offset in the file. An access to unknown bytes
/// throws the exact range that is needed, so that the caller can fetch it from any source.
struct HeaderView: ~Escapable {
  /// Consecutive bytes of the file, which `buffer` holds at another offset.
  struct Piece {
    /// The offset of the first byte in the file.
    var file: Int
    /// The offset of the first byte in the buffer.
    var buffer: Int
    var count: Int
  }

  private let buffer: Span<UInt8>
  /// How many of the file's first bytes are known. They are at the start of `buffer`.
  private let prefix: Int
  /// Known bytes after the prefix.
  private let pieces: [Piece]
  /// The file's length in bytes; nil if it is unknown.
  let fileSize: Int?
  /// Whether to request bytes that may rotate or change a size which is already known.
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

  /// The offset in the buffer of `count` bytes at `offset` in the file.
  @inline(__always)  // Nearly every access is within the prefix: two comparisons, no call.
  private func place(_ offset: Int, _ count: Int) throws(HeaderStop) -> Int {
    // A difference, because the sum of two claimed numbers could overflow and trap.
    if offset >= 0, offset <= prefix - count { return offset }
    return try placeAfterPrefix(offset, count)
  }

  private func placeAfterPrefix(_ offset: Int, _ count: Int) throws(HeaderStop) -> Int {
    // A difference here, too. After it, the sums below can't overflow.
    guard offset >= 0, offset <= HeaderLimits.largestOffset - count else {
      throw .malformed("an offset in it is larger than any file")
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

  /// A 64-bit length or offset. Throws if no file is that large.
  func big64(_ offset: Int) throws(HeaderStop) -> Int {
    let high = try big32(offset)
    guard high <= HeaderLimits.largestOffset >> 32 else {
      throw .malformed("an offset in it is larger than any file")
    }
    return try high << 32 | big32(offset + 4)
  }

  func little64(_ offset: Int) throws(HeaderStop) -> Int {
    let high = try little32(offset + 4)
    guard high <= HeaderLimits.largestOffset >> 32 else {
      throw .malformed("an offset in it is larger than any file")
    }
    return try high << 32 | little32(offset)
  }

  /// Four bytes as a signed number.
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

  /// Throws unless the whole range is known. A reader calls it before it reads several fields, so
  /// that they cost one request together.
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

  /// Ends a search for something that may refine a header whose size is known.
  ///
  /// Throws `stop` again if more bytes exist and the caller wants an exact answer. Otherwise it
  /// returns, and the header stays as it is.
  func endRefinement(_ stop: HeaderStop) throws(HeaderStop) {
    if case .needs = stop, isExact { throw stop }
  }
}

/// Classes of ASCII characters.
enum ASCII {
  /// A space, tab, line end, vertical tab or form feed.
  static func isBlank(_ byte: Int) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// Ceilings that no value in a file can raise.
enum HeaderLimits {
  /// The largest offset that is accepted: 2^48, far beyond any image, so that a sum of a few
  /// offsets never overflows.
  static let largestOffset = 1 << 48
  /// The number of segments, chunks, boxes or directory entries that are read in one file. It ends
  /// the walk through files that are made to be walked indefinitely.
  static let steps = 4_096
  /// The longest side that is accepted, in pixels: 2^31 - 1, the limit of PNG (W3C PNG, section
  /// 7.1) and the largest of all formats here.
  static let longestSide = 0x7FFF_FFFF
}

/// Why a format's reader cannot go on.
enum HeaderStop: Error, Equatable {
  /// These bytes of the file are needed and not known yet.
  case needs(Range<Int>)
  /// The file ends before the bytes that are needed.
  case ended
  /// A clause that completes "a PNG image, but …": "it has no header chunk".
  case malformed(String)
}
