import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// By the specification (W3C PNG, third edition).
@Suite struct PNGHeaderTests {
  private static func chunk(_ name: String, _ content: [UInt8] = []) -> [UInt8] {
    joined(be(content.count, 4), ascii(name), content, zeros(4))
  }

  private static func png(
    _ width: Int = 7, _ height: Int = 9, depth: UInt8 = 8, type: UInt8 = 2, chunks: [UInt8]...
  ) -> [UInt8] {
    joined(
      [0x89], ascii("PNG\r\n"), [0x1A, 0x0A],
      chunk("IHDR", joined(be(width, 4), be(height, 4), [depth, type, 0, 0, 0])),
      chunks.flatMap(\.self))
  }

  private static let pixels = chunk("IDAT", [1, 2, 3])

  /// Exif with one entry, the orientation.
  private static func exif(_ orientation: Int) -> [UInt8] {
    joined(
      ascii("MM\0*"), be(8, 4), be(1, 2), be(0x0112, 2), be(3, 2), be(1, 4), be(orientation, 2),
      zeros(6))
  }

  @Test func sizesHave31Bits() {
    #expect(
      whole(Self.png(0x0102_0304, 0x0506_0708, chunks: Self.pixels)) == "png 16909060x84281096@8")
    expectMost(0x7FFF_FFFF) { whole(Self.png($0, 1, chunks: Self.pixels)).hasPrefix("png ") }
    expectMost(0x7FFF_FFFF) { whole(Self.png(1, $0, chunks: Self.pixels)).hasPrefix("png ") }
    #expect(
      whole(Self.png(1, 1 << 31, chunks: Self.pixels))
        == "malformed: a PNG image, but its header chunk (IHDR) has invalid values")
    // Without a size, no further byte is worth a request.
    #expect(beginning(Self.png(0, 9)) == "malformed: a PNG image of 0 x 9 pixels")
    #expect(beginning(Self.png(7, 0)) == "malformed: a PNG image of 7 x 0 pixels")
  }

  @Test func onlyDefinedTypesAndDepthsAreAccepted() {
    for value in UInt8.min...UInt8.max {
      let type = whole(Self.png(type: value, chunks: Self.pixels))
      switch value {
      case 0, 2, 3: #expect(type == "png 7x9@8")
      case 4, 6: #expect(type == "png 7x9@8 alpha")
      default: #expect(type.hasSuffix("its header chunk (IHDR) has invalid values"))
      }
      let depth = whole(Self.png(depth: value, chunks: Self.pixels))
      let isDefined = [1, 2, 4, 8, 16].contains(value)
      #expect(depth == "png 7x9@\(value)" || !isDefined && depth.hasPrefix("malformed: "))
    }
  }

  @Test func theFirstChunkIsTheHeader() {
    let wrong = "malformed: a PNG image, but its first chunk is not IHDR"
    for place in [11, 12, 15] {
      var bytes = Self.png(chunks: Self.pixels)
      bytes[place] ^= 1
      #expect(whole(bytes) == wrong, "byte \(place)")
    }
  }

  @Test(
    arguments: [
      ([chunk("tRNS", [0]), pixels], "png 7x9@8 alpha"),
      ([pixels, chunk("tRNS", [0])], "png 7x9@8"),
      ([chunk("iCCP", [0]), pixels], "png 7x9@8 profile"), ([pixels, chunk("iCCP")], "png 7x9@8"),
      ([chunk("gAMA"), chunk("tRNS"), chunk("iCCP"), pixels], "png 7x9@8 alpha profile"),
      ([chunk("eXIf", exif(6)), pixels], "png 7x9@8 orientation 6"),
      ([pixels, chunk("eXIf", exif(6))], "png 7x9@8"),
      ([chunk("eXIf", exif(6)), chunk("eXIf", exif(8)), pixels], "png 7x9@8 orientation 6"),
      // The first counts, even if it is damaged.
      ([chunk("eXIf"), chunk("eXIf", exif(8)), pixels], "png 7x9@8"),
      ([chunk("acTL", be(0x0102 << 32, 8)), pixels], "png 7x9@8 animated frames 258"),
      ([chunk("acTL", be(2 << 32, 8)), pixels], "png 7x9@8 animated frames 2"),
      ([chunk("acTL", be(1 << 32 + 5, 8)), pixels], "png 7x9@8 frames 1"),
      ([chunk("IEND")], "malformed: a PNG image, but it has no pixels (IDAT)"),
      (
        [chunk("tEXt", [1]), be(0x8000_0000, 4), ascii("tEXt")],
        "malformed: a PNG image, but one of its chunks is 2147483648 bytes long (byte 46)"
      ),
      // What is cut off behind the size only cannot refine it.
      ([be(0x7FFF_FFFF, 4), ascii("tEXt")], "png 7x9@8"), ([chunk("tRNS")], "png 7x9@8 alpha"),
    ] as [([[UInt8]], String)])
  func chunksBeforeThePixelsCount(_ chunks: [[UInt8]], _ expected: String) {
    #expect(whole(Self.png(chunks: chunks.flatMap(\.self))) == expected)
  }

  /// A file that is made to be walked indefinitely ends the walk, and keeps what is known.
  @Test func aWalkHasACeiling() {
    expectMost(4_095) { count in
      let empty = (0..<count).flatMap { _ in Self.chunk("tEXt") }
      return whole(Self.png(chunks: empty, Self.chunk("tRNS"), Self.pixels)) == "png 7x9@8 alpha"
    }
  }

  @Test func eachLengthHasItsAnswer() {
    let bytes = Self.png(
      chunks: Self.chunk("tRNS", [0]), Self.chunk("eXIf", Self.exif(6)), Self.pixels)
    #expect(
      answersByLength(bytes) == [
        "0 not-image", "8 truncated", "33 png 7x9@8", "41 png 7x9@8 alpha",
        // The value of the orientation ends at byte 20 of its block.
        "74 png 7x9@8 orientation 6 alpha",
      ])
    #expect(beginning(bytes) == "png 7x9@8 orientation 6 alpha")
    #expect(beginning(Array(bytes[..<33])) == "needs 33..<37")
    #expect(beginning(Array(bytes[..<33]), isExact: false) == "png 7x9@8")
    #expect(beginning(Array(bytes[..<32]), isExact: false) == "needs 8..<33")
  }

  /// Contents of chunks are not requested, but the beginning of Exif and its directory.
  @Test func onlyWhatCountsIsRequested() {
    let bytes = Self.png(
      chunks: Self.chunk("tEXt", zeros(500)), Self.chunk("eXIf", Self.exif(6)), Self.pixels)
    #expect(
      requests(bytes) == [
        "0..<32", "8..<33", "33..<37", "37..<41",
        // Behind the text: length, type, the block's header, its directory's count, and the one
        // entry.
        "545..<549", "549..<553", "553..<561", "561..<563", "563..<565", "565..<567", "567..<571",
        "571..<573", "583..<587", "587..<591", "png 7x9@8 orientation 6",
      ])
  }
}
