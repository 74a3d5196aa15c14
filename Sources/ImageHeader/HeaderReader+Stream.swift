extension HeaderReader {
  /// The number of bytes of a stream that are searched for a header: 16 MiB. An image whose size
  /// follows after more than that is not worth the transfer.
  package static let reach = 16 << 20

  /// Whether the requested bytes are beyond `reach` in a stream that must be read up to them, or
  /// the reader holds more than that without an answer.
  package func isOver(_ reach: Int) -> Bool {
    if case .needs(let range) = reading { range.upperBound > reach || count > reach } else { false }
  }

  /// A range beyond ``reach`` that is requested although little was read: the directory of a TIFF, or the boxes of a HEIC
  /// or AVIF, may be at the end of the file. Who has the whole file can read it there.
  package var farRange: Range<Int>? {
    guard case .needs(let range) = reading, range.upperBound > Self.reach,
      range.lowerBound > prefix + Self.jump
    else { return nil }
    return range
  }

  /// Farther than any segment or block of a file that is read on from one to the next.
  private static let jump = 1 << 20

  /// The answer if the file can only be read on from here, and not at other places.
  package mutating func streamed(_ reach: Int = reach) -> HeaderReading {
    // The size may be known, and only what could still change it may be too far away.
    if isOver(reach) { settle() }
    return isOver(reach)
      ? .rejected(
        .init(.malformed, "an image without a size in its first \(reach) bytes"))
      : reading
  }
}
