import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  /// Files in HEIC, read back.
  @Suite struct HEICTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private static let corners = [[200, 40, 40], [40, 160, 60], [40, 60, 180], [230, 200, 50]]

    /// Four quarters; with four bands, the right ones are nearly transparent.
    private func quarters(_ width: Int, _ height: Int, bands: Int) throws -> Raster {
      try .drawn(width, height, bands: bands) { x, y in
        let corner = (y * 2 < height ? 0 : 2) + (x * 2 < width ? 0 : 1)
        return Self.corners[corner] + (bands == 4 ? [x * 2 < width ? 255 : 10] : [])
      }
    }

    private func decoded(_ bytes: [UInt8]) throws -> Raster {
      try withSource(bytes) { try Raster.load($0, format: .heic).inMemory() }
    }

    /// HEVC has even sides of at least 16 pixels, and libheif crops to the image.
    @Test(arguments: [(64, 48), (101, 75), (33, 40), (15, 17), (2, 2)], [3, 4])
    func sizesCornersAndAlphaAreTheImages(_ size: (Int, Int), _ bands: Int) throws {
      let (width, height) = size
      let image = try quarters(width, height, bands: bands)
      let file = planned(Size(width, height), .heic, quality: 90, effort: nil)
      let bytes = try Encoder.encode([image], as: file)
      guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else {
        Issue.record("no header")
        return
      }
      #expect(header.format == .heic && header.orientation.rawValue == 1)
      #expect(header.width == width && header.height == height)
      #expect(header.hasAlpha == (bands == 4))
      let made = try decoded(bytes)
      #expect(made.width == width && made.height == height && made.hasAlpha == (bands == 4))
      // Two pixels of a side share their colour.
      guard width > 2 else { return }
      let samples = try made.samples()
      let places = [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)]
      for ((x, y), corner) in zip(places, Self.corners) {
        let seen = samples[(y * width + x) * 4..<(y * width + x) * 4 + 4].map(Int.init)
        let alpha = bands == 4 && x > 0 ? 10 : 255
        #expect(
          zip(seen, corner + [alpha]).allSatisfy { abs($0 - $1) <= 14 }, "\(x) \(y): \(seen)")
      }
    }

    /// The brand "heic" promises a decoder no more than HEVC's profile for still images (3): 8 bits, a quarter of the chroma.
    @Test(arguments: [1, 80, 100]) func everyQualityHasTheProfileOfTheBrand(_ quality: Int) throws {
      let bytes = try Encoder.encode(
        [quarters(64, 48, bands: 3)],
        as: planned(Size(64, 48), .heic, quality: quality, effort: nil))
      #expect(Array(bytes[8..<12]) == Array("heic".utf8))
      // HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1).
      let name = try #require(bytes.firstRange(of: Array("hvcC".utf8)))
      let record = Array(bytes[name.upperBound...].prefix(19))
      #expect(record[1] & 31 == 3, "profile")
      #expect(record[16] & 3 == 1 && record[17] & 7 == 0 && record[18] & 7 == 0)
    }

    @Test(arguments: [MetadataPolicy.strip, .icc, .keep]) func aProfileIsKeptOrNot(
      _ policy: MetadataPolicy
    ) throws {
      let source = try withSource(Places.bytes("display-p3.jpg")) {
        try Raster.load($0, format: .jpeg).inMemory()
      }
      let profile = try Array(#require(source.blob(Raster.profileField)))
      for size in [Size(64, 48), Size(33, 21)] {
        let image = try quarters(size.width, size.height, bands: 3).copy()
        image.set(Raster.profileField, profile)
        let file = planned(size, .heic, quality: 80, effort: nil, keeping: policy)
        let made = try decoded(Encoder.encode([image], as: file))
        #expect(
          made.blob(Raster.profileField).map { Array($0) } == (policy == .strip ? nil : profile))
        #expect(made.blob(Raster.exifField) == nil)
      }
    }
  }
}
