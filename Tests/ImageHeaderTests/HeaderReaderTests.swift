import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// A file whose bytes arrive in parts.
@Suite struct HeaderReaderTests {
  /// A JPEG whose frame header begins at an offset, behind one segment.
  private static func jpeg(frameAt offset: Int) -> [UInt8] {
    joined(
      [0xFF, 0xD8, 0xFF, 0xE0], be(offset - 4, 2), zeros(offset - 6), [0xFF, 0xC0, 0, 17, 8],
      be(9, 2), be(7, 2), zeros(10))
  }

  private static let found = "jpeg 7x9@8"

  @Test func aStreamIsReadWhenEnoughIsHere() {
    let bytes = Self.jpeg(frameAt: 4_000)
    var reader = HeaderReader()
    #expect(outcome(reader.reading) == "needs 0..<32" && reader.isSearching && reader.count == 0)
    reader.add(bytes.span.extracting(0..<3_583))
    // The first reading is at 3,584 bytes, however they arrive.
    #expect(outcome(reader.reading) == "needs 0..<32" && reader.count == 3_583)
    reader.add(bytes.span.extracting(3_583..<3_584))
    #expect(outcome(reader.reading) == "needs 4000..<4001")
    // The next one is 768 bytes behind the end of what is needed.
    let rest = joined(bytes, zeros(2_000))
    reader.add(rest.span.extracting(3_584..<4_768))
    #expect(outcome(reader.reading) == "needs 4000..<4001" && reader.count == 4_768)
    reader.add(rest.span.extracting(4_768..<4_769))
    #expect(outcome(reader.reading) == Self.found && !reader.isSearching)
    // What follows is not kept.
    #expect(reader.count == 0)
    reader.add(rest.span)
    reader.add(rest.span, at: 10)
    #expect(reader.count == 0 && outcome(reader.reading) == Self.found)
    reader.end()
    reader.settle()
    #expect(outcome(reader.reading) == Self.found)
  }

