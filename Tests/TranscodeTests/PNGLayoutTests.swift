import Testing

@testable import TesseraTranscode

/// Which files are usual (ISO/IEC 15948, clauses 11.2 and 11.3), and where their pixels are.
@Suite struct PNGLayoutTests {
  private func layout(_ file: [UInt8]) -> PNGLayout? { file.withUnsafeBytes { PNGLayout($0) } }

  private static let pixels = chunk("IDAT", [1]) + chunk("IDAT", [2, 2])
  private static let palette = chunk("PLTE", [1, 2, 3, 4, 5, 6])
  private static let colour = pngMark + chunk("IHDR", pngHeader(3, 258, colour: 2))
  private static let indexed = pngMark + chunk("IHDR", pngHeader(3, 258, colour: 3))

  @Test(arguments: [(0, 1), (2, 3), (4, 2), (6, 4)]) func usualFilesAreRead(
    _ colour: Int, _ bands: Int
  ) {
    let head = pngMark + chunk("IHDR", pngHeader(3, 258, colour: colour))
    let layout = layout(head + chunk("gAMA", [1]) + Self.pixels + chunk("tEXt") + chunk("IEND"))
    #expect(layout?.width == 3 && layout?.height == 258 && layout?.depth == 8)
    #expect(layout?.stored == bands && layout?.bands == bands && layout?.palette == [])
    #expect(layout?.pixels.map(\.body.count) == [1, 2])
  }

  @Test func aPaletteHasFourBytesAColour() {
    let rest = Self.pixels + chunk("IEND")
    let plain = layout(Self.indexed + Self.palette + rest)
    #expect(plain?.palette == [1, 2, 3, 255, 4, 5, 6, 255])
    #expect(plain?.bands == 3 && plain?.stored == 1)
    let one = layout(Self.indexed + Self.palette + chunk("tRNS", [9]) + rest)
    #expect(one?.palette == [1, 2, 3, 9, 4, 5, 6, 255] && one?.bands == 4)
    let both = layout(Self.indexed + Self.palette + chunk("tRNS", [9, 8]) + rest)
    #expect(both?.palette == [1, 2, 3, 9, 4, 5, 6, 8])
    for count in [0, 3] {
      let alphas = chunk("tRNS", [UInt8](repeating: 0, count: count))
      #expect(layout(Self.indexed + Self.palette + alphas + rest) == nil)
    }
  }

  /// As many colours as the depth has indices.
  @Test(arguments: [(1, 2), (2, 4), (4, 16), (8, 256)])
  func aPaletteHasAMostLength(_ depth: Int, _ most: Int) {
    func isRead(_ bytes: Int) -> Bool {
      layout(
        pngMark + chunk("IHDR", pngHeader(1, 1, depth: depth, colour: 3))
          + chunk("PLTE", [UInt8](repeating: 0, count: bytes)) + Self.pixels + chunk("IEND")) != nil
    }
    #expect(isRead(3) && isRead(most * 3) && !isRead(most * 3 + 3))
    #expect(!isRead(0) && !isRead(most * 3 - 1) && !isRead(most * 3 - 2))
  }

  @Test(
    arguments: [
      // A palette that is not needed is a suggestion; transparency of another kind is not handled.
      (colour + palette + pixels, true), (colour + palette + palette + pixels, false),
      (colour + chunk("PLTE") + pixels, false), (colour + chunk("PLTE", [1, 2]) + pixels, false),
      (colour + chunk("PLTE", [UInt8](repeating: 1, count: 768)) + pixels, true),
      (colour + chunk("PLTE", [UInt8](repeating: 1, count: 771)) + pixels, false),
      (colour + pixels + palette, false), (colour + chunk("a1bc") + pixels, false),
      (colour + chunk("tRNS", [0, 1, 0, 2, 0, 3]) + pixels, false),
      (indexed + pixels, false), (indexed + palette, false),
      (indexed + palette + palette + pixels, false),
      (indexed + pixels + palette, false), (indexed + chunk("tRNS", [1]) + palette + pixels, false),
      (indexed + palette + chunk("tRNS", [1]) + chunk("tRNS", [1]) + pixels, false),
      (indexed + palette + pixels + chunk("tRNS", [1]), false),
      (indexed + palette + pixels, true), (colour, false),
      // Pixels are in one place.
      (colour + chunk("IDAT", [1]) + chunk("tEXt") + chunk("IDAT", [2]), false),
      // A chunk that has to be understood, and another header.
      (colour + chunk("TESS") + pixels, false), (colour + chunk("tESS") + pixels, true),
      (colour + chunk("IHDR", pngHeader(3, 258, colour: 2)) + pixels, false),
      (pngMark + chunk("gAMA") + colour.dropFirst(8) + pixels, false),
      (pngMark + chunk("IHDR", pngHeader(3, 258, colour: 2) + [0]) + pixels, false),
      (pngMark + pixels, false),
    ] as [([UInt8], Bool)])
  func chunksAreUsual(_ beginning: [UInt8], _ isUsual: Bool) {
    #expect((layout(beginning + chunk("IEND")) != nil) == isUsual)
  }

  /// What libvips has to read.
  @Test(arguments: [
    ("iCCP", false), ("eXIf", false), ("acTL", false), ("gAMA", true), ("tEXt", true),
  ])
  func profilesExifAndAnimationsAreNotPlain(_ name: String, _ isPlain: Bool) {
    for file in [
      Self.colour + chunk(name, [1]) + Self.pixels, Self.colour + Self.pixels + chunk(name, [1]),
    ] {
      #expect(layout(file + chunk("IEND"))?.isPlain == isPlain)
    }
    #expect(layout(Self.colour + Self.pixels + chunk("IEND"))?.isPlain == true)
  }

