import TesseraImageHeader
import TesseraTestSupport
import Testing

@testable import TesseraTranscode

/// The boxes of JPEG XL (ISO/IEC 18181-2).
@Suite struct UnreadMetadataTests {
  private let mark = box("JXL ", [0x0D, 0x0A, 0x87, 0x0A])
  private let image = box("jxlc", [0xFF, 0x0A, 1])
  private let tiff = Array("MM".utf8) + [0, 42, 0, 0, 0, 8]

  private func read(
    _ bytes: [UInt8], _ format: ImageFormat = .jxl
  ) -> (exif: [UInt8]?, xmp: [UInt8]?) {
    withSource(bytes) {
      let metadata = UnreadMetadata(of: $0, format)
      return (metadata.exif, metadata.xmp)
    }
  }

  @Test func boxesOfMetadataAreRead() {
    let exif = box("Exif", [0, 0, 0, 0] + tiff)
    let xmp = box("xml ", Array("<x>".utf8))
    for file in [mark + exif + image + xmp, mark + xmp + image + box("brob", [5]) + exif] {
      #expect(read(file) == (tiff, Array("<x>".utf8)))
    }
    #expect(read(mark + image) == (nil, nil))
    #expect(read(mark + exif) == (tiff, nil))
    // Of another format, or without the box that comes first.
    #expect(read(mark + exif, .png) == (nil, nil))
    #expect(read(exif + mark) == (nil, nil))
    #expect(read([0xFF, 0x0A] + mark + exif) == (nil, nil))
  }

  @Test func theMetadataOfATIFFIsItsExif() {
    let file =
      Array("MM".utf8) + [0, 42] + big(8, 4) + big(1, 2)
      + [1, 0x0F, 0, 2, 0, 0, 0, 2, 65, 0, 0, 0, 0, 0, 0, 0]
    #expect(read(file, .tiff) == (file, nil))
    #expect(read(file, .jxl) == (nil, nil))
  }

  @Test func exifBeginsBehindItsOffset() {
    func exif(_ body: [UInt8]) -> [UInt8]? { read(mark + box("Exif", body)).exif }
    #expect(exif([0, 0, 0, 2, 9, 9] + tiff) == tiff)
    #expect(exif([0, 0, 1, 0] + [UInt8](repeating: 9, count: 256) + tiff) == tiff)
    #expect(exif([0, 0, 0, 0, 5]) == [5])
    #expect(exif([0, 0, 0, 0]) == nil)
    #expect(exif([0, 0, 0]) == nil)
    #expect(exif([0, 0, 0, 9, 5]) == [])
  }

  @Test func aLengthMayHave64Bits() {
    func long(_ length: [UInt8], _ body: [UInt8]) -> [UInt8] {
      [0, 0, 0, 1] + Array("xml ".utf8) + length + body
    }
    let other = box("Exif", [0, 0, 0, 0] + tiff)
    let body = [UInt8](repeating: 60, count: 300)
    #expect(read(mark + long(big(316, 8), body) + other) == (tiff, body))
    // More than six bytes of a length are too much.
    for place in 0...1 {
      var length = big(316, 8)
      length[place] = 1
      #expect(read(mark + long(length, body) + other) == (nil, nil))
    }
    // No body, and less than the header.
    for count in 15...16 {
      #expect(read(mark + long(big(count, 8), []) + other).exif == nil)
    }
    // The file ends within the length.
    #expect(read(mark + long(big(316, 8), []).prefix(15)) == (nil, nil))
  }

  @Test func boxesEndInTheFile() {
    let whole = mark + box("xml ", [1, 2, 3])
    #expect(read(whole).xmp == [1, 2, 3])
    #expect(read(Array(whole.dropLast())).xmp == nil)
    #expect(read(whole + [0, 0, 0, 0] + Array("jxlc".utf8) + [5]).xmp == [1, 2, 3])
    // An empty box, and one that is shorter than its header.
    let after = box("Exif", [0, 0, 0, 0] + tiff)
    for length in [0, 2, 7, 8] {
      #expect(read(mark + big(length, 4) + Array("jxlc".utf8) + after) == (nil, nil))
    }
    #expect(read(mark + box("jxlc", [5]) + after).exif == tiff)
    // A header is whole.
    #expect(read(whole + [0, 0, 0, 9, 120, 109, 108]).xmp == [1, 2, 3])
  }

  @Test func aBoxHasAMostLength() {
    let most = 4 << 20
    for length in most - 1...most + 1 {
      let file = mark + box("xml ", [UInt8](repeating: 0, count: length - 8))
      #expect((read(file).xmp != nil) == (length <= most))
      #expect(read(file + box("Exif", [0, 0, 0, 0] + tiff)).exif == tiff)
    }
  }

  /// A block that has no room in a segment of a JPEG is written anew, with its short values.
  @Test func aLongBlockIsReduced() {
    let block =
      Array("MM".utf8) + [0, 42] + big(8, 4) + big(1, 2)
      + [1, 0x0F, 0, 2, 0, 0, 0, 2, 65, 0, 0, 0, 0, 0, 0, 0]
    func exif(_ length: Int) -> [UInt8]? {
      let padding = [UInt8](repeating: 0, count: length - block.count)
      return read(mark + box("Exif", [0, 0, 0, 0] + block + padding)).exif
    }
    expectMost(60_000) { exif($0)?.count == $0 }
    #expect(exif(60_001) == block)
  }
}
