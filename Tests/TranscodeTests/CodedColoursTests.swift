import Glibc
import TesseraImageHeader
import TesseraTestSupport
import Testing

@testable import TesseraTranscode

/// Colours that files state by numbers (ITU-T H.273; PNG, third edition).
@Suite struct CodedColoursTests {
  private static func isNear(_ one: Vector, _ x: Double, _ y: Double, _ z: Double) -> Bool {
    abs(one.x - x) < 0.0005 && abs(one.y - y) < 0.0005 && abs(one.z - z) < 0.0005
  }

  /// The columns of the profiles of sRGB, Display P3 and Rec. 2020 that are in use.
  @Test func primariesAreThoseOfKnownProfiles() throws {
    let known: [(Int, [[Double]])] = [
      (1, [[0.4360, 0.2225, 0.0139], [0.3851, 0.7169, 0.0971], [0.1431, 0.0606, 0.7141]]),
      (12, [[0.5151, 0.2412, -0.0011], [0.2920, 0.6922, 0.0419], [0.1571, 0.0666, 0.7841]]),
      (9, [[0.6735, 0.2790, -0.0019], [0.1656, 0.6753, 0.0300], [0.1251, 0.0457, 0.7969]]),
    ]
    for (code, expected) in known {
      let primaries = try #require(CodedColours.Primaries(code: code))
      let columns = try #require(primaries.toD50).transposed.rows
      for (column, numbers) in zip([columns.0, columns.1, columns.2], expected) {
        #expect(Self.isNear(column, numbers[0], numbers[1], numbers[2]), "\(code): \(column)")
      }
    }
  }

  @Test func everyKnownCodePointIsAColourSpace() {
    let known = (0..<300).filter { CodedColours.Primaries(code: $0) != nil }
    #expect(known == [1, 4, 5, 6, 7, 8, 9, 11, 12, 22])
    for code in known {
      let primaries = CodedColours.Primaries(code: code)
      // White is as bright as it can be.
      let white = primaries?.toD50.map { $0 * Vector(1, 1, 1) }
      #expect(white.map { Self.isNear($0, 0.9642, 1, 0.8249) } == true, "\(code)")
    }
  }

  @Test func transfersByCodePoint() {
    let cameras = [1, 6, 11, 12, 13, 14, 15].map { ($0, CodedColours.Transfer.sRGB) }
    let others: [(Int, CodedColours.Transfer)] = [
      (4, .gamma(2.2)), (5, .gamma(2.8)), (8, .gamma(1)), (16, .pq), (17, .gamma(2.6)), (18, .hlg),
    ]
    let expected = Dictionary(uniqueKeysWithValues: cameras + others)
    for code in 0..<300 { #expect(CodedColours.Transfer(code: code) == expected[code], "\(code)") }
    #expect(CodedColours(primaries: 2, transfer: 2) == .sRGB)
    #expect(CodedColours(primaries: 1, transfer: 16).isHDR)
    #expect(CodedColours(primaries: 9, transfer: 18).isHDR)
    #expect(!CodedColours(primaries: 9, transfer: 14).isHDR)
  }

  @Test func matricesHaveInverses() throws {
    let matrix = Matrix(Vector(1, 2, 3), Vector(0, 1, 4), Vector(5, 6, 0))
    let inverse = try #require(matrix.inverse)
    let unit = matrix * inverse
    #expect(
      Self.isNear(unit.rows.0, 1, 0, 0) && Self.isNear(unit.rows.1, 0, 1, 0)
        && Self.isNear(unit.rows.2, 0, 0, 1))
    #expect(Self.isNear(inverse.rows.0, -24, 18, 5))
    #expect(Matrix(Vector(1, 2, 3), Vector(2, 4, 6), Vector(0, 1, 0)).inverse == nil)
    #expect(matrix * Vector(1, 1, 2) == Vector(9, 9, 11))
    #expect(matrix.transposed == Matrix(Vector(1, 0, 5), Vector(2, 1, 6), Vector(3, 4, 0)))
  }

  /// Places that are on one line, or behind the eye, are not a colour space.
  @Test func impossiblePrimariesHaveNoProfile() {
    let places: [CodedColours.Primaries] = [
      .init(.init(0.3, 0.3), .init(0.4, 0.4), .init(0.5, 0.5), .d65),
      .init(.init(0.64, 0), .init(0.3, 0.6), .init(0.15, 0.06), .d65),
      .init(.init(0, 0), .init(0, 0), .init(0, 0), .init(0, 0)),
      // White outside the triangle.
      .init(.init(0.64, 0.33), .init(0.3, 0.6), .init(0.15, 0.06), .init(0.7, 0.2)),
    ]
    for primaries in places {
      #expect(primaries.toXYZ == nil && primaries.toD50 == nil)
      for transfer in [CodedColours.Transfer.sRGB, .pq] {
        let colours = CodedColours(primaries: primaries, transfer: transfer)
        #expect(colours.profile() == nil)
      }
    }
  }

