import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

@Suite struct KnownBytesTests {
  /// Exactly the bytes that have arrived are known, in whatever order they arrive and however they
  /// overlap.
  @Test func exactlyTheBytesThatHaveArrivedAreKnown() throws {
    let file = (0..<40).map { UInt8($0) }
    var generator = SplitMix(seed: 9)
    for _ in 0..<50 {
      var known = KnownBytes()
      var arrived: Set<Int> = []
      for _ in 0..<6 {
        let start = Int.random(in: 0..<40, using: &generator)
        let end = Int.random(in: start + 1...40, using: &generator)
        known.insert(Array(file[start..<min(end, start + 9)]), at: start)
        arrived.formUnion(start..<min(end, start + 9))
        for first in 0..<40 {
          for last in first..<40 where known.contains(first..<last + 1) {
            try #require(arrived.isSuperset(of: first...last))
          }
          // A byte is missing, or all bytes up to there are known together.
          let last = (first..<40).first { !arrived.contains($0) } ?? 40
          try #require(last == first || known.contains(first..<last), "\(first)..<\(last)")
        }
        try #require(known.count == arrived.count)
        let (buffer, pieces) = known.joined()
        #expect(known.prefix.elementsEqual(file.prefix(known.prefix.count)))
        for piece in pieces {
          #expect(
            buffer[piece.buffer..<piece.buffer + piece.count]
              == file[piece.file..<piece.file + piece.count])
        }
      }
    }
  }
}
