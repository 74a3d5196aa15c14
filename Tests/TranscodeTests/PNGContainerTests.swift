import TesseraPlan
import Testing

@testable import TesseraTranscode

@Suite struct PNGContainerTests {
  @Test func damageIsFoundInTheChunks() {
    func damage(_ bytes: [UInt8]) -> String? {
      bytes.withUnsafeBytes { PNGContainer.damage(in: $0) }
    }
    let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let (data, end) = (PNGContainer.written("IDAT", [1, 2, 3]), PNGContainer.written("IEND", []))
    let whole = start + data + end
    #expect(damage(whole) == nil)
    // What is not needed for the image is not the reason.
    let text = PNGContainer.written("tEXt", [9]).dropLast() + [9]
    #expect(damage(start + text + data + end) == nil)
    // What follows the end is not part of the image.
    #expect(damage(whole + [1]) == nil)
    for place in 0..<data.count {
      var changed = whole
      changed[8 + place] ^= 1
      #expect(damage(changed) != nil, "\(place)")
    }
    var wrong = whole
    wrong[17] ^= 1
    #expect(damage(wrong) == "the checksum of its chunk IDAT at byte 8 is wrong")
    for count in 8..<whole.count {
      let place = count < 8 + data.count ? 8 : 8 + data.count
      #expect(
        damage(Array(whole[..<count])) == "it is cut off in the chunk at byte \(place)", "\(count)")
    }
  }

  private static let header = chunk("IHDR", pngHeader(1, 1, colour: 0))
  private static let pixels = chunk("IDAT", stored([0, 7]))

  private static func clean(
    _ bytes: [UInt8], _ kept: MetadataPolicy, xmp: [UInt8] = []
  ) -> [UInt8]? {
    bytes.withUnsafeBytes { PNGContainer.clean($0, keeping: kept, xmp: xmp) }
  }

  private static let profile = chunk("iCCP", [1, 0, 0])
  private static let exif = chunk("eXIf", [77, 77])
  private static let density = chunk("pHYs", [0, 0, 0, 1, 0, 0, 0, 1, 1])
  private static let gamma = chunk("gAMA", [0, 0, 1, 0])
  /// The keyword, not compressed, method 0, no language, no translated keyword.
  private static let packet = chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0<x>".utf8))

  private static let policies: [(MetadataPolicy, [[UInt8]])] = [
    ([], []), (.icc, [profile, density]), (.exif, [density, exif]),
    (.xmp, [density, packet]), (.iptc, [density]), (.keep, [profile, density, exif, packet]),
  ]

  @Test(arguments: policies)
  func onlyWhatIsKeptStays(_ kept: MetadataPolicy, _ metadata: [[UInt8]]) {
    let texts = ["tEXt", "zTXt", "iTXt", "tIME"].flatMap { chunk($0, [1, 2, 3]) }
    let two = chunk("IDAT", [1]) + chunk("IDAT", [2])
    let whole =
      pngMark + Self.header + Self.profile + Self.density + texts + Self.gamma + Self.exif + two
      + Self.exif + chunk("IEND")
    // Each where it was, and XMP before the pixels.
    func stays(_ part: [UInt8]) -> [UInt8] { metadata.contains(part) ? part : [] }
    let expected =
      pngMark + Self.header + stays(Self.profile) + stays(Self.density) + Self.gamma
      + stays(Self.exif) + stays(Self.packet) + two + chunk("IEND")
    #expect(Self.clean(whole + [1, 2, 3], kept, xmp: Array("<x>".utf8)) == expected)
    #expect(Self.clean(whole.dropLast(), kept) == nil)
    #expect(Self.clean(whole.dropLast(12), kept) == nil)
  }

  // MARK: A source's image

  private static func image(_ source: [UInt8], _ result: [UInt8]) -> [UInt8]? {
    source.withUnsafeBytes { source in
      result.withUnsafeBytes { PNGContainer.image(of: source, withMetadataOf: $0) }
    }
  }

  private static let palette = chunk("PLTE", [1, 2, 3, 4, 5, 6])
  private static let alpha = chunk("tRNS", [0])
  private static let indexed = chunk("IHDR", pngHeader(2, 1, depth: 1, colour: 3))
  private static let indices = stored([0, 0x40])
  private static let rest =
    chunk("IDAT", Array(indices[..<5])) + chunk("IDAT", Array(indices[5...])) + chunk("IEND")
  private static let bare = pngMark + header + pixels + chunk("IEND")

  @Test func theImageGetsTheMetadataOfTheResult() {
    let source =
      pngMark + Self.indexed + Self.gamma + Self.packet + Self.palette + Self.exif + Self.alpha
      + Self.density + Self.rest
    let result =
      pngMark + Self.header + Self.profile + Self.gamma + Self.density + Self.palette
      + Self.packet + Self.pixels + Self.exif + chunk("IEND")
    let expected =
      pngMark + Self.indexed + Self.profile + Self.density + Self.packet + Self.exif
      + Self.palette + Self.alpha + Self.rest
    #expect(Self.image(source + [9], result) == expected)
    #expect(Self.image(source, Array(result.dropLast())) == nil)
    #expect(Self.image(Array(source.dropLast()), result) == nil)
  }

  @Test func aDamagedChunkIsRejected() {
    let whole = pngMark + Self.indexed + Self.palette + Self.alpha + Self.rest
    #expect(Self.image(whole, Self.bare) == whole)
    // In the checksum of each chunk.
    var start = 8
    while start < whole.count {
      let end = start + 12 + whole[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      var broken = whole
      broken[end - 1] ^= 1
      #expect(Self.image(broken, Self.bare) == nil, "at \(start)")
      start = end
    }
    // Not of the image.
    var other = pngMark + Self.indexed + Self.gamma + Self.palette + Self.rest
    other[8 + 25 + 8] ^= 1
    #expect(Self.image(other, Self.bare) == pngMark + Self.indexed + Self.palette + Self.rest)
  }

  @Test(arguments: [
    alpha + palette + rest, palette + palette + rest, palette + alpha + alpha + rest,
    palette + indexed + rest, palette + chunk("IEND"), chunk("IDAT", indices) + palette + rest,
    palette + chunk("IDAT", indices) + rest,
  ])
  func chunksOutOfOrderAreRejected(_ others: [UInt8]) {
    #expect(Self.image(pngMark + Self.indexed + others, Self.bare) == nil)
  }

  @Test func theHeaderComesFirstAndIsWhole() {
    #expect(Self.image(pngMark + Self.palette + Self.indexed + Self.rest, Self.bare) == nil)
    #expect(Self.image(pngMark + Self.palette + Self.rest, Self.bare) == nil)
    for count in [12, 14] {
      let header = (pngHeader(1, 1, colour: 0) + [0]).prefix(count)
      let file = pngMark + chunk("IHDR", Array(header)) + Self.pixels + chunk("IEND")
      #expect(Self.image(file, Self.bare) == nil)
    }
  }

  /// A file of one pixel.
  private static func accepts(
    colour: Int, depth: Int, palette: Int?, alpha: Int? = nil, end: [UInt8] = []
  ) -> Bool {
    let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colour] ?? 0
    let row = [UInt8](repeating: 0, count: 1 + (samples * depth + 7) / 8)
    func part(_ name: String, _ count: Int?) -> [UInt8] {
      count.map { chunk(name, [UInt8](repeating: 0, count: $0)) } ?? []
    }
    let file =
      pngMark + chunk("IHDR", pngHeader(1, 1, depth: depth, colour: colour))
      + part("PLTE", palette) + part("tRNS", alpha) + chunk("IDAT", stored(row))
      + chunk("IEND", end)
    return image(file, bare) == file
  }

  /// Section 11.2.3: at most as many colours as the depth has indices, and never more than 256.
  @Test(arguments: [
    (3, 1, 6), (3, 2, 12), (3, 4, 48), (3, 8, 768), (2, 8, 768), (2, 16, 768), (6, 8, 768),
    (6, 16, 768), (3, 16, 768),
  ])
  func aPaletteHasAMostLength(_ colour: Int, _ depth: Int, _ most: Int) {
    func accepts(_ palette: Int?) -> Bool {
      Self.accepts(colour: colour, depth: depth, palette: palette)
    }
    #expect(accepts(3) && accepts(most - 3) == (most > 3) && accepts(most))
    #expect(!accepts(most + 3) && !accepts(0) && !accepts(most - 1) && !accepts(most - 2))
    #expect(accepts(nil) == (colour != 3))
  }

  @Test(arguments: [0, 4]) func greyImagesHaveNoPalette(_ colour: Int) {
    #expect(Self.accepts(colour: colour, depth: 8, palette: nil))
    #expect(!Self.accepts(colour: colour, depth: 8, palette: 3))
  }

  /// Section 11.3.2.1: a sample for grey, three for colour, one byte for each colour of a palette.
  @Test(
    arguments: [
      (0, nil, [2]), (2, nil, [6]), (2, 9, [6]), (3, 3, [1]), (3, 9, [1, 2, 3]), (4, nil, []),
      (6, nil, []), (6, 3, []),
    ] as [(Int, Int?, [Int])])
  func transparencyHasALegalLength(_ colour: Int, _ palette: Int?, _ legal: [Int]) {
    for count in 0...8 {
      #expect(
        Self.accepts(colour: colour, depth: 8, palette: palette, alpha: count)
          == legal.contains(count), "\(count)")
    }
  }

  @Test func theEndChunkIsEmpty() {
    #expect(Self.accepts(colour: 0, depth: 8, palette: nil))
    #expect(!Self.accepts(colour: 0, depth: 8, palette: nil, end: [1]))
  }
}