  /// ICC.1:2022, clause 7: size, version, class, kinds, signature, and every tag inside.
  @Test func profilesAreComplete() throws {
    let kinds: [(CodedColours, String, [String])] = [
      (
        .init(primaries: .bt709, transfer: .gamma(1.8)), "RGB XYZ ",
        ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "wtpt"]
      ),
      (.init(primaries: 9, transfer: 16), "RGB Lab ", ["A2B0", "wtpt"]),
    ]
    for (colours, space, tags) in kinds {
      let bytes = try #require(colours.profile())
      func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
      func text(_ place: Int, _ count: Int = 4) -> String {
        String(decoding: bytes[place..<place + count], as: UTF8.self)
      }
      #expect(number(0) == bytes.count && number(8) == 0x0440_0000)
      #expect(text(12, 12) == "mntr" + space && text(36) == "acsp")
      #expect([number(68), number(72), number(76)] == [0xF6D6, 0x10000, 0xD32D])
      #expect(number(128) == tags.count)
      var end = 132 + tags.count * 12
      for (index, tag) in tags.enumerated() {
        let entry = 132 + index * 12
        #expect(text(entry) == tag && number(entry + 4) == end, "\(tag)")
        end += (number(entry + 8) + 3) / 4 * 4
      }
      #expect(end == bytes.count)
      bytes.withUnsafeBytes {
        let profile = ICCProfile($0)
        #expect(profile.colourSpace == String(space.prefix(4)) && profile.name == nil)
        #expect(profile.intent == (tags.contains("A2B0") ? .perceptual : .relative))
      }
    }
  }

  // MARK: Light

  /// BT.2100: the numbers of its tables, and of BT.2408 for the reference white.
  @Test func lightOfSamples() {
    let levels = [(0.0, 0.0), (0.5081, 100), (0.5807, 203), (0.7518, 1_000), (1, 10_000)]
    for (sample, light) in levels {
      #expect(abs(PQ.light(of: sample) - light) <= light / 500, "\(sample)")
      #expect(abs(PQ.sample(of: light) - sample) < 0.0002, "\(light)")
    }
    for (sample, light) in [(0.0, 0.0), (0.5, 1 / 12.0), (0.75, 0.2650), (1, 1)] {
      #expect(abs(HLG.light(of: sample) - light) < 0.0002, "\(sample)")
    }
  }

  @Test func brightLightIsCompressed() {
    // Below the knee light stays; the peak becomes the reference white, and the order stays.
    for light in [0.0, 1, 20, 50] {
      #expect(abs(ToneMapping.compressed(light, from: 1_000) - light) < 0.001)
    }
    #expect(abs(ToneMapping.compressed(1_000, from: 1_000) - 203) < 0.1)
    #expect(abs(ToneMapping.compressed(4_000, from: 4_000) - 203) < 0.1)
    let lights = stride(from: 0.0, through: 1_000, by: 10).map {
      ToneMapping.compressed($0, from: 1_000)
    }
    #expect(zip(lights, lights.dropFirst()).allSatisfy { $0 < $1 })
    let white = ToneMapping.compressed(203, from: 1_000)
    #expect((120.0...170).contains(white), "\(white)")
  }

  @Test(arguments: [CodedColours.Transfer.pq, .hlg]) func allLightCanBeShown(
    _ transfer: CodedColours.Transfer
  ) throws {
    let mapping = try #require(
      ToneMapping(CodedColours(primaries: 9, transfer: transfer == .pq ? 16 : 18)))
    let levels = [0, 0.25, 0.5, 0.58, 0.75, 1]
    for red in levels {
      for green in levels {
        for blue in levels {
          let light = mapping.light(of: Vector(red, green, blue))
          let isShown = [light.x, light.y, light.z].allSatisfy { (0...1).contains($0) }
          #expect(isShown)
          // The strongest of the three stays so.
          if red > green, green > blue { #expect(light.x >= max(light.y, light.z)) }
          if red == green, green == blue {
            #expect(abs(light.x - light.y) < 0.0005 && abs(light.y - light.z) < 0.0005)
          }
        }
      }
    }
    #expect(mapping.light(of: Vector(0, 0, 0)) == Vector(0, 0, 0))
    let most = mapping.light(of: Vector(1, 1, 1))
    #expect(Self.isNear(most, 1, 1, 1), "\(most)")
  }

  // MARK: PNG

  private static func stated(_ chunks: [UInt8]..., format: ImageFormat = .png) -> CodedColours? {
    withSource(Self.file(chunks.flatMap(\.self))) {
      CodedColours.stated(in: $0, format)
    }
  }

  /// A PNG whose pixels do not matter.
  static func file(_ chunks: [UInt8], _ behind: [UInt8] = []) -> [UInt8] {
    pngMark + chunk("IHDR", pngHeader(1, 1, colour: 2)) + chunks + chunk("IDAT", [1]) + behind
  }

  private static let gamma = chunk("gAMA", big(50_000, 4))
  private static func places(_ numbers: [Int]) -> [UInt8] {
    chunk("cHRM", numbers.flatMap { big($0, 4) })
  }
  private static let p3 = places([31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000])
  private static let sRGB = places([31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000])

  @Test(.faults(.i31)) func chunksHaveAnOrderOfPrecedence() {
    let two = CodedColours(primaries: .bt709, transfer: .gamma(2))
    let wide = CodedColours(primaries: 12, transfer: 13)
    #expect(Self.stated(Self.gamma) == two)
    #expect(Self.stated(Self.gamma, Self.sRGB) == two)
    #expect(
      Self.stated(Self.gamma, Self.p3)
        == CodedColours(primaries: wide.primaries, transfer: .gamma(2)))
    // Chromaticities alone say too little.
    #expect(Self.stated(Self.p3) == nil && Self.stated() == nil)
    for other in [chunk("sRGB", [0]), chunk("iCCP", [1, 2])] {
      #expect(Self.stated(Self.gamma, other) == nil && Self.stated(other, Self.gamma) == nil)
      #expect(Self.stated(other, chunk("cICP", [12, 13, 0, 1])) == wide)
    }
    #expect(Self.stated(Self.gamma, chunk("cICP", [1, 13, 0, 1])) == .sRGB)
    // One that is reserved, or says nothing, leaves the colours to the other chunks.
    for codes in [[2, 13, 0, 1], [12, 2, 0, 1], [3, 13, 0, 1], [12, 3, 0, 1]] as [[UInt8]] {
      #expect(Self.stated(Self.gamma, chunk("cICP", codes)) == two)
      #expect(Self.stated(chunk("iCCP", [1, 2]), chunk("cICP", codes)) == nil)
    }
    // The curves of BT.709, SMPTE 170M and BT.2020 are shown as on a display of BT.1886.
    for transfer in [1, 6, 14, 15] as [UInt8] {
      #expect(
        Self.stated(chunk("cICP", [12, transfer, 0, 1]))
          == CodedColours(primaries: wide.primaries, transfer: .gamma(2.4)))
    }
    #expect(Self.stated(chunk("cICP", [12, 13, 0, 1]), format: .jpeg) == nil)
    // Only red, green and blue are coded in a PNG; and what is damaged counts as missing.
    #expect(Self.stated(chunk("cICP", [12, 13, 1, 1])) == nil)
    #expect(Self.stated(chunk("cICP", [12, 13, 0])) == nil)
    #expect(Self.stated(chunk("gAMA", [0, 0, 0, 0])) == nil)
    #expect(Self.stated(chunk("gAMA", [0, 0, 9])) == nil)
    #expect(Self.stated(Self.gamma, chunk("cHRM", [1])) == two)
    // Behind the pixels they say nothing.
    #expect(
      withSource(Self.file([], Self.gamma)) { CodedColours.stated(in: $0, .png) } == nil)
  }

  /// libpng's threshold: as far from the usual gamma as is not seen.
  @Test(arguments: [
    (45_455, true), (43_183, true), (43_182, false), (47_727, true), (47_728, false),
    (100_000, false),
  ])
  func theUsualGammaIsThatOfSRGB(_ gamma: Int, _ isUsual: Bool) {
    #expect((Self.stated(chunk("gAMA", big(gamma, 4))) == .sRGB) == isUsual)
    let wide = Self.stated(chunk("gAMA", big(gamma, 4)), Self.p3)
    #expect((wide?.transfer == .sRGB) == isUsual)
  }

  // MARK: AVIF and HEIC

  @Test func codePointsAreThoseOfTheHeader() {
    func stated(_ bytes: [UInt8], _ format: ImageFormat = .avif) -> CodedColours? {
      withSource(bytes) { CodedColours.stated(in: $0, format) }
    }
    let p3 = CodedColours(primaries: 12, transfer: 13)
    #expect(stated(avif(primaries: 12, transfer: 13)) == p3)
    #expect(stated(avif(primaries: 12, transfer: 13), .heic) == p3)
    #expect(stated(avif(primaries: 12, transfer: 13), .jpeg) == nil)
    #expect(stated(avif(primaries: 1, transfer: 1)) == .sRGB)
    #expect(stated(avif(primaries: 12, transfer: 272)) == CodedColours(primaries: 12, transfer: 2))
    #expect(stated(avif(primaries: 268, transfer: 13)) == .sRGB)
    #expect(stated([]) == nil)
  }
}