  @Test func headersAreUsual() {
    func isUsual(_ header: [UInt8]) -> Bool {
      layout(
        pngMark + chunk("IHDR", header) + (header[9] == 3 ? Self.palette : []) + Self.pixels
          + chunk("IEND")) != nil
    }
    let legal: [Int: [Int]] = [0: [8], 2: [8], 3: [1, 2, 4, 8], 4: [8], 6: [8]]
    for colour in 0...7 {
      for depth in 0...17 {
        #expect(
          isUsual(pngHeader(1, 1, depth: depth, colour: colour))
            == (legal[colour] ?? []).contains(depth))
      }
    }
    for place in 10...12 {
      var header = pngHeader(1, 1, colour: 2)
      header[place] = 1
      #expect(!isUsual(header))
    }
    #expect(!isUsual(pngHeader(0, 1, colour: 2)) && !isUsual(pngHeader(1, 0, colour: 2)))
  }

  @Test func damagedFilesAreNotUsual() {
    let whole = Self.indexed + Self.palette + Self.pixels + chunk("tEXt", [1]) + chunk("IEND")
    #expect(layout(whole) != nil)
    #expect(layout(Array(whole.dropLast())) == nil)
    #expect(layout(Array(whole.dropLast(12)) + chunk("IEND", [1])) == nil)
    // In the body or in the checksum of every chunk.
    for place in [16, 32, 41, 45, 58, 59, 72, 87, whole.count - 1] {
      var other = whole
      other[place] ^= 1
      #expect(layout(other) == nil, "\(place)")
    }
  }
}

@Suite struct PNGRowsTests {
  private func rows(_ file: [UInt8]) -> [[UInt8]?]? {
    file.withUnsafeBytes { bytes in
      guard let layout = PNGLayout(bytes), let rows = PNGRows(layout, bytes) else { return nil }
      return (0..<layout.height).map { index in
        rows[index].map {
          Array(UnsafeBufferPointer(start: $0, count: layout.width * layout.bands))
        }
      }
    }
  }

  @Test func samplesAreAsStored() {
    let lines: [[UInt8]] = [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]
    #expect(rows(png(pngHeader(2, 2, colour: 2), lines)) == lines)
    // With the filters of each line: from the left, and from above.
    let filtered = stored([1, 1, 2, 3, 3, 3, 3, 2, 6, 6, 6, 6, 6, 6])
    let head = pngMark + chunk("IHDR", pngHeader(2, 2, colour: 2))
    #expect(rows(head + chunk("IDAT", filtered) + chunk("IEND")) == lines)
    let parts = chunk("IDAT", Array(filtered[..<9])) + chunk("IDAT", Array(filtered[9...]))
    #expect(rows(head + parts + chunk("IEND")) == lines)
    // An unknown filter.
    #expect(rows(head + chunk("IDAT", stored([5] + filtered.dropFirst())) + chunk("IEND")) == nil)
  }

  @Test func indicesHaveTheColoursOfThePalette() {
    let palette = chunk("PLTE", [1, 2, 3, 4, 5, 6, 7, 8, 9])
    let header = pngHeader(5, 2, depth: 2, colour: 3)
    let file = png(header, [[0b00_01_10_00, 0b01_000000], [0b00_01_11_00, 0]], palette)
    #expect(rows(file) == [[1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6], nil])
    let clear = png(header, [[0, 0], [0, 0]], palette + chunk("tRNS", [50]))
    #expect(rows(clear)?[0] == [1, 2, 3, 50, 1, 2, 3, 50, 1, 2, 3, 50, 1, 2, 3, 50, 1, 2, 3, 50])
  }

  @Test func thePixelsAreExactlyThoseOfTheRows() {
    func isRead(_ compressed: [UInt8], _ height: Int = 2) -> Bool {
      rows(
        pngMark + chunk("IHDR", pngHeader(2, height, colour: 0)) + chunk("IDAT", compressed)
          + chunk("IEND")) != nil
    }
    let whole = stored([0, 1, 2, 0, 3, 4])
    #expect(isRead(whole))
    #expect(!isRead(whole + [0]) && !isRead(whole.dropLast()) && !isRead(whole, 1))
    #expect(!isRead(whole, 3))
  }

  /// Deflate shrinks at most to 1/1032, so the header is wrong.
  @Test func aHeaderDoesNotPromiseMoreThanThereCanBe() {
    let file =
      pngMark + chunk("IHDR", pngHeader(16_000, 16_000, colour: 0))
      + chunk("IDAT", stored([0])) + chunk("IEND")
    #expect(rows(file) == nil)
  }

  private func areOpaque(_ alphas: [UInt8]) -> Bool? {
    let file = png(pngHeader(1, alphas.count, colour: 4), alphas.map { [7, $0] })
    return file.withUnsafeBytes { bytes in
      PNGLayout(bytes).flatMap { PNGRows($0, bytes) }?.areOpaque
    }
  }

  @Test func allRowsAreLookedAtForAlpha() {
    #expect(areOpaque([255, 255, 255]) == true)
    #expect(areOpaque([254, 255, 255]) == false)
    #expect(areOpaque([255, 255, 0]) == false)
  }
}
