import TesseraCVips
import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  @Suite struct RasterTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private let samples: [[Int]] = (0..<6).map { [$0 * 10, $0 * 20, $0 * 30] }

    /// 3 x 2 pixels.
    private func image() throws -> Raster { try .drawn(3, 2) { x, y in samples[y * 3 + x] } }

    /// A PNG's comment is a field with its keyword in the name, which may be no UTF-8.
    @Test func fieldsHaveAnyNames() throws {
      let image = try Raster.drawn(2, 2) { x, y in [x, y, 9] }.copy()
      for name in [[0x94], Array("a  b".utf8), Array("kept".utf8)] as [[UInt8]] {
        name.map(CChar.init(bitPattern:)).withUnsafeBufferPointer { bytes in
          vips_image_set_string(image.handle, Array(bytes) + [0], "text")
        }
      }
      let before = try image.fieldNames().count
      try image.keepFields { $0 == "kept" }
      #expect(try image.fieldNames().count == before - 2)
      #expect(image.hasField("kept"))
    }

    /// Builds of libvips differ in the formats that they have.
    @Test func aMissingFormatIsNamedAsThat() {
      let reason = "VipsOperation: class \"svgload_buffer\" not found"
      #expect(
        VipsError(reason: reason).message
          == "this libvips was built without what the format needs (\(reason))")
      #expect(VipsError(reason: "svgload: not found").message == "svgload: not found")
    }

    @Test func messagesAreReadOnce() {
      vips_error_clear()
      #expect(
        VipsError.current().message
          == "the decoder gave no reason; the file is damaged, or of a kind that it does not support"
      )
      for message in ["one", "two", "one"] { leaveMessage(message) }
      #expect(VipsError.current().message == "test: one; test: two")
      #expect(
        VipsError.current().message
          == "the decoder gave no reason; the file is damaged, or of a kind that it does not support"
      )
    }

    @Test func anErrorIsNotThatOfAnEarlierCall() throws {
      let image = try image()
      leaveMessage("earlier")
      do throws(VipsError) {
        _ = try image.extracted(x: 9, y: 9, width: 1, height: 1)
        Issue.record("extracted")
      } catch {
        #expect(error.message == "extract_area: bad extract area")
      }
    }

    @Test func partsAreCutOutAndTurned() throws {
      let image = try image()
      let part = try image.extracted(x: 1, y: 0, width: 2, height: 1)
      #expect(try part.bytes == [10, 20, 30, 20, 40, 60] && part.width == 2 && part.height == 1)
      let marked = try image.marked(orientation: 6)
      #expect(marked.orientation == 6 && marked.swapsSides && image.orientation == 1)
      #expect(!image.swapsSides)
      let turned = try marked.turnedUpright()
      #expect(turned.width == 2 && turned.height == 3 && turned.orientation == 1)
      #expect(try Array(turned.bytes[..<6]) == [30, 60, 90, 0, 0, 0])
    }

    @Test func framesAreStacked() throws {
      let image = try image()
      #expect(try Raster.stacked([image]) === image)
      let stack = try Raster.stacked([image, image, image])
      #expect(stack.width == 3 && stack.height == 6 && stack.pageHeight == 2)
      #expect(try stack.bytes == image.bytes + image.bytes + image.bytes)
      #expect(image.pageHeight == 2 && image.frameCount == 1)
      #expect(throws: VipsError.self) { try Raster.stacked([]) }
    }

    @Test func aBlankImageHasTheFieldsOfItsModel() throws {
      let model = try image().marked(orientation: 3)
      let blank = try model.blank(width: 5, height: 4)
      #expect(blank.width == 5 && blank.height == 4 && blank.orientation == 3)
      #expect(try blank.bytes.count == 60 && model.width == 3)
      #expect(try model.blank(width: 5, height: 4, bands: 2).bytes.count == 40)
      #expect(try Raster.black().bytes == [0])
    }

    @Test func samplesHaveAlpha() throws {
      #expect(try image().samples() == samples.flatMap { $0.map { UInt8($0) } + [255] })
      let clear = try Raster.drawn(1, 2, bands: 4) { _, y in [1, 2, 3, y * 9] }
      #expect(try clear.samples() == [1, 2, 3, 0, 1, 2, 3, 9])
      for image in [try image(), clear] {
        try image.withSamples { samples, bands in
          #expect(bands == (image === clear ? 4 : 3) && samples.count == image.width * 2 * bands)
        }
        var seen: [UInt8] = []
        try image.withSamples { samples, _ in seen = Array(samples) }
        #expect(try seen == image.bytes)
      }
      // Grey becomes sRGB.
      let grey = try withSource(png(pngHeader(2, 1, colour: 0), [[7, 8]])) {
        try Raster.load($0, format: .png).inMemory()
      }
      try grey.withSamples { samples, bands in
        #expect(Array(samples) == [7, 7, 7, 8, 8, 8] && bands == 3)
      }
    }

    @Test func opaqueAlphaIsLeftOut() throws {
      let opaque = try Raster.drawn(2, 2, bands: 4) { x, y in [x, y, 3, 255] }
      #expect(try opaque.withoutOpaqueAlpha().bytes == [0, 0, 3, 1, 0, 3, 0, 1, 3, 1, 1, 3])
      let clear = try Raster.drawn(2, 2, bands: 4) { x, y in [x, y, 3, x * y == 1 ? 254 : 255] }
      #expect(try clear.withoutOpaqueAlpha() === clear)
      let plain = try image()
      #expect(try plain.withoutOpaqueAlpha() === plain)
      // With 16 bits a sample it is not looked at.
      let file = png(pngHeader(1, 1, depth: 16, colour: 6), [[UInt8](repeating: 255, count: 8)])
      let deep = try withSource(file) { try Raster.load($0, format: .png).inMemory() }
      #expect(try deep.withoutOpaqueAlpha() === deep && deep.hasAlpha)
    }

    @Test func translucentPixelsAreCompositedOntoAColour() throws {
      let image = try Raster.drawn(1, 2, bands: 4) { _, y in [200, 100, 0, y * 255] }
      #expect(try image.flattened(red: 1, green: 2, blue: 3).bytes == [1, 2, 3, 200, 100, 0])
    }

    @Test func fieldsAreSetAndRemoved() throws {
      let image = try image().copy()
      #expect(image.set("tessera-test", [1, 2]) && image.hasField("tessera-test"))
      #expect(image.blob("tessera-test").map(Array.init) == [1, 2])
      #expect(try image.fieldNames().contains("tessera-test"))
      #expect(try image.fieldNames().contains("width"))
      let other = try image.withoutField("tessera-test")
      #expect(!other.hasField("tessera-test") && image.hasField("tessera-test"))
      other.copyField("tessera-test", from: image)
      #expect(other.blob("tessera-test").map(Array.init) == [1, 2])
      #expect(!image.set("tessera-test", []) && !image.hasField("tessera-test"))
      #expect(!other.set("tessera-test", nil as [UInt8]?) && other.blob("tessera-test") == nil)
      image.set("tessera-number", 5)
      #expect(image.number("tessera-number", otherwise: 9) == 5)
      #expect(image.number("tessera-none", otherwise: 9) == 9)
      image.set("tessera-text", "abc")
      #expect(image.hasField("tessera-text") && image.blob("tessera-text") == nil)
    }

    /// What is encoded later would otherwise have freed memory in it.
    @Test func aLoadedImageOwnsItsBlobs() throws {
      let loaded = try withSource(Places.bytes("display-p3.jpg")) {
        try Raster.load($0, format: .jpeg)
      }
      let copy = try loaded.withOwnBlobs()
      let (one, other) = (loaded.blob(Raster.profileField), copy.blob(Raster.profileField))
      #expect(one.map(Array.init) == other.map(Array.init) && one != nil)
      #expect(one?.baseAddress != other?.baseAddress)
    }

    /// U1: libvips takes the orientation in an Exif block for the image's as soon as the block is set.
    @Test(.faults(.u1)) func noBlobTurnsTheImage() throws {
      let block =
        Array("MM".utf8) + [0, 42] + big(8, 4) + big(1, 2) + big(274, 2) + big(3, 2) + big(1, 4)
        + [0, 6, 0, 0] + big(0, 4)
      // The field begins as the segment of a JPEG does.
      let field = Array("Exif\0\0".utf8) + block
      for orientation in [nil, 1, 3, 8] {
        func unchanged(_ name: String, _ change: (Raster) throws -> Raster) throws {
          let plain = try image().copy()
          if let orientation { plain.set(Raster.orientationField, orientation) }
          let changed = try change(plain)
          #expect(changed.orientation == orientation ?? 1, "\(name)")
          #expect(changed.hasField(Raster.orientationField) == (orientation != nil), "\(name)")
          #expect(changed.blob(Raster.exifField) != nil, "\(name)")
        }
        let other = try image().copy()
        other.set(Raster.exifField, field)
        try unchanged("set") { plain in
          plain.set(Raster.exifField, field)
          return plain
        }
        try unchanged("copied") { plain in
          plain.copyField(Raster.exifField, from: other)
          return plain
        }
        try unchanged("added") { try $0.withExif(block) }
        try unchanged("owned") { try $0.withExif(block).withOwnBlobs() }
      }
    }

    // MARK: Resizing

    /// Solid colours stay, whatever way is taken: our own resampler, or libvips' for larger steps.
    @Test(arguments: [
      (3, 60, 40), (3, 30, 40), (3, 2, 40), (3, 60, 2), (4, 60, 40), (4, 2, 40), (4, 90, 3),
    ])
    func aSolidImageStaysSolid(_ bands: Int, _ width: Int, _ height: Int) throws {
      let pixel = [200, 100, 50, 128].prefix(bands)
      let image = try Raster.drawn(60, 40, bands: bands) { _, _ in Array(pixel) }
      let resized = try image.resized(width: width, height: height)
      #expect(resized.width == width && resized.height == height)
      let bytes = try resized.bytes
      #expect(bytes.count == width * height * bands)
      #expect(bytes.enumerated().allSatisfy { abs(Int($1) - pixel[$0 % bands]) <= 1 })
    }

    @Test func ourResamplerHasAMostReduction() throws {
      let image = try Raster.drawn(64, 32) { x, y in [x, y, 0] }
      expectLeast(4) { image.canBeResampled(width: $0, height: 32) }
      expectLeast(2) { image.canBeResampled(width: 64, height: $0) }
      #expect(try image.resized(width: 64, height: 32) === image)
      let small = try image.resampled(width: 32, height: 20)
      #expect(try image.resized(width: 32, height: 20).bytes == small.bytes)
      let best = Lanczos.resample(try image.bytes, bands: 3, .init(64, to: 32), .init(32, to: 20))
      #expect(try zip(small.bytes, best).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
      // With 16 bits a sample it does not work.
      let deep = try withSource(Places.bytes("sixteen-bit.png")) {
        try Raster.load($0, format: .png).inMemory()
      }
      #expect(!deep.canBeResampled(width: deep.width, height: deep.height))
      #expect(try deep.resized(width: 9, height: 8).inMemory().width == 9)
    }

    @Test func greyAndColourAreResampledWithAndWithoutAlpha() throws {
      for (colour, bands) in [(0, 1), (4, 2), (2, 3), (6, 4)] {
        let file = png(pngHeader(1, 1, colour: colour), [[UInt8](repeating: 200, count: bands)])
        let image = try withSource(file) { try Raster.load($0, format: .png).inMemory() }
        #expect(image.canBeResampled(width: 1, height: 1))
      }
      let inks = try withSource(Places.bytes("cmyk.jpg")) { try Raster.load($0, format: .jpeg) }
      #expect(!inks.canBeResampled(width: inks.width, height: inks.height))
    }

    /// The colour of transparent pixels does not show at the edge of the others.
    @Test(arguments: [32, 2]) func transparentPixelsDoNotBleed(_ height: Int) throws {
      let image = try Raster.drawn(64, 64, bands: 4) { x, _ in
        x < 32 ? [250, 10, 10, 255] : [0, 255, 0, 0]
      }
      let bytes = try image.resized(width: 33, height: height).bytes
      for pixel in stride(from: 0, to: bytes.count, by: 4) where bytes[pixel + 3] > 100 {
        #expect(distance(bytes[pixel..<pixel + 3].map(Int.init), [250, 10, 10]) <= 6)
      }
    }

    @Test func colourSpacesHaveNames() throws {
      for (file, format, name) in [
        ("plain.jpg", ImageFormat.jpeg, "rgb"), ("grey.png", .png, "grey"),
        ("cmyk.jpg", .jpeg, "cmyk"),
        ("sixteen-bit.png", .png, "rgb"), ("formats/lab.tif", .tiff, "lab"),
      ] {
        #expect(
          try withSource(Places.bytes(file)) { try Raster.load($0, format: format).colourSpace }
            == name)
      }
    }

    @Test func formatsThatAreOnlyRecognizedHaveNoDecoder() {
      for format in ImageFormat.allCases where !format.isDecoded {
        do throws(VipsError) {
          _ = try Raster.load(
            SourceData(UnsafeRawBufferPointer(start: nil, count: 0)), format: format)
          Issue.record("\(format)")
        } catch {
          #expect(error.message == "no decoder for \(format.displayName)")
        }
      }
    }
  }
}
