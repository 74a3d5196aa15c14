import Testing

@testable import TesseraBytes

/// Short texts that resemble each other.
@Suite struct PresetDeflateTests {
  private static let common = #"{"id":"","width":0,"format":"jpeg","alpha":false}"#

  /// Hardly compressible.
  private static let noise: String = {
    var (text, state) = ("", 1 as UInt32)
    for _ in 0..<20_000 {
      state = state &* 1_664_525 &+ 1_013_904_223
      text.unicodeScalars.append(Unicode.Scalar(UInt8(32 + (state >> 16) % 90)))
    }
    return text
  }()

  private static func unpack(_ bytes: [UInt8], _ preset: PresetDeflate) -> String? {
    bytes.withUnsafeBufferPointer { preset.unpack($0) }
  }

  @Test(arguments: [
    "", "é", #"{"id":"a","width":96,"format":"jpeg","alpha":false}"#,
    // More than the buffer and the window have.
    String(repeating: "0123456789", count: 5_000),
    noise,
  ])
  func aTextComesBack(_ text: String) {
    for dictionary in [Self.common, ""] {
      let preset = PresetDeflate(Array(dictionary.utf8))
      for _ in 0..<2 { #expect(Self.unpack(preset.pack(text), preset) == text) }
    }
  }

  @Test func whatIsCommonCostsLittle() {
    let text = #"{"id":"a","width":96,"format":"jpeg","alpha":false}"#
    #expect(PresetDeflate(Array(Self.common.utf8)).pack(text).count < 20)
    #expect(PresetDeflate([]).pack(text).count > 45)
  }

  /// Every bit flip and every cut is another text, or none; none harms.
  @Test func damagedBytesAreNotTheText() {
    let preset = PresetDeflate(Array(Self.common.utf8))
    let text = #"{"id":"é","width":4096,"format":"webp","alpha":true}"#
    let packed = preset.pack(text)
    for count in 0..<packed.count {
      #expect(Self.unpack(Array(packed.prefix(count)), preset) == nil)
    }
    #expect(Self.unpack(packed + [0], preset) == nil)
    var same = 0
    for bit in 0..<packed.count * 8 {
      var damaged = packed
      damaged[bit / 8] ^= 1 << (bit % 8)
      if Self.unpack(damaged, preset) == text { same += 1 }
    }
    // Bits after the end of the last block mean nothing.
    #expect(same < 8)
    #expect(Self.unpack(packed, preset) == text)
    #expect(Self.unpack(packed, PresetDeflate([])) != text)
  }
}
