import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// Formats whose headers have all fields at constant places.
@Suite struct SmallFormatTests {
  @Test func qoi() {
    func qoi(_ channels: UInt8) -> [UInt8] {
      joined(ascii("qoif"), be(0x0102_0304, 4), be(0x0506_0708, 4), [channels, 1])
    }
    #expect(whole(qoi(3)) == "qoi 16909060x84281096@8")
    #expect(whole(qoi(5)) == "qoi 16909060x84281096@8")
    #expect(
      answersByLength(qoi(4))
        == ["0 not-image", "4 truncated", "13 qoi 16909060x84281096@8 alpha"])
  }

  @Test func dds() {
    func dds(_ flags: Int, size: Int = 124) -> [UInt8] {
      joined(
        ascii("DDS "), le(size, 4), le(-1, 4), le(0x0506_0708, 4), le(0x0102_0304, 4),
        [UInt8](repeating: 0xFF, count: 60), le(flags, 4))
    }
    for flags in [0, 2, 4, 0xFFFE] { #expect(whole(dds(flags)) == "dds 16909060x84281096@8") }
    #expect(whole(dds(0x41)) == "dds 16909060x84281096@8 alpha")
    for size in [123, 125] {
      #expect(
        whole(dds(1, size: size)) == "malformed: a DDS image, but its header length is not 124")
    }
    #expect(
      answersByLength(dds(1))
        == ["0 not-image", "4 truncated", "84 dds 16909060x84281096@8 alpha"])
  }

  @Test func psd() {
    func psd(version: Int = 1, channels: Int = 3, mode: Int = 3) -> [UInt8] {
      joined(
        ascii("8BPS"), be(version, 2), zeros(6), be(channels, 2), be(0x0506_0708, 4),
        be(0x0102_0304, 4), be(16, 2), be(mode, 2))
    }
    for (mode, colours) in [(1, 1), (3, 3), (4, 4), (9, 3)] {
      expectMost(colours) { whole(psd(channels: $0, mode: mode)) == "psd 16909060x84281096@16" }
      #expect(
        whole(psd(channels: colours + 1, mode: mode)) == "psd 16909060x84281096@16 alpha")
    }
    // Bitmaps and indexed images have none.
    for mode in [0, 2, 7, 8, 256] {
      #expect(whole(psd(channels: 50, mode: mode)) == "psd 16909060x84281096@16")
    }
    for version in [0, 1, 2, 3, 256] {
      #expect(
        whole(psd(version: version))
          == ((1...2).contains(version)
            ? "psd 16909060x84281096@16" : "malformed: a PSD image, but its version is \(version)"))
    }
    #expect(
      answersByLength(psd()) == ["0 not-image", "4 truncated", "26 psd 16909060x84281096@16"])
  }

  /// A text may begin with "BM": the length of the information header tells it from a bitmap.
  @Test func bmp() {
    func bmp(_ size: Int, _ width: Int = 7, _ height: Int = 9, bits: Int = 24, mask: Int = 0)
      -> [UInt8]
    {
      joined(
        ascii("BM"), zeros(12), le(size, 4), le(width, 4), le(height, 4), le(1, 2), le(bits, 2),
        zeros(36), le(mask, 4), zeros(2))
    }
    #expect(whole(bmp(40, 0x0102_0304, 0x0506_0708)) == "bmp 16909060x84281096@8")
    #expect(whole(bmp(40, 7, -9)) == "bmp 7x9@8")
    #expect(whole(bmp(40, 0, 9)) == "malformed: a BMP image, but its width is 0")
    #expect(whole(bmp(40, -7, 9)) == "malformed: a BMP image, but its width is -7")
    #expect(whole(bmp(40, 1, 0)) == "malformed: a BMP image of 1 x 0 pixels")
    #expect(whole(bmp(40, 1, -1 << 31)) == "malformed: a BMP image of 1 x 2147483648 pixels")
    for size in Array(0...20) + [255, 256, 257, 0x0100_0028] {
      // The first header has sides of 16 bits.
      let expected = size == 12 ? "bmp 7x0@8" : "bmp 7x9@8"
      let text = whole(bmp(size))
      let isLength = size == 12 || (16...256).contains(size)
      #expect(
        text == (size == 12 ? "malformed: a BMP image of 7 x 0 pixels" : expected)
          || !isLength && text.hasPrefix("not-image: "), "\(size)")
      #expect(BMPHeader.isLength(size) == isLength)
    }
    let core = joined(ascii("BM"), zeros(12), le(12, 4), le(0x0102, 2), le(0x0304, 2))
    #expect(answersByLength(core) == ["0 not-image", "19 truncated", "22 bmp 258x772@8"])
    // A mask for alpha from version 3 on, and of 32 bits.
    for (size, bits, mask, suffix) in [
      (56, 32, 0xFF00_0000, " alpha"), (124, 32, 0x100, " alpha"), (56, 32, 0, ""),
      (55, 32, -1, ""), (40, 32, -1, ""), (56, 24, -1, ""), (56, 16, -1, ""),
    ] {
      #expect(whole(bmp(size, bits: bits, mask: mask)) == "bmp 7x9@8\(suffix)", "\(size) \(bits)")
    }
    #expect(
      answersByLength(bmp(56, bits: 32, mask: 1)) == [
        "0 not-image", "19 truncated", "70 bmp 7x9@8 alpha",
      ])
  }

  private static func tga(
    map: UInt8 = 0, type: UInt8 = 2, first: Int = 0, length: Int = 0, entry: UInt8 = 0,
    _ width: Int = 7, _ height: Int = 9, depth: UInt8 = 24, descriptor: UInt8 = 0
  ) -> String {
    let id: [UInt8] = [0, map, type]
    let text = whole(
      joined(
        id, le(first, 2), le(length, 2), [entry], zeros(4), le(width, 2), le(height, 2),
        [depth, descriptor]))
    return text.hasPrefix("not-image: ") ? "no" : text
  }

  /// There is no signature, so that every field has to be plausible.
  @Test func tga() {
    #expect(Self.tga(0x0102, 0x0304) == "tga 258x772@8")
    #expect(Self.tga(0, 9) == "no" && Self.tga(7, 0) == "no")
    for descriptor in UInt8.min...UInt8.max {
      let expected = descriptor & 15 > 0 ? "tga 7x9@8 alpha" : "tga 7x9@8"
      #expect(Self.tga(descriptor: descriptor) == (descriptor < 0x40 ? expected : "no"))
    }
    for type: UInt8 in 0...16 {
      #expect((Self.tga(type: type, depth: 24) != "no") == [2, 10].contains(type), "\(type)")
      #expect((Self.tga(type: type, depth: 8) != "no") == [3, 11].contains(type), "\(type)")
      let mapped = Self.tga(map: 1, type: type, length: 1, entry: 24, depth: 8)
      #expect((mapped != "no") == [1, 9, 3, 11].contains(type), "\(type)")
    }
    for depth: UInt8 in 0...40 {
      #expect((Self.tga(type: 2, depth: depth) != "no") == [15, 16, 24, 32].contains(depth))
      #expect((Self.tga(type: 3, depth: depth) != "no") == [1, 8, 16].contains(depth))
      let mapped = Self.tga(map: 1, type: 1, length: 1, entry: 24, depth: depth)
      #expect((mapped != "no") == [8, 16].contains(depth))
      let entry = Self.tga(map: 1, type: 9, length: 1, entry: depth, depth: 8)
      #expect((entry != "no") == [15, 16, 24, 32].contains(depth))
    }
    #expect(Self.tga(map: 1, type: 1, length: 0, entry: 24, depth: 8) == "no")
    // A length of 1 would be an icon with 256 images.
    #expect(Self.tga(map: 0, type: 1, length: 256, entry: 24, depth: 8) == "no")
    // An image without a map has none, or says that it has.
    #expect(Self.tga(map: 0, first: 1) == "no")
    #expect(Self.tga(map: 1, first: 1) == "tga 7x9@8" && Self.tga(map: 2) == "no")
  }

  private static func ico(_ entries: [(Int, Int, Int)], type: Int = 1, _ further: [UInt8] = [])
    -> [UInt8]
  {
    joined(
      le(0, 2), le(type, 2), le(entries.count, 2),
      entries.flatMap { joined([UInt8($0.0), UInt8($0.1)], zeros(10), le($0.2, 4)) }, further)
  }

  /// The largest image by the directory, in which 0 means 256; its own header decides.
  @Test func ico() {
    #expect(
      whole(Self.ico([(16, 24, 0), (32, 48, 0), (24, 24, 0)], type: 2)) == "ico 32x48@8 alpha")
    #expect(whole(Self.ico([(16, 0, 0), (0, 16, 0), (64, 64, 0)])) == "ico 16x256@8 alpha")
    #expect(whole(Self.ico([(0, 0, 0), (255, 255, 0)])) == "ico 256x256@8 alpha")
    #expect(whole(Self.ico([])).hasPrefix("not-image: "))
    #expect(whole(Self.ico([(1, 1, 0)], type: 3)).hasPrefix("not-image: "))
    let png = joined(
      [0x89], ascii("PNG\r\n"), [0x1A, 0x0A], be(13, 4), ascii("IHDR"), be(0x0102, 4), be(0x0304, 4)
    )
    #expect(whole(Self.ico([(8, 8, 38), (9, 9, 38)], png)) == "ico 258x772@8 alpha")
    #expect(whole(Self.ico([(8, 8, 22)], png)) == "ico 258x772@8 alpha")
    // Before the first image, or cut off: the directory decides.
    #expect(whole(Self.ico([(8, 8, 21)], png)) == "ico 8x8@8 alpha")
    #expect(whole(Self.ico([(8, 8, 23)], png)) == "ico 8x8@8 alpha")
    for place in [0, 1, 2, 3, 12, 13, 14, 15] {
      var other = png
      other[place] ^= 1
      #expect(whole(Self.ico([(8, 8, 22)], other)) == "ico 8x8@8 alpha", "byte \(place)")
    }
    #expect(
      answersByLength(Self.ico([(8, 8, 22)], png))
        == ["0 not-image", "6 truncated", "22 ico 8x8@8 alpha", "46 ico 258x772@8 alpha"])
    #expect(beginning(Array(Self.ico([(8, 8, 1_000)]))) == "needs 0..<32")
    #expect(
      requests(joined(Self.ico([(8, 8, 1_000), (9, 9, 900)]), zeros(1_000)))
        == ["0..<32", "6..<38", "900..<924", "ico 9x9@8 alpha"])
    #expect(
      whole(joined(le(0, 2), le(1, 2), le(4_097, 2), zeros(40)))
        == "not-image: not a recognized image")
  }

  /// A side of 0 in the directory beside an image that is smaller: the largest image counts.
  @Test func anIconsImageSaysItsOwnSize() {
    func png(_ width: Int, _ height: Int) -> [UInt8] {
      joined(
        [0x89], ascii("PNG\r\n"), [0x1A, 0x0A], be(13, 4), ascii("IHDR"), be(width, 4),
        be(height, 4))
    }
    let bitmap = joined(le(40, 4), le(16, 4), le(32, 4), zeros(28))
    for small in [png(16, 16), bitmap] {
      let images = joined(small, png(32, 32))
      let second = 38 + small.count
      for entries in [[(0, 0, 38), (32, 32, second)], [(32, 32, second), (0, 0, 38)]] {
        #expect(whole(Self.ico(entries, images)) == "ico 32x32@8 alpha")
      }
      #expect(whole(Self.ico([(0, 0, 22)], small)) == "ico 16x16@8 alpha")
    }
    #expect(
      whole(Self.ico([(0, 0, 38), (32, 32, 62)], joined(png(256, 256), png(32, 32))))
        == "ico 256x256@8 alpha")
    // Sides that no PNG has.
    #expect(whole(Self.ico([(0, 0, 22)], png(0x8000_0000, 0xFFFF_FFFF))) == "ico 256x256@8 alpha")
  }

  /// A bitmap's height counts the mask, too; it has at most what the directory can state.
  @Test func bitmapsInIcons() {
    func read(_ width: Int, _ height: Int, size: Int = 40) -> String {
      whole(Self.ico([(8, 8, 22)], joined(le(size, 4), le(width, 4), le(height, 4), zeros(28))))
    }
    #expect(read(20, 60) == "ico 20x30@8 alpha" && read(20, -60) == "ico 20x30@8 alpha")
    expectMost(256) { read($0, 60) == "ico \($0)x30@8 alpha" }
    expectMost(256) { read(20, 2 * $0) == "ico 20x\($0)@8 alpha" }
    expectLeast(1) { read($0, 60) == "ico \($0)x30@8 alpha" }
    expectLeast(1) { read(20, 2 * $0) == "ico 20x\($0)@8 alpha" }
    expectLeast(16) { read(20, 60, size: $0) == "ico 20x30@8 alpha" }
    expectMost(256) { read(20, 60, size: $0) == "ico 20x30@8 alpha" }
    #expect(read(20, 60, size: 12) == "ico 8x8@8 alpha")
  }
}
