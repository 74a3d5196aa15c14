import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

/// What a WebP file shows; nil if it shows nothing.
func decodedWebP(
  _ file: [UInt8]
) -> (width: Int, height: Int, channels: Int, samples: [UInt8])? {
  WebPStill.decode(file).map { ($0.width, $0.height, $0.channels, $0.samples) }
}

/// The samples that are compared of an image.
func shownSamples(_ image: TesseraTranscode.Raster) throws -> [UInt8] {
  try image.qualityRaster().samples
}

extension LibvipsTests {
  @Suite struct QualityFinderTests {
    typealias Image = TesseraTranscode.Raster

    init() throws { try #require(LibvipsTests.isReady) }

    /// A soft image, and one of flat areas with edges.
    private func photograph(bands: Int = 3) throws -> Image {
      var dice = SplitMix(seed: 9)
      return try .drawn(64, 48, bands: bands) { x, y in
        let noise = Int.random(in: 0...24, using: &dice)
        return Array(
          [x + y / 2 + noise, 180 - x + noise, y * 3 + noise, x < 32 ? 255 : 90].prefix(bands))
      }
    }

    private func graphic() throws -> Image {
      try .drawn(64, 48) { x, y in (x / 12 + y / 12) % 2 == 0 ? [250, 250, 250] : [20, 30, 200] }
    }

    private func found(
      _ image: Image, _ format: OutputFormat, _ automatic: AutomaticQuality,
      background: Colour? = nil
    ) throws -> QualityFinder.Result {
      var encoding = planned(
        Size(1, 1), format, quality: nil, effort: EncoderSetting.effort[format]
      ).encoding
      encoding.background = background
      encoding.automatic = automatic
      var finder = try QualityFinder(image, background: background)
      return try finder.find(encoding, automatic)
    }

    private func decoded(_ bytes: [UInt8], _ format: OutputFormat) throws -> RGBImage {
      let format = try #require(ImageFormat(rawValue: format.rawValue))
      return try withSource(bytes) { try Image.load($0, format: format).inMemory().qualityRaster() }
    }

    @Test(arguments: [OutputFormat.webp, .jpeg, .avif, .jxl])
    func theResultIsAFileThatReachesTheAim(
      _ format: OutputFormat
    ) throws {
      let image = try photograph()
      let automatic = AutomaticQuality(target: 70, range: 5...99)
      let result = try found(image, format, automatic)
      var pyramid = ReferencePyramid(of: try image.qualityRaster())
      let comparison = try pyramid.compare(with: try decoded(result.bytes, format))
      let size = Size(64, 48)
      #expect(
        result.found
          == FoundQuality(
            quality: result.found.quality, score: comparison.score,
            worstTile: comparison.worstTile.score, size: size, encodes: result.found.encodes,
            isGraphic: false))
      let aim = automatic.aim(at: size, format)
      #expect(result.found.score >= aim - 0.75 && result.found.encodes <= 4)
      #expect(result.file.size == size && result.file.encoding.quality == result.found.quality)
      #expect(result.file.crop == nil && result.file.encoding.format == format)
      #expect(try Encoder.encode([image], as: result.file) == result.bytes)
      // A higher aim takes a higher quality.
      let better = try found(image, format, AutomaticQuality(target: 90, range: 5...99))
      #expect(better.found.quality > result.found.quality)
      #expect(
        try found(image, format, AutomaticQuality(target: 95, range: 5...6)).found.quality == 6)
    }

    @Test func aGraphicHasAtLeastTheDefault() throws {
      let result = try found(graphic(), .webp, AutomaticQuality(target: 40, range: 5...99))
      #expect(result.found.isGraphic && result.found.quality == 80)
    }

    /// With a profile, what is shown are other samples than those of the file.
    @Test func filesAreComparedAsTheirProfileShowsThem() throws {
      let wide = try withSource(Places.bytes("display-p3.jpg")) {
        try Image.load($0, format: .jpeg).inMemory()
      }
      let image = try photograph().copy()
      image.set(Image.profileField, try Array(#require(wide.blob(Image.profileField))))
      var encoding = planned(Size(64, 48), quality: nil, keeping: .icc).encoding
      encoding.automatic = AutomaticQuality(target: 60, range: 50...50)
      var finder = try QualityFinder(image, background: nil)
      let result = try finder.find(encoding, AutomaticQuality(target: 60, range: 50...50))
      var pyramid = ReferencePyramid(of: try image.qualityRaster())
      let comparison = try pyramid.compare(with: try decoded(result.bytes, .webp))
      #expect(result.found.score == comparison.score && result.found.quality == 50)
    }

    @Test func translucentImagesAreComparedOnTheirBackground() throws {
      let image = try photograph(bands: 4)
      let background = Colour(red: 200, green: 10, blue: 10)
      let result = try found(
        image, .jpeg, AutomaticQuality(target: 60, range: 5...99), background: background)
      let shown = try image.flattened(red: 200, green: 10, blue: 10).qualityRaster()
      var pyramid = ReferencePyramid(of: shown)
      #expect(
        try pyramid.compare(with: try decoded(result.bytes, .jpeg)).score == result.found.score)
      var encoding = planned(Size(1, 1)).encoding
      let finder = try QualityFinder(image, background: background)
      let opaque = try QualityFinder(try photograph(), background: background)
      #expect(!finder.compares(encoding) && opaque.compares(encoding))
      encoding.background = background
      #expect(finder.compares(encoding) && opaque.compares(encoding))
    }
  }

