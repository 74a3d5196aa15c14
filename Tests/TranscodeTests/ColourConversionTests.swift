import Glibc
import TesseraCVips
import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraTranscode

@Suite struct ShrinkOnLoadTests {
  /// At least a factor of two is left to the resize.
  @Test(arguments: [
    (1.0, 1), (0.5, 1), (0.26, 1), (0.25, 2), (0.126, 2), (0.125, 4), (0.0626, 4), (0.0625, 8),
    (0.01, 8),
  ])
  func theCodecDoesHalfOfTheReduction(_ scale: Double, _ shrink: Int) {
    #expect(ShrinkOnLoad.factor(scale, of: Size(1_000, 1_000)) == shrink)
  }

  @Test(arguments: [(63, 4), (64, 8), (31, 2), (32, 4), (15, 1), (16, 2), (1, 1)])
  func eightSamplesRemainOfTheShorterSide(_ side: Int, _ shrink: Int) {
    #expect(ShrinkOnLoad.factor(0.01, of: Size(side, 1_000)) == shrink)
    #expect(ShrinkOnLoad.factor(0.01, of: Size(1_000, side)) == shrink)
  }
}

extension LibvipsTests {
  @Suite struct ColourConversionTests {
    /// Red, green, blue and yellow quarters in Display P3.
    private let wide: Raster

    init() throws {
      try #require(LibvipsTests.isReady)
      let file = try #require(Base64.decode(SampleImages.displayP3))
      wide = try withSource(file) { try Raster.load($0, format: .png).inMemory() }
    }

    private func converted(
      _ image: Raster, keepsProfile: Bool = false, _ format: ImageFormat = .png,
      file: [UInt8] = []
    ) throws -> (image: Raster, warnings: [SourceWarning], isIdentity: Bool) {
      try withSource(file) {
        let conversion = ColourConversion(source: $0, format: format, keepsProfile: keepsProfile)
        var warnings: [SourceWarning] = []
        let result = try conversion.convert(image, warnings: &warnings)
        return (result, warnings, conversion.isIdentity(for: image))
      }
    }

    private func changed(_ image: Raster, profile: [UInt8]) throws -> Raster {
      let copy = try image.copy()
      copy.set(Raster.profileField, profile)
      return copy
    }

    /// Whether an image shows the quarters in sRGB.
    private func showsCorners(_ image: Raster) throws -> Bool {
      let bytes = try image.bytes
      let bands = bytes.count / 256
      return zip([(4, 4), (12, 4), (4, 12), (12, 12)], SampleImages.corners).allSatisfy {
        let start = ($0.1 * 16 + $0.0) * bands
        return distance(bytes[start..<start + 3].map(Int.init), $1) <= 2
      }
    }

    @Test func aProfileIsKeptOrConvertedFrom() throws {
      #expect(try !showsCorners(wide))
      let plain = try converted(wide)
      #expect(try showsCorners(plain.image) && plain.image.profileLength == 0)
      #expect(plain.warnings == [] && !plain.isIdentity)
      let kept = try converted(wide, keepsProfile: true)
      #expect(try kept.image.bytes == wide.bytes)
      #expect(kept.image.profileLength == wide.profileLength && wide.profileLength > 0)
      #expect(kept.warnings == [] && kept.isIdentity)
    }

    @Test func aDamagedProfileIsIgnored() throws {
      for keepsProfile in [false, true] {
        let damaged = try changed(wide, profile: [1, 2, 3])
        let result = try converted(damaged, keepsProfile: keepsProfile)
        #expect(result.warnings == [.damagedProfile] && !result.isIdentity)
        #expect(try result.image.bytes == wide.bytes)
        #expect(result.image.profileLength == 0)
      }
    }

