import Testing

@testable import TesseraBytes

@Suite struct RawDeflateTests {
  /// Hardly compressible.
  private static let noise: String = {
    var (text, state) = ("", 1 as UInt32)
    for _ in 0..<20_000 {
      state = state &* 1_664_525 &+ 1_013_904_223
      text.unicodeScalars.append(Unicode.Scalar(UInt8(32 + (state >> 16) % 90)))
    }
    return text
  }()

  private static func unpack(_ bytes: [UInt8], _ deflate: RawDeflate) -> [UInt8]? {
    bytes.withUnsafeBufferPointer { deflate.unpack($0) }
  }

  @Test(arguments: [
    "", "é", #"{"id":"a","width":96,"format":"jpeg","alpha":false}"#,
    // More than the buffer and the window have.
    String(repeating: "0123456789", count: 5_000),
    noise,
  ])
  func bytesComeBack(_ text: String) {
    let (deflate, bytes) = (RawDeflate(), Array(text.utf8))
    for _ in 0..<2 { #expect(Self.unpack(deflate.pack(bytes), deflate) == bytes) }
  }

  @Test func repeatedTextGetsShorter() {
    #expect(
      RawDeflate().pack(Array(String(repeating: "a shop's words ", count: 20).utf8)).count < 30)
  }

  /// Every bit flip and every cut is something else, or nothing; none harms.
  @Test func damagedBytesAreNotTheSame() {
    let deflate = RawDeflate()
    let bytes = Array(#"{"id":"é","width":4096,"format":"webp","alpha":true}"#.utf8)
    let packed = deflate.pack(bytes)
    for count in 0..<packed.count {
      #expect(Self.unpack(Array(packed.prefix(count)), deflate) == nil)
    }
    #expect(Self.unpack(packed + [0], deflate) == nil)
    var same = 0
    for bit in 0..<packed.count * 8 {
      var damaged = packed
      damaged[bit / 8] ^= 1 << (bit % 8)
      if Self.unpack(damaged, deflate) == bytes { same += 1 }
    }
    // Bits after the end of the last block mean nothing.
    #expect(same < 8)
    #expect(Self.unpack(packed, deflate) == bytes)
  }
}
