import TesseraTestSupport
import Testing

@testable import TesseraTranscode

/// ISO 21496-1, annex C, and the "hdrgm" schema of Ultra HDR 1.1.
@Suite struct GainMapMetadataTests {
  private static let one = GainMapMetadata(
    channels: [
      .init(
        minimum: -0.5, maximum: 2.25, gamma: 1.5, baseOffset: 0.015625, alternateOffset: 0.03125)
    ], baseHeadroom: 0.25, alternateHeadroom: 2.5)!
  private static let three = GainMapMetadata(
    channels: [
      .init(maximum: 1), .init(minimum: 0.125, maximum: 2), .init(maximum: 3, gamma: 0.5),
    ],
    alternateHeadroom: 3)!

  @Test func bothFormsAreReadBack() {
    for metadata in [Self.one, Self.three] {
      #expect(GainMapMetadata(block: metadata.block) == metadata)
      #expect(GainMapMetadata(packet: metadata.packet) == metadata)
      // What follows is of later versions.
      #expect(GainMapMetadata(block: metadata.block + [1, 2]) == metadata)
      for length in metadata.block.indices {
        #expect(GainMapMetadata(block: Array(metadata.block[..<length])) == nil)
      }
    }
    #expect(Self.one.headroom == 5.66)
  }

