import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraText
import TesseraWorkers
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct ReducedDecodingTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private func frame(_ file: [UInt8], _ job: TranscodeJob) throws -> Raster {
      try withSource(file) {
        var warnings: [SourceWarning] = []
        let frames = try Decoder($0, job, failOn: .error).frames(warnings: &warnings)
        return try #require(frames.first).inMemory()
      }
    }

    /// Half as much as is needed is left to the resize.
    @Test(arguments: [
      ("lossy.webp", ImageFormat.webp, Size(48, 32), Raster.LoadOptions(shrink: 2)),
      ("lossy.webp", .webp, Size(180, 120), .init()),
      ("plain.jpg", .jpeg, Size(60, 40), .init(shrink: 2)),
      ("plain.jpg", .jpeg, Size(30, 20), .init(shrink: 4)),
      ("plain.jpg", .jpeg, Size(121, 81), .init()),
      ("grey.png", .png, Size(20, 20), .init()),
    ])
    func codecsDoAPartOfTheReduction(
      _ name: String, _ format: ImageFormat, _ base: Size, _ options: Raster.LoadOptions
    ) throws {
      let file = try Places.bytes(name)
      let (loaded, whole) = try withSource(file) {
        let image = try Raster.load($0, format: format)
        return (
          try Raster.load($0, format: format, options).inMemory(), Size(image.width, image.height)
        )
      }
      let made = try frame(file, decoding(format.rawValue, whole, base: base))
      #expect(try made.bytes == loaded.resized(width: base.width, height: base.height).bytes)
    }

    /// A drawing has its size in CSS pixels.
    @Test func aDrawingIsRenderedAtItsSize() throws {
      let text =
        #"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10">"#
        + #"<rect width="10" height="10" fill="red"/></svg>"#
      let file = Array(text.utf8)
      for (size, base) in [
        (Size(20, 10), Size(20, 10)), (Size(20, 10), Size(10, 5)),
      ] {
        let job = decoding("svg", size, base: base, alpha: true)
        let facts = try withSource(file) { try Decoder($0, job, failOn: .error).facts }
        #expect(facts.size == size && facts.hasAlpha && facts.frames == 1)
        let expected = try withSource(file) {
          let scale = Double(base.width) / 20
          return try Raster.load($0, format: .svg, .init(scale: scale)).inMemory()
        }
        let made = try frame(file, job)
        #expect(made.width == base.width && made.height == base.height)
        #expect(try made.bytes == expected.bytes)
      }
    }

    @Test(arguments: Lanes.allCases) func opaqueAlphaIsLeftOut(_ lanes: Lanes) throws {
      for (alpha, base) in [(255, Size(2, 2)), (254, Size(2, 2)), (255, Size(1, 1))] {
        let rows: [[UInt8]] = [
          [9, 8, 7, 255, 6, 5, 4, 255], [3, 2, 1, 255, 0, 0, 0, UInt8(alpha)],
        ]
        let job = decoding("png", Size(2, 2), base: base, alpha: true, lanes: lanes)
        let made = try frame(png(pngHeader(2, 2, colour: 6), rows), job)
        #expect(made.hasAlpha == (alpha != 255))
      }
    }

    @Test func metadataIsOnlyReadForFilesThatKeepIt() throws {
      let file = try Places.bytes("rotated-phone-shot.jpg")
      var job = decoding("jpeg", Size(600, 800), base: Size(30, 40))
      #expect(try !frame(file, job).hasField("tessera-xmp-location"))
      job.files = [planned(Size(30, 40)), planned(Size(30, 40), keeping: .xmp)]
      #expect(try frame(file, job).hasField("tessera-xmp-location"))
    }

    // MARK: Colours

    /// libvips would take 16 bits of alpha for eight.
    @Test func alphaOfSixteenBitsIsReducedByItself() throws {
      let deep = try withSource(Places.bytes("formats/p3-sixteen-bit-alpha.png")) {
        try Raster.load($0, format: .png).inMemory()
      }
      #expect(!deep.isEightBit && deep.hasAlpha && deep.profileLength > 0)
      let converted = try deep.transformedToSRGB(from: .embedded)
      #expect(converted.isEightBit && converted.hasAlpha)
      // Samples are in the byte order of the machine.
      let (samples, bytes) = try (deep.bytes, converted.bytes)
      try #require(samples.count == bytes.count * 2)
      for pixel in stride(from: 0, to: bytes.count, by: 4) {
        #expect(bytes[pixel + 3] == samples[(pixel + 3) * 2 + 1])
      }
    }

    @Test func whatIsShownIsInSRGB() throws {
      let file = try #require(Base64.decode(SampleImages.displayP3))
      let wide = try withSource(file) { try Raster.load($0, format: .png).inMemory() }
      let shown = try wide.transformedToSRGB(from: .embedded).bytes
      #expect(try wide.onScreen().bytes == shown && wide.bytes != shown)
      #expect(try shownSamples(wide) == shown)
      #expect(try wide.samples().enumerated().filter { $0.offset % 4 < 3 }.map(\.element) == shown)
      let plain = try wide.withoutField(Raster.profileField)
      #expect(try plain.onScreen() === plain)
      let damaged = try wide.copy()
      damaged.set(Raster.profileField, [1, 2, 3])
      #expect(try damaged.onScreen() === damaged)
      #expect(
        SampleImages.corners == [[200, 40, 40], [40, 160, 60], [40, 60, 180], [230, 200, 50]])
    }
  }

  @Suite struct FileMetadataTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private let packet = Array("<a dc:title=\"b\"/>".utf8)

    /// An image in Display P3 with Exif, XMP and IPTC.
    private func image() throws -> Raster {
      let file = try #require(Base64.decode(SampleImages.displayP3))
      let block =
        Array("MM".utf8) + [0, 42] + big(8, 4) + big(1, 2)
        + [1, 0x0F, 0, 2, 0, 0, 0, 4, 65, 98, 99, 0, 0, 0, 0, 0]
      let image = try withSource(file) { try Raster.load($0, format: .png).inMemory() }
        .withExif(block).copy()
      image.set(Raster.xmpField, packet)
      image.set(Raster.iptcField, [0x1C, 2, 5, 0, 1, 65])
      return try image.withXMPExamined()
    }

    private func loaded(_ bytes: [UInt8], _ format: OutputFormat) throws -> Raster {
      let format = try #require(ImageFormat(rawValue: format.rawValue))
      return try withSource(bytes) {
        let image = try Raster.load($0, format: format).inMemory()
        return try image.with(UnreadMetadata(of: $0, format))
      }
    }

    /// Only JPEG has IPTC. Of AVIF and HEIC, libvips tells XMP by its first element, which this packet lacks.
    @Test(arguments: OutputFormat.allCases) func aFileHasExactlyWhatIsKept(_ format: OutputFormat)
      throws
    {
      let image = try image()
      for policy in [MetadataPolicy.strip, .icc, .exif, .xmp, .iptc, .keep] {
        let file = planned(
          Size(16, 16), format, quality: format.hasQuality ? 90 : nil,
          effort: EncoderSetting.effort[format], keeping: policy)
        let bytes = try Encoder.encode([image], as: file)
        let made = try loaded(bytes, format)
        let make = try made.fieldNames().contains("exif-ifd0-Make")
        #expect(make == policy.contains(.exif), "\(policy)")
        if format != .jxl {
          #expect((made.profileLength > 0) == policy.contains(.icc), "\(policy)")
        }
        if format == .avif || format == .heic {
          let isInFile = bytes.firstRange(of: packet) != nil
          #expect(isInFile == policy.contains(.xmp), "\(policy)")
        } else {
          #expect(made.xmp == (policy.contains(.xmp) ? packet : []), "\(policy)")
        }
        if format == .jpeg {
          #expect(made.hasField(Raster.iptcField) == policy.contains(.iptc), "\(policy)")
        }
      }
    }

    /// A background is a colour in sRGB.
    @Test func anImageOnABackgroundIsInSRGB() throws {
      let profile = try Array(#require(try image().blob(Raster.profileField)))
      let clear = try Raster.drawn(16, 16, bands: 4) { _, _ in [40, 200, 40, 128] }.copy()
      clear.set(Raster.profileField, profile)
      var file = planned(Size(16, 16), .png, quality: nil, keeping: .icc)
      file.encoding.background = Colour(red: 250, green: 0, blue: 0)
      let made = try loaded(try Encoder.encode([clear], as: file), .png)
      let expected = try clear.transformedToSRGB(from: .embedded)
        .flattened(red: 250, green: 0, blue: 0)
      #expect(try made.bytes == expected.bytes && made.profileLength == 0)
    }

    /// More than a process can have: the encoders do not report it.
    @Test func anEncoderNeedsMemory() throws {
      let large = try Raster.of(
        samples: [UInt8](repeating: 0, count: 12_000_000), width: 4_000, height: 3_000, bands: 1)
      do throws(TranscodeFailure) {
        _ = try Encoder.encode(
          [Raster](repeating: large, count: 200_000), as: planned(Size(4_000, 3_000), .jxl))
        Issue.record("encoded")
      } catch {
        #expect(
          error
            == TranscodeFailure(
              .outOfMemory, "encoding needed more memory than limits.memory allows"))
      }
    }
  }

  @Suite struct MessageTests {
    init() throws { try #require(LibvipsTests.isReady) }

    /// The message of a call, after another has left one.
    private func message(_ call: () throws(VipsError) -> Void) -> String? {
      _ = try? Raster.drawn(1, 1) { _, _ in [0, 0, 0] }
      leaveMessage("earlier")
      do throws(VipsError) {
        try call()
        return nil
      } catch {
        return error.message
      }
    }

    @Test func everyCallReportsItsOwnMessage() throws {
      let whole = png(
        pngHeader(40, 40, colour: 6), (0..<40).map { _ in [UInt8](repeating: 9, count: 160) })
      let cut = Array(whole.prefix(2_000))
      try withSource(cut) { source in
        let image = try Raster.load(source, format: .png)
        for message in [
          message { () throws(VipsError) in _ = try image.inMemory() },
          message { () throws(VipsError) in _ = try image.withoutOpaqueAlpha() },
        ] {
          #expect(message?.contains("earlier") == false)
        }
      }
      let wide = try Raster.of(
        samples: [UInt8](repeating: 0, count: 16_384 * 3), width: 16_384, height: 1, bands: 3)
      let saved = message { () throws(VipsError) in
        _ = try wide.webp(quality: 80, effort: 0, alphaQuality: 100)
      }
      #expect(saved?.contains("earlier") == false)
    }
  }
}
