import TesseraCVips
import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraTranscode

extension LibvipsTests {
  /// Kinds of TIFF (TIFF 6.0): how samples are stored, and what they mean.
  @Suite struct TIFFDecodingTests {
    init() throws { try #require(LibvipsTests.isReady) }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A file of one strip, or of one tile for each plane.
    ///
    /// - Parameter fields: further tags, whose values are of two bytes.
    private static func tiff(
      _ width: Int, _ height: Int, _ fields: [Int: [Int]], _ data: [UInt8], tiles: Int = 0
    ) -> [UInt8] {
      var all = fields
      all[256] = [width]
      all[257] = [height]
      all[259] = all[259] ?? [1]
      let pixels = (tiles == 0 ? (273, 279) : (324, 325))
      if tiles == 0 { all[278] = [height] }
      let count = max(tiles, 1)
      // Header, pixels, directory, and behind it the values that do not fit.
      let start = 8 + data.count
      let directory = 2 + (all.count + 2) * 12 + 4
      var (entries, values): ([(Int, [UInt8])], [UInt8]) = ([], [])
      func entry(_ tag: Int, _ type: Int, _ size: Int, _ numbers: [Int]) {
        var value = numbers.flatMap { little($0, size) }
        if value.count > 4 {
          let place = start + directory + values.count
          values += value
          value = little(place, 4)
        }
        value += [UInt8](repeating: 0, count: 4 - value.count)
        entries.append((tag, little(tag, 2) + little(type, 2) + little(numbers.count, 4) + value))
      }
      for (tag, numbers) in all { entry(tag, 3, 2, numbers) }
      let length = data.count / count
      entry(pixels.0, 4, 4, (0..<count).map { 8 + $0 * length })
      entry(pixels.1, 4, 4, (0..<count).map { _ in length })
      let sorted = entries.sorted { $0.0 < $1.0 }
      return Array("II".utf8) + little(42, 2) + little(start, 4) + data + little(sorted.count, 2)
        + sorted.flatMap(\.1) + little(0, 4) + values
    }

    private func decoded(_ bytes: [UInt8], alpha: Bool = false) throws -> Raster {
      try withSource(bytes) { source in
        let size = Size(4, 4)
        let job = TranscodeJob(
          format: "tiff",
          expected: SourceFacts(size: size, hasAlpha: alpha, frames: 1),
          decode: DecodePlan(base: size, isAnimated: false, keepsProfile: false), failOn: .error,
          maximumPixels: 1_000, maximumFrames: 1, files: [], placeholders: [])
        let decoder = try Decoder(source, job, failOn: .error)
        #expect(decoder.facts.hasAlpha == alpha)
        var warnings: [SourceWarning] = []
        let frame = try #require(try decoder.frames(warnings: &warnings).first)
        #expect(warnings == [] && (frame.width, frame.height) == (4, 4))
        return frame
      }
    }

    /// Chroma in a quarter of luma's samples: libvips does not decode it.
    @Test(.faults(.i32)) func chromaMayHaveFewerSamples() throws {
      // Four blocks of four luma samples and one of each chroma: grey, red, black and white.
      let blocks: [[UInt8]] = [
        [128, 128, 128, 128, 128, 128], [76, 76, 76, 76, 85, 255], [0, 0, 0, 0, 128, 128],
        [255, 255, 255, 255, 128, 128],
      ]
      let fields = [258: [8, 8, 8], 262: [6], 277: [3], 530: [2, 2]]
      let frame = try decoded(Self.tiff(4, 4, fields, blocks.flatMap(\.self)))
      let bytes = try frame.bytes.map(Int.init)
      #expect(bytes.count == 48 && !frame.hasAlpha)
      for (place, colour) in [
        (0, [128, 128, 128]), (2, [254, 0, 0]), (8, [0, 0, 0]), (15, [255, 255, 255]),
      ] {
        let found = Array(bytes[place * 3..<place * 3 + 3])
        #expect(distance(found, colour) <= 3, "\(place): \(found)")
      }
    }

    /// Tiles of separate planes: libvips does not decode them.
    @Test(.faults(.i32)) func planesMayHaveTiles() throws {
      let plane = { (value: UInt8) in [UInt8](repeating: value, count: 1_024) }
      let fields = [
        258: [8, 8, 8], 262: [2], 277: [3], 284: [2], 322: [32], 323: [32],
      ]
      let frame = try decoded(
        Self.tiff(4, 4, fields, plane(200) + plane(100) + plane(50), tiles: 3))
      #expect(try frame.bytes == (0..<16).flatMap { _ in [200, 100, 50] })
    }

    /// A fourth plane without a meaning is neither shown nor divided by.
    @Test func aPlaneWithoutAMeaningIsNotAlpha() throws {
      let plane = { (value: UInt8) in [UInt8](repeating: value, count: 1_024) }
      for (extra, pixel) in [(0, [100, 50, 25]), (1, [200, 100, 50, 128])] as [(Int, [UInt8])] {
        let fields = [
          258: [8, 8, 8, 8], 262: [2], 277: [4], 284: [2], 322: [32], 323: [32], 338: [extra],
        ]
        let file = Self.tiff(
          4, 4, fields, plane(100) + plane(50) + plane(25) + plane(128), tiles: 4)
        let bytes = try decoded(file, alpha: extra == 1).bytes.map(Int.init)
        #expect(bytes.count == 16 * pixel.count, "\(extra)")
        for (found, expected) in zip(bytes, pixel.map(Int.init)) {
          #expect(abs(found - expected) <= 1, "\(extra): \(bytes.prefix(4))")
        }
      }
    }

    /// Lab keeps its name in the catalog until it is converted.
    @Test func labIsNamed() throws {
      try withSource(Places.bytes("formats/lab.tif")) { source in
        let image = try Raster.load(source, format: .tiff).usual(.tiff, source)
        #expect(image.colourSpace == "lab" && !image.isRGB)
        var warnings: [SourceWarning] = []
        let conversion = ColourConversion(source: source, format: .tiff, keepsProfile: false)
        #expect(try conversion.convert(image, warnings: &warnings).isGreyOrSRGB)
        #expect(warnings == [])
      }
    }

    /// Two samples of twelve bits in three bytes; a row fills whole bytes.
    @Test func samplesMayHaveTwelveBits() throws {
      func packed(_ rows: [[Int]]) -> [UInt8] {
        rows.flatMap { row in
          let bits = row.flatMap { value in (0..<12).map { value >> (11 - $0) & 1 } }
          return stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 << 1 | UInt8(start + $1 < bits.count ? bits[start + $1] : 0) }
          }
        }
      }
      let values = (0..<4).map { y in (0..<5).map { (y * 5 + $0) * 215 } }
      let grey = values.map { $0.map { UInt8((Double($0) / 4095 * 255).rounded()) } }
      for (photometric, isInverted) in [(1, false), (0, true)] {
        let file = Self.tiff(
          5, 4, [258: [12], 262: [photometric], 277: [1]], packed(values))
        let raster = try withSource(file) { try TIFFDecoder.decode($0, 1_000, .error).inMemory() }
        let expected = grey.flatMap {
          $0.flatMap { value in
            [UInt8](repeating: isInverted ? 255 - value : value, count: 3)
          }
        }
        #expect(try raster.bytes == expected)
      }
      let colours = (0..<4).map { y in (0..<15).map { (y * 15 + $0) * 68 } }
      let file = Self.tiff(5, 4, [258: [12, 12, 12], 262: [2], 277: [3]], packed(colours))
      let raster = try withSource(file) { try TIFFDecoder.decode($0, 1_000, .error).inMemory() }
      #expect(
        try raster.bytes
          == colours.flatMap { $0.map { UInt8((Double($0) / 4095 * 255).rounded()) } })
      // Kinds that are not known, and a file that is cut off.
      for fields in [[258: [12], 262: [5], 277: [4]], [258: [12], 262: [1], 277: [1], 339: [3]]] {
        let other = Self.tiff(5, 4, fields, packed(colours))
        #expect(throws: VipsError.self) {
          try withSource(other) { try TIFFDecoder.decode($0, 1_000, .error) }
        }
      }
      var cut = file
      cut.removeSubrange(20..<40)
      #expect(throws: VipsError.self) {
        try withSource(cut) { try TIFFDecoder.decode($0, 1_000, .error) }
      }
    }

    /// A profile of grey counts in twelve bits, too: half of the light is 188 in sRGB.
    @Test func greyOfTwelveBitsHasAProfile() throws {
      let profile = greyProfile()
      let pairs = stride(from: 0, to: profile.count, by: 2).map {
        Int(profile[$0]) | Int(profile[$0 + 1]) << 8
      }
      var file = Self.tiff(
        4, 4, [258: [12], 262: [1], 277: [1], 34675: pairs],
        (0..<8).flatMap { _ in [0x80, 0x08, 0x00] as [UInt8] })
      // As bytes.
      let name = Self.little(34675, 2) + [3, 0]
      let place = try #require(file.indices.first { file[$0...].starts(with: name) })
      file.replaceSubrange(place + 2..<place + 8, with: [7, 0] + Self.little(profile.count, 4))
      let frame = try decoded(file)
      let bytes = try frame.inMemory().samples().map(Int.init)
      #expect(distance(Array(bytes[..<4]), [188, 188, 188, 255]) <= 2, "\(bytes.prefix(4))")
    }

    /// libvips would show luma and chroma as they are.
    @Test func lumaAndChromaBecomeColours() throws {
      // Red and grey, as TIFF 6.0, section 21 computes them.
      let pixels: [UInt8] = [88, 101, 208, 120, 128, 128]
      let file = Self.tiff(
        4, 4, [258: [8, 8, 8], 262: [6], 277: [3], 530: [1, 1]],
        (0..<8).flatMap { _ in pixels })
      let samples = try decoded(file).samples()
      for (place, expected) in [(0, [200, 40, 40]), (1, [120, 120, 120])] {
        let seen = samples[place * 4..<place * 4 + 3].map(Int.init)
        #expect(zip(seen, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(seen)")
      }
    }

    /// G. Ward Larson, "LogLuv encoding for full-gamut, high-dynamic range images" (1998): 24 bits a pixel, the logarithm of
    /// the luminance, and where there is no colour an index beyond the table. libtiff shows its square root.
    @Test func logarithmsOfLightBecomeColours() throws {
      func pixel(_ logarithm: Int) -> [UInt8] { big(logarithm << 14 | 0x3FFF, 3) }
      // 64 times the exponent of two plus 12: white, a quarter, a hundredth of it, and no light.
      let rows = [768, 640, 343, 0].map { logarithm in
        [[UInt8]](repeating: pixel(logarithm), count: 4).flatMap(\.self)
      }
      let fields = [258: [16, 16, 16], 259: [34677], 262: [32845], 277: [3], 339: [2, 2, 2]]
      let frame = try decoded(Self.tiff(4, 4, fields, rows.flatMap(\.self)))
      let bytes = try frame.bytes.map(Int.init)
      for (row, grey) in [255, 128, 26, 0].enumerated() {
        let found = Array(bytes[row * 12..<row * 12 + 3])
        #expect(distance(found, [grey, grey, grey]) <= 6, "\(row): \(found)")
      }
    }

    /// As libvips' loader does, for a policy that keeps them.
    @Test func libtiffReadsMetadata() throws {
      let (xmp, iptc) = (Array("<x:xmpmeta/>".utf8), [0x1C, 2, 5, 0, 3, 65, 66, 67] as [UInt8])
      let pairs = { (bytes: [UInt8]) in
        stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
      }
      var file = Self.tiff(
        4, 4,
        [258: [8, 8, 8], 262: [6], 277: [3], 530: [1, 1], 700: pairs(xmp), 33723: pairs(iptc)],
        [UInt8](repeating: 128, count: 48))
      // As bytes.
      func retype(_ tag: Int, _ type: UInt8, _ count: Int) throws {
        let name = Self.little(tag, 2) + [3, 0]
        let place = try #require(
          (0..<file.count - 4).first { Array(file[$0..<$0 + 4]) == name })
        file.replaceSubrange(place + 2..<place + 8, with: [type, 0] + Self.little(count, 4))
      }
      try retype(700, 1, xmp.count)
      try retype(33723, 7, iptc.count)
      let raster = try withSource(file) { try TIFFDecoder.decode($0, 1_000, .error) }
      #expect(raster.xmp == xmp)
      #expect(raster.blob(Raster.iptcField).map { Array($0) } == iptc)
    }

    /// What is neither can be decoded by no library; libvips' reason is the one that is shown.
    @Test func whatNoLibraryKnowsIsAnError() {
      let odd = Self.tiff(4, 4, [258: [8], 259: [4711], 262: [1], 277: [1]], [UInt8](0..<16))
      #expect(throws: TranscodeFailure.self) { try decoded(odd) }
      #expect(throws: VipsError.self) {
        try withSource(Array("II*\0 nothing".utf8)) { try TIFFDecoder.decode($0, 1_000, .error) }
      }
      let large = Self.tiff(
        4, 4, [258: [8, 8, 8], 262: [6], 277: [3], 530: [2, 2]], [UInt8](repeating: 128, count: 24))
      for (limit, isDecoded) in [(15, false), (16, true)] {
        let image = withSource(large) { try? TIFFDecoder.decode($0, limit, .error) }
        #expect((image != nil) == isDecoded)
      }
    }

    // MARK: Samples

    private static func grey(_ bits: Int, format: Int, _ samples: [[UInt8]]) -> [UInt8] {
      tiff(
        4, 4, [258: [bits], 262: [1], 277: [1], 339: [format]],
        samples.flatMap(\.self))
    }

    /// Integers with and without a sign, and numbers from 0 to 1.
    @Test(.faults(.i32)) func samplesOfEveryKindAreScaled() throws {
      let levels = (0..<16).map { $0 * 17 }
      let kinds: [(String, [UInt8])] = [
        ("signed 8", Self.grey(8, format: 2, levels.map { Self.little($0 - 128, 1) })),
        ("signed 16", Self.grey(16, format: 2, levels.map { Self.little(($0 - 128) << 8, 2) })),
        ("unsigned 32", Self.grey(32, format: 1, levels.map { Self.little($0 << 24, 4) })),
        ("signed 32", Self.grey(32, format: 2, levels.map { Self.little(($0 - 128) << 24, 4) })),
        (
          "float",
          Self.grey(
            32, format: 3, levels.map { Self.little(Int((Float($0) / 255).bitPattern), 4) })
        ),
      ]
      for (name, file) in kinds {
        let frame = try decoded(file)
        let bytes = try frame.convertedToSRGB().bytes.map(Int.init)
        #expect(bytes.count == 48, "\(name)")
        for (place, level) in levels.enumerated() where bytes.count == 48 {
          #expect(abs(bytes[place * 3] - level) <= 1, "\(name), \(level): \(bytes[place * 3])")
        }
      }
    }

    /// ExtraSamples (338): 0 is data without a meaning, 2 is alpha; more than one are never all shown.
    @Test(.faults(.i32)) func onlyWhatIsSaidToBeAlphaIsAlpha() throws {
      func file(_ extra: [Int]) -> [UInt8] {
        let pixel: [UInt8] = [10, 20, 30] + extra.map { _ in 77 }
        return Self.tiff(
          4, 4,
          [
            258: [Int](repeating: 8, count: 3 + extra.count), 262: [2], 277: [3 + extra.count],
            338: extra,
          ],
          (0..<16).flatMap { _ in pixel })
      }
      #expect(try decoded(file([0])).bytes == (0..<16).flatMap { _ in [10, 20, 30] })
      #expect(try decoded(file([0, 0])).bytes == (0..<16).flatMap { _ in [10, 20, 30] })
      #expect(
        try decoded(file([2]), alpha: true).bytes == (0..<16).flatMap { _ in [10, 20, 30, 77] })
    }
  }
}
