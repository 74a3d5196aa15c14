import TesseraTestSupport
import Testing

@testable import TesseraTranscode

/// Bitmaps by Microsoft's documentation of BITMAPCOREHEADER, BITMAPINFOHEADER and its successors.
struct WrittenBitmap {
  var width = 2
  /// Negative if the first stored row is the highest.
  var rows = 2
  var bits = 24
  var compression = 0
  var colours = 0
  var size = 40
  /// Of the header, behind the fields that all versions have: masks and the like.
  var more: [UInt8] = []
  /// Blue, green, red, and a byte without meaning.
  var palette: [UInt8] = []
  var pixels: [UInt8] = []

  /// The bitmap without the file's header, as icons have it.
  var dib: [UInt8] {
    if size == 12 {
      return little(12, 4) + little(width, 2) + little(rows, 2) + little(1, 2) + little(bits, 2)
        + palette + pixels
    }
    let fields =
      little(size, 4) + little(width, 4) + little(rows, 4) + little(1, 2) + little(bits, 2)
      + little(compression, 4) + little(pixels.count, 4) + little(0x0B13, 4) + little(0x0B12, 4)
      + little(colours, 4) + little(0, 4)
    let header = (fields + more + [UInt8](repeating: 0, count: max(0, size - 40 - more.count)))
    return header.prefix(max(size, 40 + more.count) - (size < 40 ? 40 - size : 0)) + palette
      + pixels
  }

  /// - Parameter start: of the pixels, if it is not what it should be.
  func file(pixelsAt start: Int? = nil) -> [UInt8] {
    Array("BM".utf8) + little(14 + dib.count, 4) + little(0, 4)
      + little(start ?? 14 + dib.count - pixels.count, 4) + dib
  }
}

/// A decoded bitmap, or why there is none.
func bitmap(_ file: [UInt8], maximumPixels: Int = 1_000_000) -> (String, [UInt8]) {
  do throws(BitmapError) {
    let bitmap = try BMPDecoder.decode(file.span, maximumPixels: maximumPixels)
    return ("\(bitmap.width) x \(bitmap.height) x \(bitmap.bands)", bitmap.samples)
  } catch {
    return (error.reason, [])
  }
}

@Suite struct BMPTests {
  private let pixels: [UInt8] = [1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]
  private let upright: [UInt8] = [9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4]