  @Suite struct ImageComparerTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private let one = png(
      pngHeader(8, 8, colour: 0), (0..<8).map { y in (0..<8).map { UInt8($0 * y) } })
    private let other = png(
      pngHeader(8, 8, colour: 0), (0..<8).map { y in (0..<8).map { UInt8($0 * y * 3) } })

    private func reply(_ first: (Int, String), _ second: (Int, String), _ source: [UInt8])
      -> WorkerReply
    {
      let job = ComparisonJob(
        size: Size(8, 8), reference: .init(length: first.0, format: first.1),
        candidate: .init(length: second.0, format: second.1))
      return withSource(source) { ImageComparer.perform(job, of: $0) }
    }

    @Test func twoFilesAreComparedAsTheyAreShown() throws {
      func comparison(_ first: [UInt8], _ second: [UInt8]) throws -> Likeness {
        let reply = reply((first.count, "png"), (second.count, "png"), first + second)
        guard case .comparison(let likeness) = reply else {
          Issue.record("\(reply)")
          return Likeness(score: 0, worstTile: .init(score: 0, x: 0, y: 0, size: Size(1, 1)))
        }
        return likeness
      }
      let same = try comparison(one, one)
      #expect(
        same == Likeness(score: 100, worstTile: .init(score: 100, x: 0, y: 0, size: Size(8, 8))))
      func raster(_ factor: Int) throws -> RGBImage {
        let samples = (0..<8).flatMap { y in
          (0..<8).flatMap { [UInt8](repeating: UInt8($0 * y * factor), count: 3) }
        }
        return try RGBImage(width: 8, height: 8, samples: samples)
      }
      var pyramid = ReferencePyramid(of: try raster(1))
      let expected = Likeness(try pyramid.compare(with: try raster(3)))
      #expect(try comparison(one, other) == expected && expected.score < 90)
      var reversed = ReferencePyramid(of: try raster(3))
      #expect(try comparison(other, one) == Likeness(try reversed.compare(with: try raster(1))))
    }

    private func failure(_ first: (Int, String), _ second: (Int, String), _ source: [UInt8])
      -> TranscodeFailure?
    {
      guard case .failed(let failure) = reply(first, second, source) else { return nil }
      return failure
    }

    @Test func failuresNameTheFile() {
      let (count, both) = (one.count, one + one)
      func incomplete(_ name: String) -> TranscodeFailure {
        TranscodeFailure(
          .local, "of the two, the \(name): the files of a comparison are not complete")
      }
      #expect(failure((0, "png"), (count, "png"), both) == incomplete("first"))
      #expect(failure((-1, "png"), (count, "png"), both) == incomplete("first"))
      #expect(failure((count, "png"), (0, "png"), both) == incomplete("second"))
      #expect(failure((count, "png"), (count + 1, "png"), both) == incomplete("second"))
      #expect(failure((count, "png"), (.max, "png"), both) == incomplete("second"))
      #expect(failure((count, "png"), (count, "png"), both) == nil)
      #expect(
        failure((count, "none"), (count, "png"), both)
          == TranscodeFailure(.decode, "of the two, the first: no decoder for the format \"none\""))
      let message = failure((count, "png"), (count, "gif"), both)?.message
      #expect(
        message?.hasPrefix("of the two, the second: the image could not be decoded: ") == true)
    }
  }

  @Suite struct RehearsalTests {
    init() throws { try #require(LibvipsTests.isReady) }

    /// Both lanes, the encoder and the placeholder, which are what there is to look up.
    @Test func everythingIsMade() throws {
      let replies = Rehearsal.perform()
      try #require(replies.count == 2)
      for reply in replies {
        let result = try transcodeResult(reply)
        #expect(result.lengths.count == 2 && result.lengths.allSatisfy { $0 > 30 })
        #expect(result.warnings == [] && result.placeholders[.thumbhash] != nil)
      }
    }
  }

  @Suite struct ExaminerTests {
    init() throws { try #require(LibvipsTests.isReady) }

    @Test func everythingWorksOnThisMachine() {
      let checks = Examiner.perform()
      let formats = [
        "jpeg", "png", "gif", "webp", "bmp", "tiff", "heic", "avif", "jxl", "jp2", "ico", "svg",
      ]
      let expected =
        formats.map { ExaminationCheck(.read, $0, problem: nil) }
        + ["webp", "jpeg", "png", "avif", "jxl", "heic"].map {
          ExaminationCheck(.write, $0, problem: nil)
        }
        + (1...8).map { ExaminationCheck(.turn, "\($0)", problem: nil) }
        + [
          ExaminationCheck(.colour, "profiles", problem: nil),
          ExaminationCheck(.colour, "CMYK", problem: nil),
        ]
      #expect(checks == expected)
    }
  }
}
