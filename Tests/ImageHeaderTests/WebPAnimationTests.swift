import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// Animations (RFC 9649, section 2.7): what frames count.
@Suite struct WebPAnimationTests {
  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    joined(ascii(name), le(content.count, 4), content, content.count % 2 == 1 ? [0] : [])
  }

  private static func animation(_ chunks: [UInt8]..., flags: UInt8 = 0x0A) -> [UInt8] {
    let content = joined(
      chunk("VP8X", joined([flags, 0, 0, 0], le(6, 3), le(8, 3))), chunks.flatMap(\.self))
    return joined(ascii("RIFF"), le(content.count + 4, 4), ascii("WEBP"), content)
  }

  private static func frames(_ bytes: [UInt8], limit: Int = 100) -> Int {
    WebPStructure.frames(bytes.span, limit: limit)
  }

  @Test func framesAreCounted() {
    let small = Self.chunk("ANMF", [1, 2, 3])
    for count in 0...4 {
      let bytes = Self.animation(
        Self.chunk("ANIM", zeros(6)), (0..<count).flatMap { _ in small },
        Self.chunk("EXIF", zeros(26)))
      #expect(Self.frames(bytes) == count)
      #expect(Self.frames(bytes, limit: 2) == min(2, count))
    }
    #expect(Self.frames(Self.animation(small, small, flags: 0x02)) == 2)
    #expect(Self.frames(Self.animation(small, small, flags: 0xFD)) == 0)
    // Names that are not a frame's, and a container that is not extended.
    for place in 0..<4 {
      var other = small
      other[place] ^= 1
      #expect(Self.frames(Self.animation(small, other)) == 1)
      var bytes = Self.animation(small)
      bytes[12 + place] ^= 1
      #expect(Self.frames(bytes) == 0)
    }
    // A frame counts from its head of eight bytes on; lengths have four.
    let bytes = Self.animation(Self.chunk("ANMF", zeros(0x0102)), small)
    let lengths = (0...bytes.count).map { Self.frames(Array(bytes[..<$0])) }
    #expect(lengths.firstIndex(of: 1) == 38 && lengths.firstIndex(of: 2) == 38 + 258 + 8)
    #expect(Self.frames(Self.animation(joined(ascii("ANMF"), [0, 0, 1, 0]), small)) == 1)
  }
}