  @Test func rowsAreStoredFromTheLowestOnAndAsBlueGreenRed() {
    var written = WrittenBitmap(pixels: pixels)
    #expect(bitmap(written.file()) == ("2 x 2 x 3", upright))
    written.rows = -2
    #expect(bitmap(written.file()) == ("2 x 2 x 3", Array(upright[6...] + upright[..<6])))
    // A gap before the pixels.
    #expect(
      bitmap(written.file(pixelsAt: 55) + [9]).1 != bitmap(written.file()).1)
    // Every version of the header.
    for size in [12, 16, 20, 36, 40, 52, 56, 64, 108, 124, 255, 256] {
      let written = WrittenBitmap(size: size, pixels: pixels)
      #expect(bitmap(written.file()) == ("2 x 2 x 3", upright), "\(size)")
    }
    var other = WrittenBitmap(pixels: pixels).file()
    for size in [0, 11, 13, 15, 257] {
      other.replaceSubrange(14..<18, with: little(size, 4))
      #expect(bitmap(other).0 == "has an information header of \(size) bytes")
    }
    other[1] = 65
    #expect(bitmap(other).0 == "is not a BMP file")
  }

  @Test(arguments: [1, 2, 4, 8]) func indicesHaveTheColoursOfThePalette(_ bits: Int) {
    let count = 1 << bits
    let palette = (0..<count).map { [UInt8($0), UInt8(255 - $0), UInt8($0 / 2)] }
    let indices = (0..<20).map { $0 * 7 % count }
    var row = [UInt8](repeating: 0, count: (20 * bits + 31) / 32 * 4)
    for (x, index) in indices.enumerated() {
      row[x * bits / 8] |= UInt8(index << (8 - bits - x * bits % 8))
    }
    let samples = indices.flatMap { palette[$0].reversed() }
    for size in [12, 40] {
      let written = WrittenBitmap(
        width: 20, rows: 1, bits: bits, size: size,
        palette: palette.flatMap { size == 12 ? $0 : $0 + [77] }, pixels: row)
      #expect(bitmap(written.file()) == ("20 x 1 x 3", samples))
      // The offset of the pixels does not count the palette.
      #expect(bitmap(written.file(pixelsAt: 14 + size)) == ("20 x 1 x 3", samples))
    }
  }

  @Test func anIndexBeyondThePaletteIsBlack() {
    let written = WrittenBitmap(
      width: 4, rows: -1, bits: 8, colours: 2, palette: [1, 2, 3, 0, 4, 5, 6, 0],
      pixels: [0, 1, 2, 255])
    #expect(bitmap(written.file()) == ("4 x 1 x 3", [3, 2, 1, 6, 5, 4, 0, 0, 0, 0, 0, 0]))
    // More colours than indices are not read.
    let more = WrittenBitmap(
      width: 1, rows: 1, bits: 1, colours: 99, palette: [1, 2, 3, 0, 4, 5, 6, 0],
      pixels: [0x80, 0, 0, 0])
    #expect(bitmap(more.file()) == ("1 x 1 x 3", [6, 5, 4]))
    // With more than eight bits a palette is a suggestion, which nothing reads.
    let direct = WrittenBitmap(width: 1, rows: 1, colours: 7, pixels: [1, 2, 3, 0])
    #expect(bitmap(direct.file()) == ("1 x 1 x 3", [3, 2, 1]))
  }

  @Test(.faults(.i34)) func fieldsAreScaledToBytes() {
    func decoded(_ bits: Int, _ compression: Int, _ more: [Int], _ value: Int, _ size: Int = 40)
      -> [UInt8]
    {
      let written = WrittenBitmap(
        width: 1, rows: 1, bits: bits, compression: compression, size: size,
        more: more.flatMap { little($0, 4) }, pixels: little(value, 4))
      return bitmap(written.file()).1
    }
    // Five bits each without masks.
    #expect(decoded(16, 0, [], 1 << 10 | 16 << 5 | 31) == [8, 132, 255])
    let green = [0xF800, 0x7E0, 0x1F]
    #expect(decoded(16, 3, green, 2 << 11 | 32 << 5 | 30) == [16, 130, 247])
    #expect(decoded(16, 3, [0xF000, 0, 0xF], 0xA00B) == [170, 0, 187])
    let mask = [0xFF, 0xFF00, 0xFF_0000]
    #expect(decoded(32, 3, mask, 0x0403_0201) == [1, 2, 3])
    // Alpha: in its own compression, and from version 3 of the header on.
    #expect(decoded(32, 6, mask + [0xFF00_0000], 0x0403_0201) == [1, 2, 3, 4])
    #expect(decoded(32, 3, mask + [0xFF00_0000], 0x0403_0201, 56) == [1, 2, 3, 4])
    #expect(decoded(32, 3, mask + [0xFF00_0000], 0x0403_0201, 52) == [1, 2, 3])
    #expect(decoded(32, 0, mask + [0xFF00_0000], 0x0403_0201, 56) == [3, 2, 1, 4])
    #expect(decoded(32, 0, [], 0x0403_0201) == [3, 2, 1])
    // With 16 bits only a mask that the header has for its pixels counts.
    let five = [0x7C00, 0x3E0, 0x1F, 0x8000]
    #expect(decoded(16, 6, five, 0x8000) == [0, 0, 0, 255])
    #expect(decoded(16, 3, five, 0xFFFF, 56) == [255, 255, 255, 255])
    #expect(decoded(16, 0, five, 0xFFFF, 56) == [255, 255, 255])
    // An alpha of nothing but zeros means an opaque image, unless a mask says that it is meant.
    #expect(decoded(32, 6, mask + [0xFF00_0000], 0x0003_0201) == [1, 2, 3, 0])
    #expect(decoded(32, 0, mask + [0xFF00_0000], 0x0003_0201, 56) == [3, 2, 1, 255])
  }

  @Test func oneAlphaOfManyIsEnough() {
    let mask = [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000].flatMap { little($0, 4) }
    let written = WrittenBitmap(
      width: 2, rows: 1, bits: 32, compression: 6, more: mask, pixels: [1, 2, 3, 0, 4, 5, 6, 9])
    #expect(bitmap(written.file()) == ("2 x 1 x 4", [1, 2, 3, 0, 4, 5, 6, 9]))
  }

  /// Which bits each compression allows.
  @Test(arguments: 0...8) func bitsAreOfTheCompression(_ compression: Int) {
    let legal: [Int: [Int]] = [
      0: [1, 2, 4, 8, 16, 24, 32], 1: [8], 2: [4], 3: [16, 32], 6: [16, 32],
    ]
    for bits in [0, 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 24, 25, 32, 33, 64] {
      let written = WrittenBitmap(
        width: 1, rows: 1, bits: bits, compression: compression,
        pixels: [UInt8](repeating: 0, count: 2_000))
      let isRejected =
        bitmap(written.file()).0 == "has \(bits) bits per pixel in compression \(compression)"
      #expect(isRejected == !(legal[compression]?.contains(bits) ?? false), "\(bits)")
    }
  }

  /// OS/2's own compression has the number of another one of Windows.
  @Test(.faults(.i34)) func runsOf24BitsAreOfOS2() {
    for size in [12, 16, 20, 24, 36, 40, 48, 52, 56, 64, 108, 124] {
      let written = WrittenBitmap(
        width: 3, rows: 1, bits: 24, compression: 4, size: size,
        // A run of two, and one by itself, which an even number of bytes follows.
        pixels: [2, 3, 2, 1, 1, 6, 5, 4, 0, 1])
      let isOfOS2 = [24, 48, 64].contains(size)
      #expect((bitmap(written.file()).1 == [1, 2, 3, 1, 2, 3, 4, 5, 6]) == isOfOS2, "\(size)")
    }
    let copied = WrittenBitmap(
      width: 5, rows: 1, bits: 24, compression: 4, size: 64,
      pixels: [0, 3, 3, 2, 1, 6, 5, 4, 9, 8, 7, 77, 2, 3, 2, 1, 0, 1])
    #expect(
      bitmap(copied.file()) == ("5 x 1 x 3", [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 1, 2, 3]))
    let other = WrittenBitmap(width: 1, rows: 1, bits: 8, compression: 4, size: 64)
    #expect(bitmap(other.file()).0 == "has 8 bits per pixel in compression 4")
    let number = WrittenBitmap(width: 1, rows: 1, bits: 24, compression: 100, size: 64)
    #expect(bitmap(number.file()).0 == "has 24 bits per pixel in compression 100")
  }

  /// The fifth version of the header may have a profile, in the file or elsewhere.
  @Test(.faults(.i34)) func aProfileIsInTheFile() throws {
    let profile = [UInt8](1...9)
    func found(_ mark: String, size: Int = 124, length: Int = 9, at place: Int = 124 + 16)
      -> [UInt8]
    {
      var more = [UInt8](repeating: 0, count: 84)
      more.replaceSubrange(16..<20, with: mark.utf8.reversed())
      more.replaceSubrange(72..<80, with: little(place, 4) + little(length, 4))
      let written = WrittenBitmap(
        size: size, more: Array(more.prefix(size - 40)), pixels: pixels + profile)
      return (try? BMPDecoder.decode(written.file().span, maximumPixels: 99))?.profile ?? [0]
    }
    #expect(found("MBED") == profile)
    #expect(found("LINK") == [] && found("sRGB") == [] && found("MBED", size: 108) == [])
    #expect(found("MBED", length: 10) == [] && found("MBED", length: 0) == [])
    #expect(
      found("MBED", at: 125 + 16) == [] && found("MBED", length: 8) == Array(profile.dropLast()))
    // libvips converts from it as from that of any format.
    try #require(LibvipsTests.isReady)
  }

  @Test func sidesAndPixelsHaveLimits() {
    func reason(_ width: Int, _ rows: Int) -> String {
      bitmap(WrittenBitmap(width: width, rows: rows, pixels: []).file()).0
    }
    for (width, rows) in [(1 << 20, 1), (1, 1 << 20), (1, -1 << 20), (1, 1)] {
      #expect(
        reason(width, rows)
          == (max(width, abs(rows)) > 1 ? "has \(width) x \(abs(rows)) pixels" : "is truncated"))
    }
    for (width, rows) in [(0, 1), (1, 0), (-1, 1), ((1 << 20) + 1, 1), (1, (1 << 20) + 1)] {
      #expect(reason(width, rows) == "states a size of \(width) x \(abs(rows)) pixels")
    }
    let file = WrittenBitmap(pixels: pixels).file()
    expectLeast(4) { bitmap(file, maximumPixels: $0).0 == "2 x 2 x 3" }
    #expect(bitmap(file, maximumPixels: 3).0 == "has 2 x 2 pixels")
  }

  @Test func everyByteIsNeeded() {
    let files = [
      WrittenBitmap(pixels: pixels).file(),
      WrittenBitmap(
        width: 1, rows: 1, bits: 1, palette: [1, 2, 3, 0, 4, 5, 6, 0], pixels: [0, 0, 0, 0]
      ).file(),
    ]
    for file in files {
      for count in 0..<file.count { #expect(bitmap(Array(file[..<count])).0 == "is truncated") }
      #expect(bitmap(file + [0]).0 != "is truncated")
    }
  }
}

@Suite struct LittleEndianTests {
  @Test func numbersAreReadFromTheLeastByteOn() throws {
    let bytes: [UInt8] = [9, 1, 2, 3, 0xFF, 0xFE]
    let source = LittleEndian(bytes.span)
    #expect(try source.byte(0) == 9)
    #expect(try source.word(1) == 0x201)
    #expect(try source.double(1) == 0xFF03_0201)
    #expect(try source.signed(1) == -0xFC_FDFF)
    #expect(try source.double(2) == 0xFEFF_0302)
    for offset in [-1, 6] {
      do throws(BitmapError) {
        _ = try source.byte(offset)
        Issue.record("\(offset) was read")
      } catch {
        #expect(error.reason == "is truncated")
      }
    }
  }
}
