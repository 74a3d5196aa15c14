import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// By the specification (RFC 9649; RFC 6386, section 9.1).
@Suite struct WebPHeaderTests {
  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    joined(ascii(name), le(content.count, 4), content, content.count % 2 == 1 ? [0] : [])
  }

  private static func webp(_ chunks: [UInt8]...) -> [UInt8] {
    let content = chunks.flatMap(\.self)
    return joined(ascii("RIFF"), le(content.count + 4, 4), ascii("WEBP"), content)
  }

  private static func extended(_ flags: UInt8, _ width: Int = 7, _ height: Int = 9) -> [UInt8] {
    chunk("VP8X", joined([flags, 0, 0, 0], le(width - 1, 3), le(height - 1, 3)))
  }

  private static let lossy = chunk("VP8 ", zeros(11))

  @Test func lossyImages() {
    func lossy(_ width: Int, _ height: Int, tag: UInt8 = 0x10, code: [UInt8] = [0x9D, 1, 0x2A])
      -> String
    {
      whole(Self.webp(Self.chunk("VP8 ", joined([tag, 2, 0], code, le(width, 2), le(height, 2)))))
    }
    #expect(lossy(0x0102, 0x0304) == "webp 258x772@8")
    // The upper two bits are a scaling hint.
    #expect(lossy(0xFFFF, 0x4001) == "webp 16383x1@8")
    #expect(lossy(0x4000, 9) == "malformed: a WebP image of 0 x 9 pixels")
    let wrong = "malformed: a WebP image, but its first frame is not a key frame"
    #expect(lossy(7, 9, tag: 0x11) == wrong)
    #expect(lossy(7, 9, tag: 0xFE) == "webp 7x9@8")
    for place in 0..<3 {
      var code: [UInt8] = [0x9D, 1, 0x2A]
      code[place] ^= 1
      #expect(lossy(7, 9, code: code) == wrong)
    }
  }

  @Test func losslessImages() {
    func lossless(_ width: Int, _ height: Int, further: Int = 0, signature: UInt8 = 0x2F) -> String
    {
      let bits = width - 1 | (height - 1) << 14 | further << 28
      return whole(Self.webp(Self.chunk("VP8L", joined([signature], le(bits, 4), zeros(8)))))
    }
    #expect(lossless(0x0102, 0x0304) == "webp 258x772@8")
    #expect(lossless(16_384, 1) == "webp 16384x1@8")
    #expect(lossless(1, 16_384, further: 1) == "webp 1x16384@8 alpha")
    #expect(lossless(7, 9, further: 0xE) == "webp 7x9@8")
    #expect(
      lossless(7, 9, signature: 0x2E)
        == "malformed: a WebP image, but it lacks the lossless signature")
  }

  @Test(arguments: [
    (0x00, ""), (0x02, " animated"), (0x10, " alpha"), (0x20, " profile"), (0x04, ""), (0x01, ""),
    (0x40, ""), (0x80, ""), (0x32, " alpha animated profile"),
  ])
  func extendedImages(_ flags: UInt8, _ expected: String) {
    #expect(whole(Self.webp(Self.extended(flags), Self.lossy)) == "webp 7x9@8\(expected)")
    #expect(
      whole(Self.webp(Self.extended(flags, 0x01_0203, 0x04_0506), Self.lossy))
        == "webp 66051x263430@8\(expected)")
    #expect(
      whole(Self.webp(Self.extended(flags, 1 << 24, 1), Self.lossy))
        == "webp 16777216x1@8\(expected)")
  }

  @Test func otherChunksAreNoImage() {
    let other = Self.webp(Self.chunk("ALPH", zeros(20)))
    #expect(whole(other) == "malformed: a WebP image, but its container holds no image")
    for place in 12..<16 {
      var bytes = Self.webp(Self.extended(0), Self.lossy)
      bytes[place] ^= 1
      #expect(whole(bytes).hasPrefix("malformed: a WebP image, but "))
    }
  }

  /// Chromium does not turn WebP by its Exif, and nothing behind the first chunk is requested.
  @Test func exifDoesNotTurn() {
    let exif = joined(
      ascii("II*\0"), le(8, 4), le(1, 2), le(0x0112, 2), le(3, 2), le(1, 4), le(6, 4), zeros(4))
    for flags: UInt8 in [0x08, 0x0A] {
      let bytes = Self.webp(Self.extended(flags), Self.lossy, Self.chunk("EXIF", exif))
      let expected = flags == 8 ? "webp 7x9@8" : "webp 7x9@8 animated"
      #expect(whole(bytes) == expected && requests(bytes) == ["0..<32", expected])
    }
  }

  @Test func aFileThatIsCutOffKeepsItsSize() {
    let bytes = Self.webp(Self.extended(8), Self.lossy)
    #expect(answersByLength(bytes) == ["0 not-image", "12 truncated", "30 webp 7x9@8"])
  }
}
