import Foundation
import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct DecoderTests {
    init() throws { try #require(LibvipsTests.isReady) }

    /// Decodes a fixture for a job, and returns what a body makes of it.
    private func decoder<Value>(
      _ name: String, _ job: TranscodeJob, failOn: FailOn = .error,
      _ body: (Decoder) throws -> Value
    ) throws -> Value {
      try withSource(Places.bytes(name)) { try body(try Decoder($0, job, failOn: failOn)) }
    }

    private func frames(_ name: String, _ job: TranscodeJob) throws -> [Raster] {
      try decoder(name, job) {
        var warnings: [SourceWarning] = []
        let frames = try $0.frames(warnings: &warnings)
        #expect(warnings == [])
        return try frames.map { try $0.inMemory() }
      }
    }

    private static let fixtures: [(String, String, SourceFacts)] = {
      func facts(
        _ width: Int, _ height: Int, alpha: Bool = false, frames: Int = 1,
        in space: String = "rgb",
        _ profile: String? = nil
      ) -> SourceFacts {
        SourceFacts(
          size: Size(width, height), hasAlpha: alpha, frames: frames, colourSpace: space,
          profile: profile)
      }
      return [
        ("plain.jpg", "jpeg", facts(240, 160)), ("orientation-6.jpg", "jpeg", facts(120, 80)),
        ("display-p3.jpg", "jpeg", facts(240, 160, "sP3C")),
        ("cmyk.jpg", "jpeg", facts(240, 160, in: "cmyk")),
        ("grey.png", "png", facts(120, 80, in: "grey")),
        ("transparent.png", "png", facts(200, 150, alpha: true)),
        ("animated.gif", "gif", facts(96, 64, alpha: true, frames: 6)),
        ("animated.webp", "webp", facts(96, 64, alpha: true, frames: 6)),
      ]
    }()

    @Test(arguments: fixtures) func theDecoderSeesTheFacts(
      _ name: String, _ format: String, _ facts: SourceFacts
    ) throws {
      #expect(
        try decoder(name, decoding(format, facts.size, frames: facts.frames)) { $0.facts } == facts)
    }

    /// Red, green, blue and yellow, each in the middle of its quarter.
    private func expectCorners(_ image: Raster, _ name: String) throws {
      let samples = try image.samples()
      for (place, corner) in zip([(1, 1), (3, 1), (1, 3), (3, 3)], SampleImages.corners) {
        let start = (image.height * place.1 / 4 * image.width + image.width * place.0 / 4) * 4
        let seen = samples[start..<start + 3].map(Int.init)
        // Inks are not as blue.
        #expect(distance(seen, corner) <= 40, "\(name): \(seen) instead of \(corner)")
      }
    }

    @Test(
      .faults(.i37),
      arguments: [
        ("formats/565.bmp", "bmp"), ("formats/corners.avif", "avif"),
        ("formats/corners.heic", "heic"),
        ("formats/corners.jp2", "jp2"), ("formats/corners.jxl", "jxl"),
        // Their own libraries decode what libvips does not, or shows otherwise.
        ("formats/animated.jxl", "jxl"), ("formats/offset.j2k", "jp2"),
        ("formats/chroma.j2k", "jp2"),
        ("formats/inks.jp2", "jp2"), ("formats/palette.jp2", "jp2"),
        ("formats/fewer-samples.j2k", "jp2"),
        ("formats/corners.tif", "tiff"),
        ("formats/cmyk.tif", "tiff"), ("formats/lab.tif", "tiff"), ("formats/masked.ico", "ico"),
        ("formats/png.ico", "ico"), ("formats/p3-by-numbers.avif", "avif"),
        ("formats/turned.tif", "tiff"),
        ("formats/corners.svg", "svg"), ("plain.jpg", "jpeg"), ("progressive.jpg", "jpeg"),
        ("lossy.webp", "webp"), ("display-p3.jpg", "jpeg"),
      ])
    func everyFormatShowsItsCorners(_ name: String, _ format: String) throws {
      let any = decoding(format, Size(120, 80))
      let facts = try decoder(name, any) { $0.facts }
      for (part, lanes) in [(1, Lanes.on), (1, .off), (2, .on), (2, .off), (5, .on), (5, .off)] {
        let base = Size(facts.size.width / part, facts.size.height / part)
        let job = decoding(format, facts.size, base: base, alpha: facts.hasAlpha, lanes: lanes)
        let frames = try frames(name, job)
        #expect(frames.map { Size($0.width, $0.height) } == [base])
        try expectCorners(frames[0], "\(name) / \(part)")
        #expect(frames[0].isEightBit && frames[0].isGreyOrSRGB && frames[0].orientation == 1)
      }
    }

    /// U1: what the header says is displayed is what is decoded, in every image among the fixtures.
    @Test(.faults(.u1)) func everyFixtureIsDecodedAsItsHeaderSays() throws {
      var names = try Places.images()
      for folder in ["formats", "sizes"] {
        names += try FileManager.default.contentsOfDirectory(
          atPath: Places.fixture(folder).path
        ).map { "\(folder)/\($0)" }
      }
      var compared = 0
      for name in names {
        try withSource(Places.bytes(name)) { source in
          guard let header = source.header, header.format.isDecoded else { return }
          for lanes in [Lanes.on, .off] {
            let job = decoding(
              header.format.rawValue, Size(header.width, header.height), lanes: lanes)
            // One that is cut off is not decoded at all.
            guard let decoder = try? Decoder(source, job, failOn: .error) else { continue }
            #expect(decoder.differenceFromHeader == nil, "\(name), lanes \(lanes)")
            compared += 1
          }
        }
      }
      #expect(compared > 100)
    }

    @Test(
      .faults(.u1),
      arguments: [
        ("orientation-6.jpg", 120, 80, 6, nil),
        (
          "orientation-6.jpg", 80, 120, 6,
          "120x80 with orientation 6 by its header, 80x120 with orientation 6 by its decoder"
        ),
        (
          "orientation-6.jpg", 120, 80, 1,
          "120x80 with orientation 6 by its header, 120x80 with orientation 1 by its decoder"
        ),
        ("sizes/turned.avif", 80, 120, 1, nil), ("formats/corners.heic", 120, 80, 1, nil),
        (
          "formats/corners.heic", 120, 80, 3,
          "120x80 with orientation 1 by its header, 120x80 with orientation 3 by its decoder"
        ),
        ("sizes/turned-boxed.jxl", 120, 80, 1, nil),
        (
          "sizes/turned.avif", 120, 80, 1,
          "80x120 with orientation 1 by its header, 120x80 with orientation 1 by its decoder"
        ),
      ] as [(String, Int, Int, Int, String?)])
    func aTurnThatTheHeaderDoesNotSayIsNoticed(
      _ name: String, _ width: Int, _ height: Int, _ orientation: Int, _ difference: String?
    ) throws {
      let header = try withSource(Places.bytes(name)) { try #require($0.header) }
      #expect(
        Decoder.difference(header, Size(width, height), orientation: orientation) == difference)
    }

    @Test func oneImageOfASequenceIsShown() throws {
      var file = try Places.bytes("formats/corners.avif")
      let job = decoding("avif", Size(120, 80))
      func result(_ file: [UInt8]) throws -> (still: Bool, size: Size) {
        try withSource(file) {
          let decoder = try Decoder($0, job, failOn: .error)
          return (decoder.isStillOfAnimation, decoder.facts.size)
        }
      }
      let size = try result(file).size
      #expect(try !result(file).still)
      // The brand of sequences (AVIF 1.1, section 7).
      file.replaceSubrange(8..<12, with: Array("avis".utf8))
      #expect(try result(file) == (true, size))
    }

    /// libvips rounds sides before it scales them to pixels of CSS; one size counts, that of the header.
    @Test(arguments: ["mm", "cm", "in", "pt", "pc", "em", "px", ""])
    func aDrawingHasOneSize(_ unit: String) throws {
      var random = SplitMix(seed: 5)
      for _ in 0..<20 {
        let sides = (0..<2).map { _ in
          Double.random(in: unit == "in" ? 0.2...5 : 3...50, using: &random)
        }
        let text =
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(sides[0])\(unit)\" "
          + "height=\"\(sides[1])\(unit)\"><rect width=\"9\" height=\"9\"/></svg>"
        try withSource(Array(text.utf8)) { source in
          let size = Size(source.header!.width, source.header!.height)
          let base = Size(max(1, size.width / 2), max(1, size.height / 2))
          for base in [size, base] {
            let decoder = try Decoder(
              source, decoding("svg", size, base: base, alpha: true), failOn: .error)
            #expect(decoder.facts.size == size, "\(text)")
            var warnings: [SourceWarning] = []
            let frames = try decoder.frames(warnings: &warnings)
            #expect(frames.map { Size($0.width, $0.height) } == [base], "\(text)")
          }
          // A drawing of another size is not taken for this one.
          let other = Size(size.width, size.height * 2 + 9)
          let differs = try Decoder(source, decoding("svg", other), failOn: .error)
          #expect(differs.facts.size != other)
        }
      }
    }

    @Test(arguments: 1...8) func aSourceIsTurnedUpright(_ orientation: Int) throws {
      for base in [Size(120, 80), Size(31, 21)] {
        for lanes in Lanes.allCases {
          let job = decoding("jpeg", Size(120, 80), base: base, lanes: lanes)
          let name = "orientation-\(orientation).jpg"
          let image = try #require(try frames(name, job).first)
          #expect(image.width == base.width && image.height == base.height)
          try expectCorners(image, name)
          #expect(try decoder(name, job) { $0.isShownAsStored } == (orientation == 1))
        }
      }
    }

    @Test(arguments: [("animated.gif", "gif"), ("animated.webp", "webp")])
    func eachFrameIsResizedOnItsOwn(_ name: String, _ format: String) throws {
      let size = Size(96, 64)
      let whole = try frames(name, decoding(format, size, alpha: true, frames: 6))
      #expect(try whole.count == 6 && Set(whole.map { try $0.bytes }).count == 6)
      let small = try frames(
        name, decoding(format, size, base: Size(40, 26), alpha: true, frames: 6))
      #expect(small.count == 6)
      // WebP reduces while it decodes.
      for (frame, other) in zip(small, whole) where format == "gif" {
        #expect(try frame.bytes == other.resized(width: 40, height: 26).bytes)
      }
      var still = decoding(format, size, base: Size(40, 26), alpha: true, frames: 6)
      still.decode.isAnimated = false
      let first = try frames(name, still)
      #expect(first.map { Size($0.width, $0.height) } == [Size(40, 26)])
      #expect(
        zip(try first[0].bytes, try small[0].bytes).allSatisfy { abs(Int($0) - Int($1)) < 60 })
    }

    @Test func theLanesAreTaken() throws {
      let job = decoding("jpeg", Size(240, 160), base: Size(30, 20), lanes: .on)
      let lane = try withSource(Places.bytes("plain.jpg")) {
        let opened = try Raster.load($0, format: .jpeg)
        return try JPEGLane($0)?.decode(like: opened, shrink: 4, to: Size(30, 20))?.bytes
      }
      #expect(try frames("plain.jpg", job)[0].bytes == lane)
      var other = job
      other.decode.lanes = .off
      #expect(try frames("plain.jpg", other)[0].bytes != lane)
    }

    /// A file without a profile and Exif is not opened by libvips if no metadata is kept: with the same facts and samples.
    @Test(arguments: [
      ("plain.jpg", "jpeg", true), ("progressive.jpg", "jpeg", true),
      ("orientation-6.jpg", "jpeg", false), ("grey.png", "png", true),
      ("transparent.png", "png", true), ("palette-transparent.png", "png", true),
      ("display-p3.jpg", "jpeg", false), ("cmyk.jpg", "jpeg", false),
      ("sixteen-bit.png", "png", false),
    ])
    func aLaneReadsTheHeaderAsLibvipsDoes(
      _ name: String, _ format: String, _ isDescribed: Bool
    ) throws {
      let size = try withSource(Places.bytes(name)) {
        let header = try #require($0.header)
        return Size(header.width, header.height)
      }
      let base = Size(max(1, size.width / 2), max(1, size.height / 2))
      var job = decoding(format, size, base: base, lanes: .on)
      let (facts, samples) = try (
        decoder(name, job) { $0.facts }, frames(name, job).map { try $0.bytes }
      )
      #expect(try decoder(name, job) { $0.isDescribed } == isDescribed)
      job.files = [planned(base, keeping: [.icc, .exif])]
      #expect(try decoder(name, job) { $0.isDescribed } == false)
      #expect(try decoder(name, job) { $0.facts } == facts)
      #expect(try frames(name, job).map { try $0.bytes } == samples)
    }

    /// What only libvips can decode, or say what is wrong with, is opened by it after all.
    @Test func aFileThatNoLaneDecodesIsOpenedByLibvips() throws {
      let job = decoding("jpeg", Size(240, 160), base: Size(14, 9), lanes: .on)
      // More than a lane reduces.
      #expect(try decoder("plain.jpg", job) { $0.isDescribed })
      #expect(try frames("plain.jpg", job).map { Size($0.width, $0.height) } == [Size(14, 9)])
      let truncated = decoding("jpeg", Size(240, 160), base: Size(120, 80), lanes: .on)
      let message = try decoder("truncated.jpg", truncated) { decoder -> String? in
        var warnings: [SourceWarning] = []
        do throws(TranscodeFailure) {
          _ = try decoder.frames(warnings: &warnings)
          return nil
        } catch {
          return error.message
        }
      }
      #expect(message?.contains("Premature end") == true, "\(message ?? "decoded")")
    }

    private func failure(_ name: String, _ job: TranscodeJob) throws -> TranscodeFailure? {
      try withSource(Places.bytes(name)) { source in
        do throws(TranscodeFailure) {
          _ = try Decoder(source, job, failOn: .error)
          return nil
        } catch {
          return error
        }
      }
    }

    @Test func framesAndPixelsHaveLimits() throws {
      let size = Size(96, 64)
      try expectLeast(6) {
        var job = decoding("gif", size, frames: 6)
        job.maximumFrames = $0
        return try failure("animated.gif", job) == nil
      }
      try expectLeast(6 * 96 * 64) {
        var job = decoding("gif", size, frames: 6)
        job.maximumPixels = $0
        return try failure("animated.gif", job) == nil
      }
      var job = decoding("gif", size, frames: 6)
      job.maximumFrames = 5
      #expect(
        try failure("animated.gif", job)
          == TranscodeFailure(.tooManyFrames, "the image has 6 frames; limits.frames allows 5"))
      job.maximumFrames = 6
      job.maximumPixels = 1_000
      #expect(
        try failure("animated.gif", job)
          == TranscodeFailure(
            .tooManyPixels, "the image has 36864 pixels in 6 frames; limits.pixels allows 1000"))
      // A bitmap is decoded as soon as it is opened.
      job.format = "bmp"
      #expect(
        try failure("formats/565.bmp", job)?.message.hasPrefix(
          "the image could not be decoded: the file has ") == true)
    }

    @Test func aFormatNeedsADecoder() throws {
      #expect(
        try failure("plain.jpg", decoding("none", Size(1, 1)))
          == TranscodeFailure(.decode, "no decoder for the format \"none\""))
      #expect(
        try failure("plain.jpg", decoding("psd", Size(1, 1)))?.message
          == "the image could not be decoded: no decoder for PSD")
      #expect(try failure("plain.jpg", decoding("png", Size(1, 1)))?.code == .decode)
    }

    /// The profile is kept only if the plan says so, and metadata only if a file does.
    @Test func whatIsKeptIsThereInTheEnd() throws {
      for lanes in Lanes.allCases {
        var job = decoding("jpeg", Size(240, 160), keepsProfile: true, lanes: lanes)
        #expect(try frames("display-p3.jpg", job)[0].profileLength > 0)
        #expect(try decoder("display-p3.jpg", job) { $0.isShownAsStored })
        job.decode.keepsProfile = false
        #expect(try frames("display-p3.jpg", job)[0].profileLength == 0)
        #expect(try !decoder("display-p3.jpg", job) { $0.isShownAsStored })
        var phone = decoding("jpeg", Size(600, 800), base: Size(60, 80), lanes: lanes)
        #expect(try frames("rotated-phone-shot.jpg", phone)[0].kept(.keep) != .xmp)
        phone.files = [planned(Size(60, 80), keeping: .keep)]
        #expect(
          try frames("rotated-phone-shot.jpg", phone)[0].kept([.keep, .location])
            == [.exif, .xmp])
      }
    }
  }
}

extension Raster {
  /// The kinds of metadata that a policy keeps.
  fileprivate func kept(_ policy: MetadataPolicy) throws -> MetadataPolicy {
    try prepared(keeping: policy, isAnimation: false).1
  }
}
