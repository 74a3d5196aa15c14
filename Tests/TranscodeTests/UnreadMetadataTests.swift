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

  // MARK: Text chunks of PNG

  /// As ImageMagick writes it.
  private func profile(_ name: String, _ content: [UInt8], as chunk: String = "tEXt") -> [UInt8] {
    let digits = content.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    var text = "\n\(name)\n\(String(repeating: " ", count: 7))\(content.count)\n"
    for (index, digit) in digits.enumerated() {
      text += (index > 0 && index % 72 == 0 ? "\n" : "") + String(digit)
    }
    let bytes = Array((text + "\n").utf8)
    return PNGContainer.written(
      chunk,
      Array("Raw profile type \(name)".utf8) + [0] + (chunk == "zTXt" ? [0] + stored(bytes) : bytes)
    )
  }

  private func png(_ chunks: [UInt8]...) -> [UInt8] {
    let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    return start + chunks.flatMap(\.self) + PNGContainer.written("IEND", [])
  }

  @Test(arguments: ["tEXt", "zTXt"]) func profilesAreTextInPNG(_ chunk: String) {
    let (mark, address) = (Array("Exif\0\0".utf8), Array("http://ns.adobe.com/xap/1.0/\0".utf8))
    let xmp = (0..<100).map { UInt8($0) }
    for name in ["exif", "APP1", "app1"] {
      for content in [tiff, mark + tiff] {
        #expect(read(png(profile(name, content, as: chunk)), .png) == (tiff, nil))
      }
    }
    #expect(read(png(profile("xmp", xmp, as: chunk)), .png) == (nil, xmp))
    let both = png(profile("APP1", address + xmp, as: chunk), profile("exif", tiff, as: chunk))
    #expect(read(both, .png) == (tiff, xmp))
    // The first of a kind.
    #expect(
      read(png(profile("xmp", [1]), profile("xmp", [2], as: chunk)), .png) == (nil, [1]))
    let resources = Array("8BIM".utf8) + [4, 4]
    withSource(png(profile("iptc", resources, as: chunk))) {
      #expect(
        UnreadMetadata(of: $0, .png).iptc == Array("Photoshop 3.0\0".utf8) + resources)
    }
  }

  /// A bare record of IPTC (IIM 4.2) begins with the mark of a dataset.
  @Test func iptcMayBeBare() {
    withSource(png(profile("iptc", [0x1C, 2, 5, 0, 1, 65]))) {
      #expect(UnreadMetadata(of: $0, .png).iptc == [0x1C, 2, 5, 0, 1, 65])
    }
  }

  /// A file of thousands of texts costs no more than one with a few.
  @Test func onlySoManyTextsAreRead() {
    for count in [14, 15, 16, 17] {
      let broken = (0..<count).flatMap { _ in
        PNGContainer.written("tEXt", Array("Raw profile type xmp\0\nxmp\n 9\n3c\n".utf8))
      }
      #expect((read(png(broken, profile("xmp", [7])), .png).xmp != nil) == (count < 16))
      // Of other kinds they are not counted.
      let others = (0..<count).flatMap { _ in profile("icc", [1]) }
      #expect(read(png(others, profile("xmp", [7])), .png).xmp == [7])
    }
  }

  @Test func aDamagedProfileIsNone() {
    func text(_ text: String) -> [UInt8] {
      png(PNGContainer.written("tEXt", Array("Raw profile type xmp\0\(text)".utf8)))
    }
    #expect(read(text("\nxmp\n 2\n3c78\n"), .png).xmp == [0x3C, 0x78])
    for damaged in [
      "", "\nxmp\n", "\nxmp\n 2\n", "\nxmp\n 2\n3c7\n", "\nxmp\n 3\n3c78\n",
      "\nxmp\n 1\n3c78\n", "\nxmp\n 2\n3c7g\n", "\nxmp\nx\n3c78\n", "\nxmp\n 2\n3c785\n",
    ] {
      #expect(read(text(damaged), .png) == (nil, nil), "\(damaged)")
    }
    // Cut off, of another method, and of a keyword that only begins like it.
    let whole = profile("xmp", [1, 2], as: "zTXt")
    #expect(read(png(Array(whole.dropLast(9))), .png) == (nil, nil))
    let method = Array("Raw profile type xmp".utf8) + [0, 1] + stored(Array("\nxmp\n 1\n05".utf8))
    #expect(read(png(PNGContainer.written("zTXt", method)), .png) == (nil, nil))
    let cut = Array("Raw profile type xmp".utf8) + [0, 0] + stored([1, 2]).dropLast(5)
    #expect(read(png(PNGContainer.written("zTXt", cut)), .png) == (nil, nil))
    #expect(read(png(profile("icc", [1])), .png) == (nil, nil))
    #expect(
      read(png(PNGContainer.written("tEXt", Array("Raw profile type xmp".utf8))), .png)
        == (nil, nil))
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