  /// Versions, flags, headrooms, then each channel: minimum, maximum, gamma and both offsets.
  @Test func theBlockIsAsTheStandardSays() {
    func fraction(_ number: Int) -> [UInt8] { big(number, 4) + big(1_000_000, 4) }
    let numbers = [250_000, 2_500_000, -500_000, 2_250_000, 1_500_000, 15_625, 31_250]
    #expect(Self.one.block == [0, 0, 0, 0, 0x40] + numbers.flatMap(fraction))
    #expect(Self.three.block.count == 5 + 8 * (2 + 15))
    #expect(Self.three.block[4] == 0xC0)
    // One denominator for all.
    let common =
      [0, 0, 0, 3, 0x48] + big(8, 4) + [2, 20, -4, 18, 12, 1, 2].flatMap { big($0, 4) }
    #expect(
      GainMapMetadata(block: common)
        == GainMapMetadata(
          channels: [
            .init(
              minimum: -0.5, maximum: 2.25, gamma: 1.5, baseOffset: 0.125, alternateOffset: 0.25)
          ], baseHeadroom: 0.25, alternateHeadroom: 2.5))
  }

  @Test func blocksOfOtherKindsAreNotRead() {
    let block = Self.one.block
    for (place, value) in [
      // A later version that is needed, the colours of the other image, the other direction.
      (1, 1), (4, 0x00), (4, 0x44),
      // A denominator of zero.
      (12, 0),
    ] as [(Int, UInt8)] {
      var other = block
      other[place] = value
      if place == 12 { other[10...12] = [0, 0, 0] }
      #expect(GainMapMetadata(block: other) == nil, "\(place)")
    }
  }

  @Test func impossibleValuesAreRejected() {
    func metadata(_ change: (inout GainMapMetadata.Channel) -> Void) -> GainMapMetadata? {
      var channel = GainMapMetadata.Channel(maximum: 2)
      change(&channel)
      return GainMapMetadata(channels: [channel], alternateHeadroom: 2)
    }
    #expect(metadata { _ in } != nil)
    for bound in [-32.0, 32.0] {
      #expect(metadata { ($0.minimum, $0.maximum) = (bound, bound) } != nil)
      #expect(metadata { ($0.minimum, $0.maximum) = (bound * 1.01, bound * 1.01) } == nil)
      #expect(metadata { $0.baseOffset = bound } != nil)
      #expect(metadata { $0.baseOffset = bound * 1.01 } == nil)
      #expect(metadata { $0.alternateOffset = bound * 1.01 } == nil)
    }
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(metadata { $0.minimum = number } == nil)
      #expect(metadata { $0.maximum = number } == nil)
      #expect(metadata { $0.gamma = number } == nil)
      #expect(metadata { $0.baseOffset = number } == nil)
      #expect(metadata { $0.alternateOffset = number } == nil)
      #expect(GainMapMetadata(channels: [.init(maximum: 1)], alternateHeadroom: number) == nil)
    }
    #expect(metadata { $0.minimum = 2.1 } == nil)
    for (gamma, isValid) in [(0.0, false), (0.01, true), (100, true), (100.1, false)] {
      #expect((metadata { $0.gamma = gamma } != nil) == isValid)
    }
    let channel = GainMapMetadata.Channel(maximum: 1)
    for (base, other, isValid) in [
      (0, 0, false), (0, 0.014, false), (0, 0.015, true), (0, 16, true), (0, 16.1, false),
      (1, 1, false), (1, 1.1, true), (-1, 1, false),
    ] as [(Double, Double, Bool)] {
      let metadata = GainMapMetadata(
        channels: [channel], baseHeadroom: base, alternateHeadroom: other)
      #expect((metadata != nil) == isValid, "\(base) \(other)")
    }
    for count in [0, 2, 4] {
      let channels = Array(repeating: channel, count: count)
      #expect(GainMapMetadata(channels: channels, alternateHeadroom: 1) == nil)
    }
  }

  @Test func whatAPacketDoesNotSayHasItsDefault() throws {
    func packet(_ text: String) -> [UInt8] { Array("<a hdrgm:Version=\"1.0\" \(text)/>".utf8) }
    let least = packet("hdrgm:GainMapMax='3.5'\n hdrgm:HDRCapacityMax = \"3\"")
    #expect(
      GainMapMetadata(packet: least)
        == GainMapMetadata(
          channels: [
            .init(
              minimum: 0, maximum: 3.5, gamma: 1, baseOffset: 1 / 64, alternateOffset: 1 / 64)
          ], baseHeadroom: 0, alternateHeadroom: 3))
    for text in [
      "", "hdrgm:GainMapMax=\"3\"", "hdrgm:HDRCapacityMax=\"3\"",
      "hdrgm:GainMapMax=\"x\" hdrgm:HDRCapacityMax=\"3\"",
      "hdrgm:GainMapMax=\"3\" hdrgm:HDRCapacityMax=\"3\" hdrgm:BaseRenditionIsHDR=\"True\"",
    ] {
      #expect(GainMapMetadata(packet: packet(text)) == nil, "\(text)")
    }
    #expect(GainMapMetadata(packet: Array(least.dropFirst(3))) != nil)
    // Without its version it is another packet.
    let text = String(decoding: least, as: UTF8.self)
    let other = Array(text.replacing("hdrgm:Version", with: "other:Version").utf8)
    #expect(GainMapMetadata(packet: other) == nil)
  }

  @Test(
    arguments: [
      ("<x a:b=\"1\"/>", ["1"]), ("<x a:b='1 2'>", ["1 2"]), ("<a:b> 3\n</a:b>", ["3"]),
      (
        "<a:b><rdf:Seq>\n<rdf:li>1</rdf:li> <rdf:li> 2 </rdf:li></rdf:Seq></a:b><c>4</c>",
        ["1", "2"]
      ),
      // A longer name, none, and what ends too early.
      ("<x a:bc=\"1\" a:b=\"2\">", ["2"]), ("<x>", []), ("<x a:b", []), ("<x a:b=", []),
      ("<x a:b=1>", []), ("<a:b>5", ["5"]), ("<x a:b=\"\">", [""]), ("<a:b></a:b>", []),
    ] as [(String, [String])])
  func propertiesAreFoundAsText(_ text: String, _ values: [String]) {
    #expect(XMPProperty("a:b").values(in: Array(text.utf8)) == values)
  }

  /// By Apple's formula a factor is `1 + (headroom - 1) * light`.
  @Test(arguments: [1.5, 4.532783, 8]) func applesMapsBecomeLogarithms(_ headroom: Double) throws {
    let curve = GainMapMetadata.appleCurve(headroom: headroom)
    #expect((curve.count, curve[0], curve[255]) == (256, 0, 255))
    #expect(zip(curve, curve.dropFirst()).allSatisfy(<=))
    let text =
      "<x HDRGainMap:HDRGainMapVersion=\"131072\" HDRGainMap:HDRGainMapHeadroom=\"\(headroom)\"/>"
    let apple = try #require(GainMapMetadata.apple(packet: Array(text.utf8)))
    #expect(apple.curve == curve)
    let channel = apple.metadata.channels[0]
    #expect((channel.minimum, channel.baseOffset, channel.alternateOffset) == (0, 0, 0))
    #expect(apple.metadata.headroom == (headroom * 100).rounded() / 100)
    // Samples that stand for no light, a tenth, and half of it (ITU-R BT.709, 1.2).
    for (sample, light) in [(0, 0.0), (73, 0.1), (180, 0.5), (255, 1)] {
      let gain = Double(curve[sample]) / 255 * channel.maximum
      let factor = 1 + (headroom - 1) * light
      var power = 1.0
      for _ in 0..<1000 { power *= 1 + gain * 0.693147 / 1000 }
      #expect(abs(power - factor) < 0.012 * factor, "\(sample): \(power), not \(factor)")
    }
    for text in ["", "HDRGainMap:HDRGainMapVersion=\"1\"", "HDRGainMap:HDRGainMapHeadroom=\"2\""] {
      #expect(GainMapMetadata.apple(packet: Array(text.utf8)) == nil)
    }
    let none = text.replacing("\"\(headroom)\"", with: "\"1\"")
    #expect(GainMapMetadata.apple(packet: Array(none.utf8)) == nil)
  }
}
