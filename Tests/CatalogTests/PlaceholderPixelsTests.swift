import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// The pixels of hashes. The expected ones are by another program, which follows the reference
/// programs step by step.
@Suite struct PlaceholderPixelsTests {
  /// The sums of red, green, blue and alpha, and the sum of all samples weighted by their places.
  private static func sums(_ pixels: PlaceholderPixels?) -> [Int] {
    guard let samples = pixels?.samples.map(Int.init) else { return [] }
    let channels = (0..<4).map { channel in
      stride(from: channel, to: samples.count, by: 4).reduce(0) { $0 + samples[$1] }
    }
    return channels + [samples.enumerated().reduce(0) { $0 + ($1.offset % 251 + 1) * $1.element }]
  }

  @Test(
    arguments: [
      ("n9cFFIgRdXkWeYeQaanAL2xQ+A==", 32, 18, [64_118, 75_787, 76_936, 146_880, 45_818_517]),
      ("n/cFFAoQFpMKeIVmx4jzg1wE1g==", 18, 32, [68_776, 71_117, 76_936, 146_880, 45_229_748]),
      (
        "oNeBFIYXUHtDmuPWtNNwArxsBkg3iYd3CA==", 32, 26,
        [95_971, 112_823, 114_505, 99_003, 52_648_073]
      ),
      ("3weGEQgndJCZWmdvN6QHh3V4d4dECJk=", 6, 32, [24_223, 23_442, 24_619, 22_872, 12_104_604]),
      ("YviFGYIXQJd3eaVGP/be+XFgZ1d5iWg=", 32, 6, [26_817, 27_586, 24_865, 22_844, 12_893_928]),
      ("3wcKMhpwcIh3d3iHgIAH+Hg=", 9, 32, [36_397, 35_074, 36_913, 73_440, 21_932_015]),
    ] as [(String, Int, Int, [Int])])
  func thumbHashes(_ hash: String, _ width: Int, _ height: Int, _ sums: [Int]) throws {
    let pixels = try #require(CatalogPlaceholder.Kind.thumbhash(hash).pixels())
    #expect([pixels.width, pixels.height] == [width, height])
    #expect(Self.sums(pixels) == sums)
    // Without the padding of Base64; of a size the longer side counts.
    let short = CatalogPlaceholder.Kind.thumbhash(String(hash.prefix { $0 != "=" }))
    #expect(short.pixels(.init(width: 1, height: 32)) == pixels)
    let small = try #require(short.pixels(.init(width: 16, height: 1)))
    #expect(max(small.width, small.height) == 16)
    #expect(small.width == (width + 1) / 2 && small.height == (height + 1) / 2)
  }

  @Test(
    arguments: [
      (
        "LOF?X]EK5|P9-#DkRsnnQ9RGx?NY", 3,
        [0, 92, 94, 156, 87, 110, 166, 154, 128, 76, 183, 134, 153, 177, 163, 164, 192, 203]
      ),
      (
        "DJF?X]E11oL0At?R8}N7nnv#", 2,
        [0, 134, 123, 174, 166, 153, 0, 143, 121, 162, 159, 164, 0, 160, 118, 135, 143, 184]
      ),
      ("00F?X]", 2, [138, 150, 149, 138, 150, 149]), ("001Ci:", 1, [10, 11, 1]),
      (
        "|OF?X]EK5|P9F1?Ez=x[Eh-#DkRsnnrXfmr^S|NGQ9RGx?NY$9NHS^ahnT?GT]X1J:tMxBWGS1kVx=MyVPnlrYbcWCS^oe"
          + "-WikP3TUw6X4bDjxRQn|XjSeRXtKwJSPNss:-pa6R7iye;oNR*bXxHs*oHK$X}w4otoLR;NF", 3,
        [94, 158, 142, 225, 153, 138, 208, 186, 145, 81, 193, 138, 203, 178, 167, 199, 205, 189]
      ),
    ] as [(String, Int, [Int])])
  func blurHashes(_ hash: String, _ width: Int, _ colours: [Int]) throws {
    let size = CatalogSize(width: width, height: colours.count / 3 / width)
    let pixels = try #require(CatalogPlaceholder.Kind.blurhash(hash).pixels(size))
    #expect([pixels.width, pixels.height] == [size.width, size.height])
    let expected = stride(from: 0, to: colours.count, by: 3).flatMap { start -> [UInt8] in
      colours[start..<start + 3].map { UInt8($0) } + [255]
    }
    #expect(pixels.samples == expected)
  }

