import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct TranscoderSearchTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private func automatic(
      _ size: Size, _ format: OutputFormat, background: Colour? = nil, target: Int = 72
    ) -> PlannedFile {
      var file = planned(size, format, quality: nil)
      file.encoding.automatic = AutomaticQuality(target: target)
      file.encoding.background = background
      return file
    }

    /// 64 x 48 pixels, soft and with noise.
    private func photograph(colour: Int, bands: Int) -> [UInt8] {
      var dice = SplitMix(seed: 4)
      let rows = (0..<48).map { y in
        (0..<64).flatMap { x in
          let noise = UInt8.random(in: 0...20, using: &dice)
          let pixel: [UInt8] = [
            UInt8(x * 2 + y) + noise, UInt8(180 - x) + noise, UInt8(y * 3), UInt8(x * 4),
          ]
          return pixel.prefix(bands)
        }
      }
      return png(pngHeader(64, 48, colour: colour), rows)
    }

    @Test func aQualityIsFoundOncePerEncoding() throws {
      let whole = Size(64, 48)
      let source = photograph(colour: 2, bands: 3)
      var job = decoding("png", whole)
      var files = [
        automatic(whole, .webp), automatic(Size(20, 15), .webp), automatic(Size(20, 15), .jpeg),
        planned(Size(20, 15), .png), automatic(whole, .webp),
      ]
      // A part of the same size is another file.
      files[4].crop = Crop(x: 0, y: 0, size: Size(32, 24))
      job.files = files
      let (reply, made) = try transcoded(job, source)
      let frames = try withSource(source) {
        var warnings: [SourceWarning] = []
        return try Decoder($0, job, failOn: .error).frames(warnings: &warnings)
      }
      var pyramid = Pyramid(frames, base: whole, source: whole)
      var finder = try QualityFinder(frames[0], background: nil)
      var found: [FoundQuality] = []
      for file in [files[0], files[2]] {
        found.append(try finder.find(file.encoding, try #require(file.encoding.automatic)).found)
      }
      #expect(try transcodeResult(reply).qualities == found)
      #expect(
        found.allSatisfy { $0.size == whole && (1...4).contains($0.encodes) && $0.score > 60 })
      for (index, quality) in [
        (1, found[0].quality), (2, found[1].quality), (4, found[0].quality),
      ] {
        var file = files[index]
        file.encoding.quality = quality
        #expect(try made[index] == Encoder.encode(try pyramid.frames(for: file), as: file))
      }
      var own = files[0]
      own.encoding.quality = found[0].quality
      #expect(try made[0] == Encoder.encode([frames[0]], as: own))
    }

    /// Also in place of what a search has made.
    @Test func anUnchangedSourceIsReusedAfterASearch() throws {
      let whole = Size(64, 48)
      let image = try withSource(photograph(colour: 2, bands: 3)) {
        try Raster.load($0, format: .png).inMemory()
      }
      let source = try Encoder.encode([image], as: planned(whole, .jpeg, quality: 10))
      let own = source.withUnsafeBytes {
        OutputContainer.image(of: $0, withMetadataOf: $0, .jpeg)
      }
      var job = decoding("jpeg", whole)
      job.files = [automatic(whole, .jpeg)]
      job.files[0].encoding.automatic = AutomaticQuality(target: 95, range: 92...92)
      let (reply, made) = try transcoded(job, source)
      #expect(try transcodeResult(reply).qualities.map(\.quality) == [92])
      #expect(made == [own])
    }

    @Test func eachBackgroundIsSearchedForItself() throws {
      let size = Size(64, 48)
      let source = photograph(colour: 6, bands: 4)
      var job = decoding("png", size, alpha: true)
      let (black, red) = (Colour(red: 0, green: 0, blue: 0), Colour(red: 255, green: 0, blue: 0))
      job.files = [
        automatic(size, .jpeg, background: red), automatic(size, .webp),
        automatic(size, .jpeg, background: black), automatic(size, .webp, background: red),
      ]
      let qualities = try transcodeResult(transcoded(job, source).0).qualities
      let frame = try withSource(source) {
        var warnings: [SourceWarning] = []
        return try Decoder($0, job, failOn: .error).frames(warnings: &warnings)[0]
      }
      let expected = try job.files.map { file in
        var finder = try QualityFinder(frame, background: file.encoding.background)
        return try finder.find(file.encoding, AutomaticQuality()).found
      }
      #expect(qualities == expected)
    }

    @Test func anImageMayBeTooSmallForASearch() throws {
      for (width, isFound) in [(63, false), (64, true)] {
        let rows = (0..<8).map { y in (0..<width * 3).map { UInt8(($0 * y) % 256) } }
        var job = decoding("png", Size(width, 8))
        job.files = [automatic(Size(width, 8), .webp)]
        let (reply, _) = try transcoded(job, png(pngHeader(width, 8, colour: 2), rows))
        let failure = WorkerReply.failed(
          TranscodeFailure(.encode, "the image is too small to find a quality"))
        #expect((reply != failure) == isFound)
      }
    }
  }
}
