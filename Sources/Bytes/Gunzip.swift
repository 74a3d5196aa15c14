/// Decompresses gzip data (RFC 1952) that arrives in parts. Several members, one after the other,
/// count as one.
///
/// What it becomes has a limit, so that a decompression bomb ends: a number of bytes, and a thousand times its size.
package final class Gunzip {
  /// Why no more is decompressed.
  package enum Failure: Error, Equatable {
    /// With zlib's message.
    case damaged(String)
    /// It is more than ``Gunzip/init(limit:)`` allows.
    case tooLarge
    case tooDense

    /// A clause about the data.
    package var reason: String {
      switch self {
      case .damaged(let message): "damaged gzip data: \(message)"
      case .tooLarge: "its gzip data becomes too large"
      case .tooDense:
        "its gzip data becomes more than \(Gunzip.mostTimes) times as large, as that of a decompression bomb"
      }
    }
  }

  package static let usualLimit = 10_000_000_000
  /// Deflate expands 1,032 times at most (zlib, "Technical Details"), of one repeated byte; lists have 5 to 50.
  fileprivate static let mostTimes = 1_000
  /// Less is harmless however dense it is.
  private static let least = 100_000_000

  /// The most that ``next()`` returns at once, so that a decompression bomb does not fill the
  /// memory.
  package static let maximumChunk = 64 << 10

  private let inflate = Inflate()
  private var isBetweenMembers = true
  private var input: [UInt8] = []
  private var offset = 0
  private let limit: Int
  private var (consumed, produced) = (0, 0)

  /// - Parameter limit: the most bytes that all data together may become.
  package init(limit: Int = Gunzip.usualLimit) { self.limit = limit }

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
      let step: Inflate.Step
      do throws(Inflate.Failure) {
        step = try inflate.step(packed.span.extracting(offset...), into: &chunk)
      } catch {
        throw .damaged(error.message)
      }
      offset += step.consumed
      try count(step)
      isBetweenMembers = step.hasEnded
      if step.produced > 0 { return Array(chunk[..<step.produced]) }
      if step.consumed == 0, !step.hasEnded { return nil }
    }
  }

  private func count(_ step: Inflate.Step) throws(Failure) {
    consumed += step.consumed
    produced += step.produced
    if produced > limit { throw .tooLarge }
    if produced > Self.least, produced / Self.mostTimes > consumed { throw .tooDense }
  }
}
