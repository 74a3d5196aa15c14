import Testing

@testable import TesseraTranscode

@Suite struct JXLContainerTests {
  /// The body of an Exif box begins with the number of bytes to skip (ISO/IEC 18181-2, 9.3).
  @Test func anExifBoxBeginsWithItsOffset() throws {
    let file = try #require(JXLContainer.file([0xFF, 0x0A, 1], exif: [9, 8], xmp: nil))
    let boxes = try #require(Box.list(file[...]))
    #expect(boxes.map(\.name) == ["JXL ", "ftyp", "jxlc", "Exif"])
    #expect(boxes.last?.body == [0, 0, 0, 0, 9, 8])
  }
}
