import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// How much of a file is read at a time.
@Suite struct ReadAheadTests {
  private static func ahead(
    hops: Int = 3, mostReads: Int = 100, mostBytes: Int = 1 << 30
  ) -> ReadAhead {
    ReadAhead(first: 1_000, hop: 100, hops: hops, mostReads: mostReads, mostBytes: mostBytes)
  }

  @Test func theLengthsAreThoseOfServersAndDisks() {
    func numbers(_ ahead: ReadAhead) -> [Int] {
      [ahead.first, ahead.hop, ahead.hops, ahead.mostReads, ahead.mostBytes, ahead.reads]
    }
    #expect(numbers(.network) == [3_584, 768, 4, 32, 4_194_304, 0])
    #expect(numbers(.disk) == [3_584, 4_096, 16, 1_000, 67_108_864, 0])
  }

  @Test func theFirstReadIsLongAndFurtherOnesAreHops() {
    var ahead = Self.ahead()
    #expect(ahead.next(for: 0..<32) == 0..<1_000 && ahead.reads == 1)
    #expect(ahead.next(for: 5_000..<5_001) == 5_000..<5_100 && ahead.reads == 2)
    // At least what is wanted.
    #expect(ahead.next(for: 9_000..<9_101) == 9_000..<9_101 && ahead.reads == 3)
    var long = Self.ahead()
    #expect(long.next(for: 0..<1_001) == 0..<1_001)
  }

  /// After some hops, one reads on in ever longer stretches if the next range is close, and a
  /// quarter of a hop if not.
  @Test func closeRangesAreReadOn() {
    var ahead = Self.ahead(hops: 1)
    #expect(ahead.next(for: 0..<32) == 0..<1_000)
    // Within four hops from the end, both ends of that.
    #expect(ahead.next(for: 1_000..<1_001) == 1_000..<1_400)
    #expect(ahead.next(for: 2_199..<2_200) == 2_199..<2_999)
    #expect(ahead.next(for: 4_599..<4_600) == 4_599..<4_624)
    #expect(ahead.next(for: 4_623..<4_624) == 4_623..<4_648)
    #expect(ahead.next(for: 4_648..<4_649) == 4_648..<6_248)
    #expect(ahead.next(for: 1..<2) == 1..<26 && ahead.next(for: 500..<600) == 500..<2_100 + 1_600)
  }

  @Test func stretchesHaveALimit() {
    var ahead = Self.ahead(hops: 0)
    var (place, lengths) = (0, [Int]())
    for _ in 0..<20 {
      guard let range = ahead.next(for: place..<place + 1) else { break }
      lengths.append(range.count)
      place = range.upperBound
    }
    let doubled = (0..<20).map { min(400 << $0, 1 << 24) }
    #expect(Array(lengths.prefix(17)) == Array(doubled.prefix(17)), "\(lengths)")
  }

  @Test func readsHaveCeilings() {
    var few = Self.ahead(mostReads: 2)
    #expect(
      few.next(for: 0..<1) != nil && few.next(for: 0..<1) != nil && few.next(for: 0..<1) == nil)
    #expect(few.reads == 2)
    var small = Self.ahead(mostBytes: 1_050)
    #expect(small.next(for: 0..<1) == 0..<1_000)
    #expect(small.next(for: 0..<51) == nil)
    // The rest is shorter than a hop.
    #expect(small.next(for: 2_000..<2_050) == 2_000..<2_050)
    #expect(small.next(for: 0..<1) == nil && small.reads == 2)
    expectMost(1_050) { count in
      var ahead = Self.ahead(mostBytes: 1_050)
      return ahead.next(for: 0..<count) == 0..<max(1_000, count)
    }
  }

  /// Bytes after a gap keep their places.
  @Test func piecesAreJoined() {
    func pieces(_ ranges: (Int, Int)...) -> [String] {
      var known = KnownBytes()
      for (start, end) in ranges { known.insert((start..<end).map { UInt8($0) }, at: start) }
      let (buffer, pieces) = known.joined()
      #expect(buffer.count == known.count)
      for piece in pieces {
        #expect(
          Array(buffer[piece.buffer..<piece.buffer + piece.count])
            == (piece.file..<piece.file + piece.count).map { UInt8($0) })
      }
      return ["0..<\(known.prefix.count)"] + pieces.map { "\($0.file)..<\($0.file + $0.count)" }
    }
    #expect(pieces((0, 5), (10, 20), (30, 40)) == ["0..<5", "10..<20", "30..<40"])
    #expect(pieces((30, 40), (10, 20), (0, 5)) == ["0..<5", "10..<20", "30..<40"])
    #expect(pieces((10, 20), (20, 30)) == ["0..<0", "10..<30"])
    #expect(pieces((10, 20), (21, 30)) == ["0..<0", "10..<20", "21..<30"])
    #expect(pieces((20, 30), (10, 20)) == ["0..<0", "10..<30"])
    #expect(pieces((20, 30), (10, 19)) == ["0..<0", "10..<19", "20..<30"])
    #expect(pieces((10, 20), (30, 40), (15, 35)) == ["0..<0", "10..<40"])
    #expect(pieces((10, 40), (20, 30)) == ["0..<0", "10..<40"])
    #expect(pieces((20, 30), (10, 40)) == ["0..<0", "10..<40"])
    #expect(
      pieces((10, 20), (0, 10)) == ["0..<20"] && pieces((10, 20), (0, 9)) == ["0..<9", "10..<20"])
    #expect(pieces((5, 8), (10, 12), (0, 11)) == ["0..<12"])
    #expect(pieces((0, 9), (3, 5), (4, 12), (12, 14)) == ["0..<14"])
  }
}
