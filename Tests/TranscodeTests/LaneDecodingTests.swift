import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct LaneDecodingTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private func decoded(_ file: [UInt8], _ size: Size, like other: [UInt8]? = nil) throws
      -> Raster?
    {
      try withSource(file) { source in
        try withSource(other ?? file) {
          try PNGLane(source)?.decode(like: try Raster.load($0, format: .png), shrink: 1, to: size)
        }
      }
    }

    @Test func aPNGIsResizedLikeAnyImage() throws {
      let whole = try Raster.drawn(40, 30) { x, y in [x * 6, y * 8, (x * y) % 256] }
      let rows = try whole.bytes
      let file = png(
        pngHeader(40, 30, colour: 2), (0..<30).map { Array(rows[$0 * 120..<($0 + 1) * 120]) })
      for size in [Size(40, 30), Size(20, 15), Size(13, 29), Size(50, 40), Size(3, 2)] {
        let made = try #require(try decoded(file, size))
        #expect(try made.bytes == whole.resized(width: size.width, height: size.height).bytes)
        #expect(made.width == size.width && made.height == size.height)
      }
      // At most by the factor of the resampler.
      #expect(try decoded(file, Size(2, 2)) == nil && decoded(file, Size(3, 1)) == nil)
      let damaged = png(pngHeader(40, 30, colour: 2), [[0]])
      #expect(try decoded(damaged, Size(20, 15), like: file) == nil)
    }

    @Test func alphaStaysUnlessItIsOpaque() throws {
      func file(_ alpha: UInt8) -> [UInt8] {
        png(
          pngHeader(2, 2, colour: 6),
          [[1, 2, 3, 255, 4, 5, 6, 255], [7, 8, 9, 255, 9, 9, 9, alpha]])
      }
      let opaque = try #require(try decoded(file(255), Size(2, 2)))
      #expect(try opaque.bytes == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9] && !opaque.hasAlpha)
      // Colours of transparent pixels stay if the size does.
      let clear = try #require(try decoded(file(0), Size(2, 2)))
      #expect(
        try clear.bytes == [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 9, 9, 9, 0] && clear.hasAlpha)
      let small = try #require(try decoded(file(0), Size(1, 1)))
      let reference = try clear.resized(width: 1, height: 1)
      #expect(try small.bytes == reference.bytes)
    }

    @Test func theOpenedImageIsTheSame() throws {
      let file = png(pngHeader(2, 2, colour: 2), [[1, 2, 3, 4, 5, 6], [7, 8, 9, 9, 9, 9]])
      #expect(try decoded(file, Size(2, 2)) != nil)
      for other in [
        png(
          pngHeader(3, 2, colour: 2),
          [[UInt8](repeating: 0, count: 9), [UInt8](repeating: 0, count: 9)]),
        png(pngHeader(2, 1, colour: 2), [[1, 2, 3, 4, 5, 6]]),
        png(pngHeader(2, 2, colour: 0), [[1, 2], [3, 4]]),
        png(
          pngHeader(2, 2, depth: 16, colour: 2),
          [[UInt8]](repeating: [UInt8](repeating: 0, count: 12), count: 2)),
      ] {
        #expect(try decoded(file, Size(2, 2), like: other) == nil)
      }
    }

    // MARK: JPEG

    private func jpeg(_ name: String, shrink: Int = 1, to size: Size) throws -> Raster? {
      try withSource(Places.bytes(name)) {
        try JPEGLane($0)?.decode(like: try Raster.load($0, format: .jpeg), shrink: shrink, to: size)
      }
    }

    private func difference(_ one: Raster, _ other: Raster) throws -> Double {
      let (first, second) = try (one.bytes, other.bytes)
      try #require(first.count == second.count)
      return Double(zip(first, second).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) })
        / Double(first.count)
    }

    /// All show the same image.
    @Test(arguments: 1...8) func aJPEGIsTurnedUpright(_ orientation: Int) throws {
      for (size, shrink) in [
        (Size(120, 80), 1), (Size(61, 40), 1), (Size(30, 20), 2), (Size(15, 10), 4),
      ] {
        let made = try #require(
          try jpeg("orientation-\(orientation).jpg", shrink: shrink, to: size))
        let whole = try withSource(Places.bytes("orientation-\(orientation).jpg")) {
          try Raster.load($0, format: .jpeg).inMemory().turnedUpright().inMemory()
        }
        let expected = try whole.resized(width: size.width, height: size.height)
        #expect(made.width == size.width && made.height == size.height && made.orientation == 1)
        // Chroma is interpolated in another way, which shows at the edges of a small image.
        #expect(try difference(made, expected) < 5)
      }
    }

    @Test func aJPEGIsReducedAtMostByTheResampler() throws {
      // 240 x 160; chroma is half as long.
      #expect(try jpeg("plain.jpg", to: Size(15, 10)) != nil)
      #expect(try jpeg("plain.jpg", to: Size(14, 10)) == nil)
      #expect(try jpeg("plain.jpg", to: Size(15, 9)) == nil)
      #expect(try jpeg("orientation-3.jpg", to: Size(7, 5)) == nil)
      #expect(try jpeg("orientation-3.jpg", to: Size(8, 4)) == nil)
      #expect(try jpeg("orientation-3.jpg", to: Size(8, 5)) != nil)
    }

    /// A segment of a JPEG that is put where it says, behind the start or behind the frame header.
    private func isPlain(_ marker: UInt8, _ body: [UInt8], behindHeader: Bool) throws -> Bool? {
      var file = try Places.bytes("progressive.jpg")
      let segment = [0xFF, marker] + big(body.count + 2, 2) + body
      let header = try #require(
        file.indices.dropLast().first { file[$0...$0 + 1] == [0xFF, 0xC2] })
      let length = Int(file[header + 2]) << 8 | Int(file[header + 3])
      file.insert(contentsOf: segment, at: behindHeader ? header + 2 + length : 2)
      return withSource(file) { JPEGLane($0)?.isPlain }
    }

    /// What libvips has to read, wherever it is before the samples.
    @Test(arguments: [false, true]) func profilesAndExifAreNotPlain(_ isBehind: Bool) throws {
      let profile = Array("ICC_PROFILE".utf8) + [0, 1, 1, 9]
      #expect(try isPlain(0xE2, profile, behindHeader: isBehind) == false)
      #expect(try isPlain(0xE1, Array("Exif".utf8) + [0, 1], behindHeader: isBehind) == false)
      for (marker, body) in [
        (0xE2, Array("MPF".utf8) + [0]), (0xE1, Array("http://ns.adobe.com/xap/1.0/".utf8)),
        (0xE1, [0x45]), (0xED, profile), (0xFE, Array("Exif".utf8)),
      ] as [(UInt8, [UInt8])] {
        #expect(try isPlain(marker, body, behindHeader: isBehind) == true)
      }
    }

    /// More pixels on a side than libvips has.
    @Test func aSideThatLibvipsDoesNotHaveIsNotDescribed() throws {
      for (width, isDescribed) in [(10_000_000, true), (10_000_001, false)] {
        let file =
          pngMark + chunk("IHDR", pngHeader(width, 1, colour: 0)) + chunk("IDAT", [1])
          + chunk("IEND")
        let described = try withSource(file) { try PNGLane($0)?.described() }
        #expect((described != nil) == isDescribed)
        #expect(described.map { Size($0.width, $0.height) } == (isDescribed ? Size(width, 1) : nil))
      }
    }

    @Test func damagedAndUnusualJPEGsAreLeftToLibvips() throws {
      #expect(try jpeg("truncated.jpg", to: Size(120, 80)) == nil)
      #expect(try jpeg("cmyk.jpg", to: Size(60, 40)) == nil)
      #expect(
        try withSource([1, 2, 3]) {
          try JPEGLane($0)?.decode(like: .black(), shrink: 1, to: Size(1, 1))
        } == nil)
      // An opened image of another kind.
      let made = try withSource(Places.bytes("plain.jpg")) {
        try JPEGLane($0)?.decode(like: .black(), shrink: 1, to: Size(120, 80))
      }
      #expect(made == nil)
    }
  }
}