  @Test func theEndDecidesAtOnce() {
    let bytes = Self.jpeg(frameAt: 40)
    var reader = HeaderReader()
    reader.add(bytes.span)
    #expect(outcome(reader.reading) == "needs 0..<32")
    reader.end()
    #expect(outcome(reader.reading) == Self.found)
    var short = HeaderReader()
    short.add(bytes.span.extracting(0..<20))
    short.end()
    #expect(
      outcome(short.reading) == "truncated: cut off after 20 bytes, before the image size")
    // A length that is longer than what is here.
    var longer = HeaderReader()
    longer.add(bytes.span.extracting(0..<35))
    longer.end(at: 500)
    #expect(outcome(longer.reading) == "needs 40..<41")
    longer.end(at: 39)
    #expect(
      outcome(longer.reading) == "truncated: cut off after 39 bytes, before the image size")
    var looked = HeaderReader()
    looked.add(bytes.span)
    looked.look()
    #expect(outcome(looked.reading) == Self.found)
  }

  /// Of a short file the first request does not exceed its length.
  @Test func aKnownLengthLimitsRequests() {
    for (size, expected) in [
      (31, "needs 0..<31"), (32, "needs 0..<32"), (33, "needs 0..<32"), (3, "needs 0..<3"),
    ] {
      #expect(outcome(HeaderReader(fileSize: size).reading) == expected)
    }
    #expect(outcome(HeaderReader(fileSize: 0).reading) == "not-image: empty")
  }

  /// Answers to requests are looked at when the requested range is complete.
  @Test func requestedRangesArriveInAnyOrder() {
    let bytes = Self.jpeg(frameAt: 60_000)
    var reader = HeaderReader(fileSize: bytes.count)
    reader.add(bytes.span.extracting(10..<32), at: 10)
    #expect(outcome(reader.reading) == "needs 0..<32" && reader.count == 22)
    reader.add(bytes.span.extracting(0..<9), at: 0)
    #expect(outcome(reader.reading) == "needs 0..<32" && reader.count == 31)
    reader.add(bytes.span.extracting(0..<12), at: 0)
    #expect(outcome(reader.reading) == "needs 60000..<60001" && reader.count == 32)
    // An impossible offset is ignored, and so are bytes of other places.
    reader.add(bytes.span, at: -1)
    #expect(reader.count == 32)
    reader.add(bytes.span.extracting(59_990..<60_000), at: 59_990)
    #expect(outcome(reader.reading) == "needs 60000..<60001" && reader.count == 42)
    reader.add(bytes.span.extracting(60_000..<60_019), at: 60_000)
    #expect(outcome(reader.reading) == Self.found)
  }

  /// A PNG whose chunks go on: the size is known, and Exif may follow.
  @Test func settlingGivesUpWhatMayFollow() {
    let head = joined(
      [0x89], ascii("PNG\r\n"), [0x1A, 0x0A], be(13, 4), ascii("IHDR"), be(7, 4), be(9, 4),
      [8, 2, 0, 0, 0], zeros(4))
    let bytes = joined(head, be(1 << 30, 4), ascii("tEXt"), zeros(5_000))
    var reader = HeaderReader()
    reader.add(bytes.span)
    #expect(outcome(reader.reading) == "needs 1073741869..<1073741873")
    reader.settle()
    #expect(outcome(reader.reading) == "png 7x9@8")
    var quick = HeaderReader(isExact: false)
    quick.add(bytes.span)
    #expect(outcome(quick.reading) == "png 7x9@8")
    // Beyond the reach of a stream, the same.
    var stream = HeaderReader()
    stream.add(bytes.span)
    #expect(stream.isOver(1 << 24) && outcome(stream.streamed()) == "png 7x9@8")
  }

  @Test func aStreamHasAReach() {
    #expect(HeaderReader.reach == 16_777_216)
    let tooFar = "malformed: an image without a size in its first 50000 bytes"
    func streamed(_ offset: Int, length: Int = 5_000) -> String {
      var reader = HeaderReader()
      let bytes = Array(joined(Self.jpeg(frameAt: offset), zeros(60_000)).prefix(length))
      reader.add(bytes.span)
      let isOver = reader.isOver(50_000)
      let text = outcome(reader.streamed(50_000))
      #expect(isOver == (text == tooFar))
      return text
    }
    // The first byte of the frame header is requested.
    expectMost(49_999) { streamed($0) == "needs \($0)..<\($0 + 1)" }
    #expect(streamed(50_000) == tooFar)
    #expect(streamed(49_999, length: 52_000) == Self.found)
    // A reader that holds more than that.
    let text = ascii("P6" + String(repeating: " ", count: 60))
    for (length, isOver) in [(49, false), (50, false), (51, true)] {
      var reader = HeaderReader()
      reader.add(text.span.extracting(0..<length))
      reader.look()
      #expect(reader.isSearching && reader.count == length)
      #expect(reader.isOver(50) == (isOver || length == 50), "\(length)")
    }
    #expect(!HeaderReader().isOver(32) && HeaderReader().isOver(31))
  }

  /// A file that is made to be searched is read ever more rarely: a reading begins at its first
  /// byte.
  @Test func patienceEnds() {
    // Segments of 800 bytes: each needs another reading.
    var bytes: [UInt8] = [0xFF, 0xD8]
    for _ in 0..<400 { bytes += joined([0xFF, 0xE0], be(800, 2), zeros(798)) }
    var reader = HeaderReader()
    var (readings, last) = (0, outcome(reader.reading))
    var lengths: [Int] = []
    for place in stride(from: 0, to: bytes.count, by: 2) {
      reader.add(bytes.span.extracting(place..<min(place + 2, bytes.count)))
      let now = outcome(reader.reading)
      if now != last { (readings, last, lengths) = (readings + 1, now, lengths + [reader.count]) }
    }
    #expect(lengths.first == 3_584 && readings > 60 && readings < 70, "\(lengths)")
    // From the 64th reading on, the length doubles.
    let gaps = zip(lengths, lengths.dropFirst()).map { $1 - $0 }
    #expect(
      gaps.dropFirst(63).allSatisfy { $0 > 50_000 } && gaps.prefix(63).allSatisfy { $0 < 2_000 })
  }
}
