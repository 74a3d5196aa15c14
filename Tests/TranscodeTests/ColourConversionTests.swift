import TesseraCVips
import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraTranscode

@Suite struct CodedColourTests {
  @Test func thePrimariesFollowTheMark() {
    let mark = Array("colrnclx".utf8)
    #expect(CodedColour.primaries(of: mark + [0, 12]) == 12)
    #expect(CodedColour.primaries(of: [1, 99] + mark + [1, 2] + mark + [0, 12]) == 258)
    #expect(CodedColour.primaries(of: Array("colrcolrnclx".utf8) + [0, 9, 9]) == 9)
    #expect(CodedColour.primaries(of: mark + [0]) == nil)
    #expect(CodedColour.primaries(of: Array("colrprof".utf8) + [0, 12]) == nil)
    #expect(CodedColour.primaries(of: []) == nil)
    #expect(CodedColour.displayP3 == 12)
  }
}

@Suite struct ShrinkOnLoadTests {
  /// At least a factor of two is left to the resize.
  @Test(arguments: [
    (1.0, 1), (0.5, 1), (0.26, 1), (0.25, 2), (0.126, 2), (0.125, 4), (0.0626, 4), (0.0625, 8),
    (0.01, 8),
  ])
  func aJPEGIsShrunkByHalfOfTheReduction(_ scale: Double, _ shrink: Int) {
    #expect(ShrinkOnLoad.jpeg(scale, of: Size(1_000, 1_000)) == shrink)
  }

  @Test(arguments: [(63, 4), (64, 8), (31, 2), (32, 4), (15, 1), (16, 2), (1, 1)])
  func eightSamplesRemainOfTheShorterSide(_ side: Int, _ shrink: Int) {
    #expect(ShrinkOnLoad.jpeg(0.01, of: Size(side, 1_000)) == shrink)
    #expect(ShrinkOnLoad.jpeg(0.01, of: Size(1_000, side)) == shrink)
  }

  @Test func aWebPKeepsTheSameMargin() {
    for (scale, expected) in [(0.1, 0.2), (0.5, 1), (0.6, 1), (1, 1)] {
      #expect(ShrinkOnLoad.webp(scale) == expected)
    }
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

    @Test func inksAreConvertedByAProfile() throws {
      let inks = try withSource(Places.bytes("cmyk.jpg")) {
        try Raster.load($0, format: .jpeg).inMemory()
      }
      #expect(inks.isCMYK && inks.colourSpace == "cmyk")
      let result = try converted(inks)
      #expect(result.image.isGreyOrSRGB && result.image.profileLength == 0 && !result.isIdentity)
      #expect(try result.image.bytes == inks.transformedToSRGB(from: .cmyk).bytes)
      // By the formulas alone the colours would be others.
      #expect(try result.image.bytes != inks.convertedToSRGB().bytes)
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

    @Test(arguments: [ImageFormat.avif, .heic, .png]) func codePointsStateTheColours(
      _ format: ImageFormat
    ) throws {
      let bare = try wide.withoutField(Raster.profileField)
      let stated = Array("colrnclx".utf8) + [0, 12]
      let result = try converted(bare, format, file: [UInt8](repeating: 0, count: 300) + stated)
      #expect(try showsCorners(result.image) == (format != .png))
      #expect(result.image.profileLength == 0 && result.warnings == [])
      // Another code point, and one that is too far from the beginning.
      let others = [
        Array("colrnclx".utf8) + [0, 1], [UInt8](repeating: 0, count: (64 << 10) - 9) + stated,
      ]
      for file in others {
        #expect(try converted(bare, format, file: file).image.bytes == wide.bytes)
      }
      let last = [UInt8](repeating: 0, count: (64 << 10) - 10) + stated
      #expect(
        try showsCorners(converted(bare, format, file: last).image) == (format != .png))
    }
  }
}
