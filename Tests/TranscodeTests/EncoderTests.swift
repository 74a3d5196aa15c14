import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct EncoderTests {
    private let image: Raster
    private let clear: Raster

    init() throws {
      try #require(LibvipsTests.isReady)
      image = try .drawn(32, 24) { x, y in [x * 8, y * 10, 200 - x * 4] }
      clear = try .drawn(32, 24, bands: 4) { x, y in [x * 8, y * 10, 99, x < 16 ? 0 : 255] }
    }

    private func loaded(_ file: [UInt8], _ format: OutputFormat, frames: Int = 1) throws -> Raster {
      let format = try #require(ImageFormat(rawValue: format.rawValue))
      return try withSource(file) {
        try Raster.load($0, format: format, .init(frames: frames)).inMemory()
      }
    }

    private func difference(_ one: Raster, _ other: Raster) throws -> Double {
      let (first, second) = try (one.samples(), other.samples())
      try #require(first.count == second.count)
      let sum = stride(from: 0, to: first.count, by: 1).reduce(0) {
        // Colours of transparent pixels do not matter.
        $0 + (first[$1 | 3] == 0 && $1 % 4 < 3 ? 0 : abs(Int(first[$1]) - Int(second[$1])))
      }
      return Double(sum) / Double(first.count)
    }

    @Test(arguments: OutputFormat.allCases) func everyFormatShowsTheImage(_ format: OutputFormat)
      throws
    {
      let quality = format.hasQuality ? 95 : nil
      let file = planned(
        Size(32, 24), format, quality: quality, effort: EncoderSetting.effort[format])
      for image in format.hasAlpha ? [image, clear] : [image] {
        let bytes = try Encoder.encode([image], as: file)
        let made = try loaded(bytes, format)
        #expect(try difference(made, image) < (format == .png ? 0.001 : 4))
        #expect(made.hasAlpha == image.hasAlpha)
        #expect(matches(file, bytes))
        guard format.hasQuality else { continue }
        var rough = file
        rough.encoding.quality = 20
        #expect(try Encoder.encode([image], as: rough).count < bytes.count)
      }
    }

    /// Straight through libwebp, as libvips would do it.
    @Test(arguments: [(80, 4, nil), (30, 0, 50), (100, 6, 0)] as [(Int, Int, Int?)])
    func aPlainWebPIsThatOfLibvips(_ quality: Int, _ effort: Int, _ alpha: Int?) throws {
      var file = planned(Size(32, 24), quality: quality, effort: effort)
      file.encoding.alphaQuality = alpha
      for image in [image, clear] {
        let saved = try image.webp(quality: quality, effort: effort, alphaQuality: alpha ?? 100)
        let expected = saved.withBytes { WebPContainer.clean($0) }
        #expect(try Encoder.encode([image], as: file) == expected)
        let decoded = try #require(decodedWebP(try Encoder.encode([image], as: file)))
        #expect(decoded.channels == (image.hasAlpha ? 4 : 3) && decoded.width == 32)
        #expect(try decoded.samples == loaded(Encoder.encode([image], as: file), .webp).bytes)
      }
      #expect(decodedWebP([1, 2, 3]) == nil)
    }

    @Test(arguments: [OutputFormat.webp, .jpeg, .png]) func transparencyGetsABackground(
      _ format: OutputFormat
    ) throws {
      var file = planned(Size(32, 24), format, quality: 100)
      file.encoding.background = Colour(red: 250, green: 20, blue: 120)
      let made = try loaded(Encoder.encode([clear], as: file), format)
      #expect(try difference(made, clear.flattened(red: 250, green: 20, blue: 120)) < 4)
      #expect(!made.hasAlpha)
      // An opaque image has no use for it.
      let plain = try loaded(Encoder.encode([image], as: file), format)
      #expect(try difference(plain, image) < 4)
    }

    @Test func anAnimationHasAllFrames() throws {
      var file = planned(Size(32, 24), quality: 100)
      file.encoding.isAnimated = true
      let flipped = try Raster.drawn(32, 24) { x, y in [255 - x * 8, y, 0] }
      let bytes = try Encoder.encode([image, flipped, image], as: file)
      let made = try loaded(bytes, .webp, frames: -1)
      #expect(made.frameCount == 3 && made.pageHeight == 24 && made.height == 72)
      #expect(try difference(made, Raster.stacked([image, flipped, image])) < 4)
    }

    private func matches(_ file: PlannedFile, _ bytes: [UInt8]) -> Bool { file.matches(bytes.span) }

    /// What the catalog says of a file is so, or there is none.
    @Test func aFileOfAnotherSizeIsNotPublished() throws {
      for format in [OutputFormat.webp, .png] {
        do throws(TranscodeFailure) {
          _ = try Encoder.encode([image], as: planned(Size(32, 25), format))
          Issue.record("encoded")
        } catch {
          #expect(
            error
              == TranscodeFailure(
                .encode, "the encoder produced a damaged \(format.rawValue) file"))
        }
      }
      let bytes = try Encoder.encode([image], as: planned(Size(32, 24), .png))
      #expect(matches(planned(Size(32, 24), .png), bytes))
      for file in [planned(Size(31, 24), .png), planned(Size(32, 23), .png), planned(Size(32, 24))]
      {
        #expect(!matches(file, bytes))
      }
      #expect(!matches(planned(Size(32, 24)), [1, 2]))
    }

    @Test func anErrorOfTheEncoderIsAFailure() throws {
      do throws(TranscodeFailure) {
        _ = try Encoder.encode([], as: planned(Size(32, 24), .png))
        Issue.record("encoded")
      } catch {
        #expect(
          error
            == TranscodeFailure(
              .encode, "the png file could not be encoded: the image has no frames"))
      }
    }

    // MARK: A source's own image

    /// A graphic that is no larger without loss has no loss; a photograph, or one that may not, has.
    @Test func aSmallGraphicIsExact() throws {
      let graphic = try Raster.drawn(32, 24) { x, y in
        (x + y) % 5 == 0 ? [255, 0, 0] : [0, 0, 255]
      }
      let noise = try Raster.drawn(32, 24) { x, y in
        [x * 37 % 256, y * 91 % 256, (x * 7 + y * 5) % 256]
      }
      var file = planned(Size(32, 24))
      func isLossless(_ image: Raster) throws -> Bool {
        let bytes = try Encoder.encode([image], as: file)
        #expect(matches(file, bytes))
        let isLossless = Array(bytes[12..<16]) == Array("VP8L".utf8)
        if isLossless {
          let samples = try withSource(bytes) { try Raster.load($0, format: .webp).bytes }
          #expect(try samples == image.bytes)
        }
        return isLossless
      }
      #expect(try !isLossless(graphic) && !isLossless(noise))
      file.mayBeLossless = true
      #expect(try isLossless(graphic) && !isLossless(noise))
      // Ten pixels of each colour.
      for (colours, isTried) in [(76, true), (77, false)] {
        let image = try Raster.drawn(32, 24) { x, y in [min(y * 32 + x, colours - 1), 9, 9] }
        #expect(try (WebPStill.lossless(image) != nil) == isTried)
      }
    }

    /// Against a set of them; the last colours come after all others, and one differs in its alpha only.
    @Test(arguments: [3, 4]) func coloursAreCounted(_ bands: Int) {
      var generator = SplitMix(seed: 9)
      for colours in [1, 2, 100, 255, 256, 257, 300] {
        let palette = (0..<colours).map { number in
          (0..<bands).map {
            $0 == 0 ? UInt8(number % 256) : UInt8($0 == bands - 1 ? number / 256 : 7)
          }
        }
        let pixels = (0..<3000).map { _ in palette.randomElement(using: &generator)! } + palette
        let fits = pixels.flatMap(\.self).withUnsafeBufferPointer {
          PaletteCount.fits($0, bands: bands)
        }
        #expect(fits == (Set(pixels).count <= 256), "\(colours)")
      }
    }

    /// libjpeg works around an end that is missing, and warns.
    @Test func aJPEGThatIsDamagedIsNeverReused() throws {
      let whole = try Encoder.encode([image], as: planned(Size(32, 24), .jpeg))
      func taken(_ source: [UInt8]) -> [UInt8]? {
        source.withUnsafeBytes { source in
          whole.withUnsafeBytes { OutputContainer.image(of: source, withMetadataOf: $0, .jpeg) }
        }
      }
      #expect(taken(whole) != nil)
      #expect(taken(Array(whole.dropLast(2))) == nil)
      #expect(taken(whole.dropLast(40) + [0xFF, 0xD9]) == nil)
    }

    /// A source in PNG that is smaller than what libvips makes of it, by the filters.
    private func reused(
      _ file: PlannedFile, source: [UInt8], format: String = "png", size: Size = Size(32, 24),
      frames: Int = 1, made: [UInt8]
    ) -> [UInt8]? {
      let facts = SourceFacts(size: size, hasAlpha: false, frames: frames)
      return withSource(source) {
        ReusableSource($0, decoding(format, size), facts).smaller(than: made, as: file)
      }
    }

    @Test func aSmallerSourceIsReused() throws {
      let file = planned(Size(32, 24), .png)
      let small = try Encoder.encode([image], as: file)
      // Longer by a byte in a chunk of text, which is dropped.
      let long = Array(small.dropLast(12)) + chunk("IDAT") + chunk("IEND")
      let source = Array(small.dropLast(12)) + chunk("tEXt", [1]) + chunk("IEND")
      #expect(reused(file, source: source, made: long) == small)
      #expect(reused(file, source: source, made: small) == nil)
      #expect(
        reused(
          file, source: source, made: Array(small.dropLast(12)) + [UInt8](repeating: 0, count: 13))
          == nil)
      // Of another size, format or kind, or a part.
      var other = file
      other.size = Size(32, 25)
      #expect(reused(other, source: source, made: long) == nil)
      #expect(reused(other, source: source, size: Size(32, 25), made: long) == nil)
      #expect(reused(file, source: source, format: "webp", made: long) == nil)
      #expect(reused(file, source: source, frames: 2, made: long) == nil)
      var part = file
      part.crop = Crop(x: 0, y: 0, size: Size(32, 24))
      #expect(reused(part, source: source, made: long) == nil)
      var animated = file
      animated.encoding.isAnimated = true
      #expect(reused(animated, source: source, made: long) == nil)
      #expect(reused(animated, source: source, frames: 2, made: long) == small)
      #expect(reused(file, source: Array(source.dropLast()), made: long) == nil)
    }

    @Test(arguments: [OutputFormat.webp, .jpeg]) func theEncoderTakesTheSmallerOne(
      _ format: OutputFormat
    ) throws {
      let fine = try Encoder.encode([image], as: planned(Size(32, 24), format, quality: 100))
      let rough = try Encoder.encode([image], as: planned(Size(32, 24), format, quality: 10))
      let facts = SourceFacts(size: Size(32, 24), hasAlpha: false, frames: 1)
      func made(_ quality: Int, reusing source: [UInt8], keeping metadata: MetadataPolicy = .strip)
        throws -> [UInt8]
      {
        try withSource(source) {
          try Encoder.encode(
            [image], as: planned(Size(32, 24), format, quality: quality, keeping: metadata),
            orReuse: ReusableSource($0, decoding(format.rawValue, Size(32, 24)), facts))
        }
      }
      // A JPEG is coded anew.
      let own = rough.withUnsafeBytes { OutputContainer.image(of: $0, withMetadataOf: $0, format) }
      for metadata in [MetadataPolicy.strip, .icc] {
        #expect(try made(100, reusing: rough, keeping: metadata) == own)
        #expect(try made(10, reusing: fine, keeping: metadata) == rough)
      }
      // The formats whose image cannot be taken apart.
      for other in [OutputFormat.avif, .jxl] {
        let nothing = fine.withUnsafeBytes {
          OutputContainer.image(of: $0, withMetadataOf: $0, other)
        }
        #expect(nothing == nil)
      }
    }
  }
}
