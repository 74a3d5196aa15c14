extension ManifestReader {
  /// What the beginning of a file shows about the rest.
  package enum Shape: Sendable, Equatable {
    /// Only blanks so far.
    case unknown
    /// A list, even if some of its lines are bad.
    case list
    /// Not a manifest. The reason is a sentence without its full stop.
    case refused(String)
  }

  /// - Parameters:
  ///   - bytes: at least three bytes, or all of a shorter file.
  ///   - isStart: whether these are the first bytes of the file.
  package static func shape(of bytes: [UInt8], isStart: Bool) -> Shape {
    var start = 0
    if isStart {
      // The byte order marks of UTF-16, or an ASCII character as UTF-16 writes it.
      switch (bytes.first, bytes.dropFirst().first) {
      case (0xFE, 0xFF), (0xFF, 0xFE), (_, 0x00), (0x00, _):
        return .refused("it is UTF-16; save it as UTF-8")
      default: break
      }
      if bytes.starts(with: byteOrderMark) { start = byteOrderMark.count }
    }
    switch bytes[start...].first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
    case nil: return .unknown
    case UInt8(ascii: "<"): return .refused("it is an HTML or XML page, not a list of URLs")
    case UInt8(ascii: "["):
      return .refused("it is a JSON array; write one object per line (JSON Lines)")
    default: return .list
    }
  }
}