  @Test func blurHashesAtOtherSizes() {
    #expect(
      Self.sums(BlurHash.decode("LOF?X]EK5|P9-#DkRsnnQ9RGx?NY", width: 20, height: 15))
        == [39_467, 43_933, 43_180, 76_500, 24_694_095])
    #expect(
      Self.sums(BlurHash.decode("TLGb#UKb5yBfInKRUcVQw4v:bvZ~", width: 9, height: 31))
        == [37_706, 39_449, 40_251, 71_145, 22_700_322])
    expectMost(1_024) { BlurHash.decode("00F?X]", width: $0, height: 1)?.width == $0 }
    expectMost(1_024) { BlurHash.decode("00F?X]", width: 1, height: $0)?.height == $0 }
    expectLeast(1) { BlurHash.decode("00F?X]", width: $0, height: 1) != nil }
    expectLeast(1) { BlurHash.decode("00F?X]", width: 1, height: $0) != nil }
    let usual = CatalogPlaceholder.Kind.blurhash("00F?X]").pixels()
    #expect(usual?.width == 32 && usual?.height == 32)
  }

  /// Numbers that no encoder writes: an average of more than 24 bits, a factor of more than 19
  /// levels, nine components.
  @Test func damagedBlurHashes() {
    func isRead(_ hash: String) -> Bool { BlurHash.decode(hash, width: 2, height: 2) != nil }
    #expect(isRead("00TSUA") && !isRead("00TSUB"))
    #expect(isRead("100000~q") && !isRead("100000~r"))
    #expect(!isRead("00000") && !isRead("0000000") && !isRead("0000ä"))
    let digits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"
    for (value, digit) in digits.enumerated() {
      let (across, down) = (value % 9 + 1, value / 9 + 1)
      let hash = "\(digit)00000" + String(repeating: "0", count: 2 * (across * down - 1))
      #expect(isRead(hash) == (value < 81), "\(digit)")
      #expect(!isRead("\(hash)00") && isRead("00000\(digit)"))
    }
    for byte in (0x20...0x7E).compactMap({ Unicode.Scalar($0) })
    where !digits.unicodeScalars.contains(byte) {
      #expect(!isRead("0000\(Character(byte))0"))
    }
  }

  /// Headers that are cut off, or state no components.
  @Test func damagedThumbHashes() {
    // Opaque: a header of five bytes, and the factors of 3 x 3 (or 7 x 3), 3 x 3 and 3 x 3
    // components.
    func opaque(_ shape: Int, count: Int) -> PlaceholderPixels? {
      ThumbHash.decode(
        [0, 0, 0, UInt8(shape & 255), UInt8(shape >> 8)] + [UInt8](repeating: 0x77, count: count))
    }
    // 3 by 7: 14 factors of luminance and 5 of each colour, in half bytes.
    #expect(opaque(3, count: 12)?.width == 14 && opaque(3, count: 11) == nil)
    #expect(opaque(3 | 1 << 15, count: 12)?.height == 14 && opaque(3 | 1 << 15, count: 11) == nil)
    #expect(opaque(0, count: 40) == nil && opaque(1 << 15, count: 40) == nil)
    #expect(opaque(7, count: 40)?.width == 32 && opaque(1, count: 40)?.width == 5)
    #expect(ThumbHash.decode([0, 0, 0, 1]) == nil)
    // Translucent: one byte more, 5 components along the longer side, and a plane of 5 x 5.
    func translucent(_ count: Int) -> PlaceholderPixels? {
      ThumbHash.decode([0, 0, 0x80, 3, 0, 0x0F] + [UInt8](repeating: 0x77, count: count))
    }
    #expect(ThumbHash.decode([0, 0, 0x80, 3, 0]) == nil)
    // 3 by 5: 10 factors of luminance, 5 and 5 of the colours, and 14 of alpha.
    #expect(translucent(17)?.width == 19 && translucent(16) == nil)
  }

  @Test func theMostDetailedKindIsBest() {
    var placeholder = CatalogPlaceholder(color: "#010203", thumbhash: "t", blurhash: "b")
    #expect(placeholder.best == .thumbhash("t"))
    placeholder.thumbhash = nil
    #expect(placeholder.best == .blurhash("b"))
    placeholder.blurhash = nil
    #expect(placeholder.best == .color("#010203"))
    #expect(CatalogPlaceholder().best == nil)
    for text in [
      "#00000", "#0000000", "0000000", "#+12345", "#12345g", "#12345\u{FF11}", "x123456",
    ] {
      #expect(CatalogPlaceholder(color: text).rgb == nil, "\(text)")
    }
    #expect(CatalogPlaceholder(color: "#0aF102").rgb ?? (0, 0, 0) == (10, 241, 2))
    // The ThumbHash before the BlurHash, and that before the colour.
    let size = CatalogSize(width: 2, height: 1)
    var all = CatalogPlaceholder(
      color: "#010203", thumbhash: "3wcKMhpwcIh3d3iHgIAH+Hg=", blurhash: "00F?X]")
    #expect(all.pixels(size)?.height == 2 && all.pixels(size)?.width == 1)
    all.thumbhash = nil
    #expect(all.pixels(size)?.samples == [138, 150, 149, 255, 138, 150, 149, 255])
    all.blurhash = nil
    #expect(all.pixels(size)?.samples == [1, 2, 3, 255])
  }
}
