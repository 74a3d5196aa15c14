import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// Animations (RFC 9649, section 2.7): where Exif is searched for, and what frames count.
@Suite struct WebPAnimationTests {
  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    joined(ascii(name), le(content.count, 4), content, content.count % 2 == 1 ? [0] : [])
  }

  private static func animation(_ chunks: [UInt8]..., flags: UInt8 = 0x0A) -> [UInt8] {
    let content = joined(
      chunk("VP8X", joined([flags, 0, 0, 0], le(6, 3), le(8, 3))), chunks.flatMap(\.self))
    return joined(ascii("RIFF"), le(content.count + 4, 4), ascii("WEBP"), content)
  }

  private static func exif(_ orientation: Int, length: Int = 26) -> [UInt8] {
    chunk(
      "EXIF",
      joined(
        ascii("II*\0"), le(8, 4), le(1, 2), le(0x0112, 2), le(3, 2), le(1, 4), le(orientation, 4),
        zeros(length - 22)))
  }

  private static let frame = chunk("ANMF", zeros(20_001))
  private static let found = "webp 7x9@8 orientation 6 animated"

  /// The end of the file is requested once, and not the head of each frame.
  @Test func exifIsSearchedAtTheEnd() {
    let frames = joined(Self.frame, Self.frame, Self.frame)
    for end in [
      [], Self.chunk("XMP ", [1, 2]), Self.chunk("XMP ", [1]), Self.chunk("XMP ", zeros(900)),
    ] {
      let bytes = Self.animation(frames, Self.exif(6), end)
      #expect(
        requests(bytes)
          == ["0..<32", "30..<38", "\(bytes.count - 16_384)..<\(bytes.count)", Self.found])
    }
    // Something else behind it: from chunk to chunk.
    let other = Self.animation(frames, Self.exif(6), Self.chunk("xxxx", [1]))
    #expect(requests(other).count > 4 && requests(other).last == Self.found)
    // Farther from the end than the part that is searched.
    let far = Self.animation(frames, Self.exif(6), Self.chunk("XMP ", zeros(17_000)))
    #expect(requests(far).count > 4 && requests(far).last == Self.found)
  }

  /// The name of a chunk within other bytes leads nowhere.
  @Test func aNameWithinAFrameIsNoChunk() {
    var content = zeros(300)
    for (place, byte) in joined(ascii("EXIF"), le(40, 4)).enumerated() {
      content[100 + place] = byte
    }
    let bytes = Self.animation(
      Self.chunk("ANMF", content), Self.chunk("ANMF", content), Self.exif(6))
    #expect(whole(bytes) == Self.found)
    #expect(whole(Self.animation(Self.chunk("ANMF", content))) == "webp 7x9@8 animated")
  }

  /// The last chunk may lack its byte of padding, and the container may or may not count it.
  @Test(arguments: [0, 1]) func paddingMayBeMissing(_ padding: Int) {
    let exif = Self.exif(6, length: 27)
    for counted in 0...1 {
      var bytes = Self.animation(Self.frame, exif)
      if padding == 0 { bytes.removeLast() }
      let size = bytes.count - 8 - padding + counted * padding
      bytes.replaceSubrange(4..<8, with: le(size, 4))
      let list = requests(bytes)
      #expect(list.last == Self.found && list.count == 4, "\(list)")
    }
  }

  @Test func anAnimationThatIsCutOffKeepsItsSize() {
    let bytes = Self.animation(Self.frame, Self.frame, Self.exif(6))
    #expect(whole(Array(bytes[..<30_000])) == "webp 7x9@8 animated")
    #expect(whole(bytes) == Self.found)
    #expect(beginning(Array(bytes[..<50]), isExact: false) == "webp 7x9@8 animated")
    #expect(
      beginning(Array(bytes[..<50])) == "needs \(bytes.count - 16_384)..<\(bytes.count)")
  }

  /// A short animation is searched from its first frame on.
  @Test func aShortAnimationIsSearchedFromItsFirstFrameOn() {
    let bytes = Self.animation(Self.chunk("ANMF", zeros(100)), Self.exif(6))
    #expect(
      beginning(Array(bytes[..<40])) == "needs 30..<\(bytes.count)")
    #expect(whole(bytes) == Self.found)
  }

  private static func frames(_ bytes: [UInt8], limit: Int = 100) -> Int {
    WebPStructure.frames(bytes.span, limit: limit)
  }

  @Test func framesAreCounted() {
    let small = Self.chunk("ANMF", [1, 2, 3])
    for count in 0...4 {
      let bytes = Self.animation(
        Self.chunk("ANIM", zeros(6)), (0..<count).flatMap { _ in small }, Self.exif(6))
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
