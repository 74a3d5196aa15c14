import TesseraTestSupport
import Testing

@testable import TesseraNet

@Suite struct RangeTests {
  @Test(
    arguments: [
      ("bytes 0-99/1000", 0..<100, 1000), ("bytes 5-5/6", 5..<6, 6), ("bytes 7-9/*", 7..<10, nil),
      ("BYTES 0-0/1", 0..<1, 1),
    ] as [(String, Range<Int>, Int?)])
  func readsContentRange(_ text: String, _ range: Range<Int>, _ total: Int?) {
    #expect(ContentRange(text)?.range == range)
    #expect(ContentRange(text)?.total == total)
  }

  @Test(
    .faults(.n13),
    arguments: [
      "", "bytes", "bytes */1000", "bytes 9-8/10", "bytes 0-10/10", "bytes -5/10", "bytes 0-/10",
      "items 0-9/10", "bytes 0-9", "bytes=0-9/10", "bytes +0-9/10", "bytes 0-9/ten",
      "bytes 0-9/10, bytes 20-29/30", "bytes 0-9999999999999999999/*", "bytes 0-9/10/11",
    ])
  func rejectsMalformedContentRanges(_ text: String) {
    #expect(ContentRange(text) == nil)
  }

  private func headers(_ lines: String...) -> ResponseHeaders {
    var headers = ResponseHeaders()
    for line in lines { headers.add((line + "\r\n").utf8) }
    return headers
  }

  /// A part must begin where the requested range does; it may be shorter or longer.
  @Test(
    arguments: [
      ("bytes 100-199/1000", nil), ("bytes 100-149/1000", nil), ("bytes 100-999/1000", nil),
      ("bytes 0-199/1000", "the server sent a different range than requested"),
      ("bytes 101-199/1000", "the server sent a different range than requested"),
      ("bytes 100-199", "the server sent a different range than requested"),
    ] as [(String, String?)])
  func aPartMustBeginWhereTheRequestedRangeDoes(_ text: String, _ message: String?) throws {
    let part = headers("HTTP/1.1 206 Partial Content", "Content-Range: \(text)")
    guard let message else {
      let range = try #require(ContentRange(text)?.range)
      #expect(try part.extent(wanted: 100..<200) == .part(range, of: 1000))
      return
    }
    #expect(throws: FetchError(.badRange, message)) { try part.extent(wanted: 100..<200) }
  }

  @Test func aPartMustBeRequestedAndUncompressed() {
    let part = headers("HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-9/10")
    #expect(throws: FetchError.self) { try part.extent(wanted: nil) }
    let packed = headers(
      "HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-9/10", "Content-Encoding: gzip")
    #expect(throws: FetchError.self) { try packed.extent(wanted: 0..<10) }
    let without = headers("HTTP/1.1 206 Partial Content")
    #expect(throws: FetchError.self) { try without.extent(wanted: 0..<10) }
  }

  /// The length of compressed data says nothing about the length of the content.
  @Test func theLengthOfCompressedDataIsUnknown() throws {
    for (encoding, length) in [("gzip", nil), ("identity", 70), ("Identity", 70)] {
      let whole = headers(
        "HTTP/1.1 200 OK", "Content-Length: 70", "Content-Encoding: \(encoding)")
      #expect(try whole.extent(wanted: nil) == .whole(length: length))
    }
    for text in ["-1", "many", ""] {
      let whole = headers("HTTP/1.1 200 OK", "Content-Length: \(text)")
      #expect(try whole.extent(wanted: 0..<10) == .whole(length: nil))
    }
  }
}