    /// Its curves are of an unknown type, so that no conversion can be made of it.
    @Test func anUnusableProfileIsIgnored() throws {
      let profile = Array(try #require(wide.blob(Raster.profileField)))
      let broken = profile.replacing(Array("curv".utf8), with: Array("none".utf8))
      let image = try changed(wide, profile: broken)
      #expect(image.hasUsableProfile)
      let result = try converted(image)
      guard case .unusableProfile(let detail) = result.warnings.first else {
        Issue.record("\(result.warnings)")
        return
      }
      #expect(!detail.isEmpty && result.warnings.count == 1)
      #expect(try result.image.bytes == wide.bytes)
      #expect(result.image.profileLength == 0)
    }

    /// No profile of a camera or printer comes near four mebibytes.
    @Test func aVeryLargeProfileIsNotKept() throws {
      let profile = Array(try #require(wide.blob(Raster.profileField)))
      try expectMost(4 << 20) { count in
        let padding = [UInt8](repeating: 0, count: count - profile.count)
        return try converted(changed(wide, profile: profile + padding), keepsProfile: true)
          .isIdentity
      }
    }

    @Test func samplesWithoutAProfileBecomeEightBits() throws {
      let colour = try Raster.drawn(2, 2) { x, y in [x * 50, y * 60, 70] }
      let same = try converted(colour)
      #expect(same.image === colour && same.isIdentity)
      let grey = try withSource(Places.bytes("grey.png")) {
        try Raster.load($0, format: .png).inMemory()
      }
      let shown = try converted(grey)
      #expect(shown.image === grey && shown.isIdentity && !grey.isRGB)
      let deep = try withSource(Places.bytes("sixteen-bit.png")) {
        try Raster.load($0, format: .png).inMemory()
      }
      #expect(!deep.isEightBit && deep.isRGB && !deep.isGreyOrSRGB)
      let reduced = try converted(deep)
      #expect(reduced.image.isEightBit && reduced.image.isGreyOrSRGB && !reduced.isIdentity)
      #expect(try reduced.image.bytes == deep.inEightBits().bytes)
    }

    /// Browsers multiply the inks of JPEGs; other files come from printing, and have its colours.
    @Test(.faults(.i11), arguments: [ImageFormat.jpeg, .tiff]) func inksBecomeColours(
      _ format: ImageFormat
    ) throws {
      let inks = try withSource(Places.bytes("cmyk.jpg")) {
        try Raster.load($0, format: .jpeg).inMemory()
      }
      #expect(inks.isCMYK && inks.colourSpace == "cmyk")
      let result = try converted(inks, format)
      #expect(result.image.isGreyOrSRGB && result.image.profileLength == 0 && !result.isIdentity)
      let bytes = try result.image.bytes
      if format == .jpeg {
        let samples = try inks.bytes.map(Int.init)
        var expected: [UInt8] = []
        for place in stride(from: 0, to: samples.count, by: 4) {
          let paper = 255 - samples[place + 3]
          for ink in samples[place..<place + 3] {
            expected.append(UInt8(((255 - ink) * paper * 2 + 255) / 510))
          }
        }
        #expect(bytes == expected)
      } else {
        #expect(try bytes == inks.transformedToSRGB(from: .cmyk).bytes)
      }
    }

    /// The profile is for other samples than the image has: three bands of red, green and blue are in four of inks, too.
    @Test func aProfileOfOtherSamplesIsIgnored() throws {
      let inks = try withSource(Places.bytes("cmyk.jpg")) {
        try Raster.load($0, format: .jpeg).inMemory()
      }
      let profile = Array(try #require(wide.blob(Raster.profileField)))
      let result = try converted(changed(inks, profile: profile), .jpeg)
      #expect(result.warnings == [.damagedProfile])
      #expect(try result.image.bytes == converted(inks, .jpeg).image.bytes)
    }

    /// Only red, green and blue are kept: some formats have no inks.
    @Test func aProfileOfInksIsConvertedFrom() throws {
      let plain = try wide.withoutField(Raster.profileField)
      let inks = try Raster.make { tessera_vips_to_cmyk(plain.handle, $0) }.inMemory()
      try #require(inks.isCMYK && inks.hasUsableProfile)
      let result = try converted(inks, keepsProfile: true)
      #expect(result.image.isRGB && result.image.profileLength == 0 && !result.isIdentity)
      #expect(try result.image.bytes == inks.transformedToSRGB(from: .embedded).bytes)
    }

    @Test(.faults(.i31), arguments: [ImageFormat.avif, .heic, .jpeg])
    func codePointsStateTheColours(
      _ format: ImageFormat
    ) throws {
      let bare = try wide.withoutField(Raster.profileField)
      let stated = avif(primaries: 12, transfer: 13)
      let result = try converted(bare, format, file: stated)
      #expect(try showsCorners(result.image) == (format != .jpeg))
      #expect(result.isIdentity == (format == .jpeg))
      #expect(result.image.profileLength == 0 && result.warnings == [])
      // A profile takes precedence.
      #expect(try converted(wide, keepsProfile: true, format, file: stated).isIdentity)
      for file in [avif(primaries: 1, transfer: 13), []] {
        #expect(try converted(bare, format, file: file).image.bytes == wide.bytes)
      }
    }

    /// libheif leaves grey and alpha in the range that they are coded in.
    @Test(.faults(.i36), arguments: [false, true]) func limitedRangesAreExpanded(_ isDeep: Bool)
      throws
    {
      let flat = try Raster.drawn(3, 1, bands: 4) { x, _ in
        [[16, 16, 16, 235], [235, 235, 235, 16], [100, 0, 255, 100]][x]
      }
      let image =
        try isDeep
        ? Raster.make { tessera_vips_colourspace(flat.handle, $0, VIPS_INTERPRETATION_RGB16) }
        : flat
      for (grey, alpha) in [(false, false), (true, false), (false, true), (true, true)] {
        var coded = CodedSamples()
        (coded.hasLimitedGrey, coded.hasLimitedAlpha) = (grey, alpha)
        let usual = try image.inFullRange(coded)
        let samples = try usual.inEightBits().samples().map(Int.init)
        let colours =
          grey ? [0, 0, 0, 255, 255, 255, 98, 0, 255] : [16, 16, 16, 235, 235, 235, 100, 0, 255]
        let alphas = alpha ? [255, 0, 98] : [235, 16, 100]
        for pixel in 0..<3 {
          for band in 0..<3 {
            #expect(
              abs(samples[pixel * 4 + band] - colours[pixel * 3 + band]) <= 1, "\(grey) \(alpha)")
          }
          #expect(abs(samples[pixel * 4 + 3] - alphas[pixel]) <= 1)
        }
        #expect(usual.isEightBit == !isDeep)
      }
    }

    /// PNG (third edition, 11.3.2): code points count although there is a profile, those of sRGB, too.
    @Test(arguments: [false, true]) func codePointsOfSRGBReplaceAProfile(_ keeps: Bool) throws {
      let plain = try Raster.drawn(16, 16) { x, y in [x * 16, y * 16, 99] }
      let other = CodedColours(primaries: 12, transfer: 8)
      let image = try changed(plain, profile: try #require(other.profile()))
      let file = CodedColoursTests.file(chunk("cICP", [1, 13, 0, 1]))
      let result = try converted(image, keepsProfile: keeps, file: file)
      #expect(try result.image.bytes == plain.bytes && result.image.profileLength == 0)
      #expect(!result.isIdentity && result.warnings == [])
      #expect(try converted(plain, keepsProfile: keeps, file: file).isIdentity)
      // Without them the profile counts.
      #expect(try keeps || converted(image).image.bytes != plain.bytes)
    }

    /// Linear light, in grey and in colours, with alpha and without.
    @Test(.faults(.i31)) func gammaIsConvertedFrom() throws {
      let file = CodedColoursTests.file(chunk("gAMA", big(100_000, 4)))
      for (bands, kind) in [
        (1, VIPS_INTERPRETATION_B_W), (2, VIPS_INTERPRETATION_B_W), (3, VIPS_INTERPRETATION_sRGB),
        (4, VIPS_INTERPRETATION_sRGB),
      ] {
        let plain = try Raster.drawn(16, 16, bands: bands) { x, y in
          [Int](repeating: x + 16 * y, count: bands)
        }
        let image = try Raster.make { tessera_vips_set_interpretation(plain.handle, $0, kind) }
        let result = try converted(image, keepsProfile: true, file: file)
        #expect(!result.isIdentity && result.warnings == [])
        #expect(result.image.isRGB && result.image.isEightBit && result.image.profileLength == 0)
        let hasAlpha = bands % 2 == 0
        #expect(result.image.hasAlpha == hasAlpha)
        let samples = try result.image.bytes.map(Int.init)
        let width = hasAlpha ? 4 : 3
        for value in 0..<256 {
          let light = Double(value) / 255
          let shown = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
          for band in 0..<3 {
            #expect(abs(Double(samples[value * width + band]) - shown * 255) <= 1, "\(value)")
          }
          if hasAlpha { #expect(samples[value * width + 3] == value) }
        }
      }
    }

    /// The table of colours is so fine that its steps are not seen.
    @Test(.faults(.i31), arguments: [CodedColours.Transfer.pq, .hlg]) func hdrIsToneMapped(
      _ transfer: CodedColours.Transfer
    ) throws {
      let coded = CodedColours(primaries: try #require(.init(code: 9)), transfer: transfer)
      let file = CodedColoursTests.file(chunk("cICP", [9, transfer == .pq ? 16 : 18, 0, 1]))
      let image = try Raster.drawn(40, 40) { x, y in [x * 6, y * 6, (x + y) * 3] }
      let result = try converted(image, keepsProfile: true, file: file)
      #expect(result.warnings == [.toneMapped] && !result.isIdentity)
      let bytes = try result.image.bytes
      let mapping = try #require(ToneMapping(coded))
      var errors: [Double] = []
      for y in 0..<40 {
        for x in 0..<40 {
          let light = mapping.light(
            of: Vector(Double(x * 6), Double(y * 6), Double((x + y) * 3)).map { $0 / 255 })
          let place = (y * 40 + x) * 3
          for (band, light) in [light.x, light.y, light.z].enumerated() {
            let shown = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
            errors.append(abs(Double(bytes[place + band]) - shown * 255))
          }
        }
      }
      let mean = errors.reduce(0, +) / Double(errors.count)
      #expect(mean < 1.5, "\(mean)")
      // Grey of HDR is converted as colours are.
      let grey = try Raster.drawn(2, 2, bands: 1) { x, y in [x * 100 + y] }
      let one = try Raster.make {
        tessera_vips_set_interpretation(grey.handle, $0, VIPS_INTERPRETATION_B_W)
      }
      #expect(try converted(one, file: file).image.isRGB)
    }
  }
}
