extension HeaderReader {
  /// The largest part of a stream that is looked at for its header. Beyond it lies no size that
  /// anybody's picture needs.
  package static let reach = 16 << 20

  /// Whether what is asked for lies too far ahead in a stream, which has to be read up to there, or
  /// so much was read in vain.
  package func isOver(_ reach: Int) -> Bool {
    if case .needs(let range) = reading { range.upperBound > reach || count > reach } else { false }
  }

  /// What the bytes say, where they can only be read on.
  package mutating func streamed(_ reach: Int = reach) -> HeaderReading {
    if isOver(reach) { settle() }
    return isOver(reach)
      ? .refused(
        .init(.malformed, "a picture that does not tell its size in its first \(reach) bytes"))
      : reading
  }
}
