import TesseraFetch
import Testing

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

  @Test(arguments: [
    "", "bytes", "bytes */1000", "bytes 9-8/10", "bytes 0-10/10", "bytes -5/10", "bytes 0-/10",
    "items 0-9/10", "bytes 0-9", "bytes=0-9/10", "bytes +0-9/10", "bytes 0-9/ten",
    "bytes 0-9/10, bytes 20-29/30", "bytes 0-9999999999999999999/*", "bytes 0-9/10/11",
  ])
  func rejectsMalformedContentRanges(_ text: String) {
    #expect(ContentRange(text) == nil)
  }
}
