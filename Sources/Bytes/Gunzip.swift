/// Decompresses gzip data (RFC 1952) that arrives in parts. Several members, one after the other,
/// count as one.
package final class Gunzip {
  package typealias Failure = Inflate.Failure

  /// The most that ``next()`` returns at once, so that a decompression bomb does not fill the
  /// memory.
  package static let maximumChunk = 64 << 10

  private let inflate = Inflate()
  private var isBetweenMembers = true
  private var input: [UInt8] = []
  private var offset = 0

  package init() {}

  /// Whether the data may end here: everything that was added is decompressed, and no member is
  /// incomplete.
  package var isComplete: Bool { isBetweenMembers }

  /// Adds compressed bytes, which ``next()`` decompresses.
  package func add(_ bytes: [UInt8]) {
    input = offset < input.count ? Array(input[offset...]) + bytes : bytes
    offset = 0
  }

  /// The next decompressed bytes, at most ``maximumChunk``; nil if more compressed bytes are
  /// needed.
  package func next() throws(Failure) -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: Self.maximumChunk)
    while true {
      if isBetweenMembers {
        if offset == input.count { return nil }
        inflate.reset()
        isBetweenMembers = false
      }
      let packed = input
      let step = try inflate.step(packed.span.extracting(offset...), into: &chunk)
      offset += step.consumed
      isBetweenMembers = step.hasEnded
      if step.produced > 0 { return Array(chunk[..<step.produced]) }
      if step.consumed == 0, !step.hasEnded { return nil }
    }
  }
}
