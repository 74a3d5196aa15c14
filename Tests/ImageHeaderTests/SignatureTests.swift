import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// The first bytes of each format, and what they are if they are those of none.
@Suite struct SignatureTests {
  /// Signatures without the rest of the file, by the specifications of the formats.
  private static let signatures: [(ImageFormat, [UInt8])] = [
    (.jpeg, [0xFF, 0xD8, 0xFF]), (.png, [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]),
    (.gif, ascii("GIF87a")), (.gif, ascii("GIF89a")), (.webp, ascii("RIFF....WEBP")),
    (.tiff, [0x49, 0x49, 42, 0]), (.tiff, [0x4D, 0x4D, 0, 42]), (.tiff, [0x49, 0x49, 43, 0]),
    (.tiff, [0x4D, 0x4D, 0, 43]), (.jxl, [0xFF, 0x0A]), (.jp2, [0xFF, 0x4F, 0xFF, 0x51]),
    (.jxl, joined([0, 0, 0, 12], ascii("JXL "), [13, 10, 0x87, 10])),
    (.jp2, joined([0, 0, 0, 12], ascii("jP  "), [13, 10, 0x87, 10])),
    (.psd, ascii("8BPS")), (.qoi, ascii("qoif")), (.dds, ascii("DDS ")),
    (.exr, [0x76, 0x2F, 0x31, 0x01]), (.icns, ascii("icns")), (.ico, [0, 0, 1, 0]),
    (.ico, [0, 0, 2, 0]), (.pnm, ascii("P1 ")), (.pnm, ascii("P2\n")), (.pnm, ascii("P3\t")),
    (.pnm, ascii("P4\r")), (.pnm, ascii("P5#")), (.pnm, ascii("P6 ")), (.pnm, ascii("P7\n")),
    (.pnm, ascii("PF\n")), (.pnm, ascii("Pf\n")),
    (.heic, joined([0, 0, 0, 24], ascii("ftypheic"))),
    (.avif, joined([0, 0, 0, 24], ascii("ftypavif"))),
  ]

  /// The format, as far as the first bytes decide it; they are followed by ones.
  private static func format(_ signature: [UInt8]) -> String? {
    let bytes = joined(signature, [UInt8](repeating: 1, count: 4_000))
    let reading = ImageHeader.read(bytes.span, isWhole: true)
    guard case .rejected(let rejection) = reading else {
      guard case .header(let header) = reading else { return "needs more" }
      return header.format.displayName
    }
    if rejection.kind == .notImage { return nil }
    if rejection.kind == .truncated { return "cut off" }
    return String(rejection.reason.split(separator: " image").first ?? "")
  }

  @Test func eachByteOfASignatureCounts() {
    for (format, signature) in Self.signatures {
      let found = Self.format(signature)
      let names = [format.withArticle, format.displayName, "cut off"]
      #expect(found.map(names.contains) == true, "\(format): \(found ?? "none")")
      for place in signature.indices where signature[place] != UInt8(ascii: ".") {
        var other = signature
        other[place] ^= 0x80
        let text = whole(joined(other, [UInt8](repeating: 1, count: 40)))
        // A box begins with its length.
        guard !(signature.count > 8 && place < 4 && signature[4] == UInt8(ascii: "f")) else {
          continue
        }
        #expect(text.hasPrefix("not-image: "), "\(format), byte \(place): \(text)")
      }
    }
  }

  /// A box of 256 or 512 bytes begins like an icon or a cursor.
  @Test func theNumberOfImagesTellsIconsApart() {
    for kind in [1, 2] as [UInt8] {
      for (count, isIcon) in [(0, false), (1, true), (256, true), (4096, true), (4097, false)] {
        let found = Self.format([0, 0, kind, 0, UInt8(count & 0xFF), UInt8(count >> 8)])
        #expect((found != nil) == isIcon, "\(count) images")
      }
      let found = Self.format(joined([0, 0, kind, 0], ascii("ftypheic")))
      #expect(found == ImageFormat.heic.withArticle || found == "cut off", "\(found ?? "none")")
    }
  }

  @Test func eachFormatHasAReader() {
    for format in ImageFormat.allCases {
      let name = "\(FormatTable.reader(of: format))".lowercased()
      let expected = format == .jxl ? "jpegxl" : format == .jp2 ? "jpeg2000" : format.rawValue
      #expect(name == "\(expected)header")
    }
  }

  @Test(arguments: [
    ("", "empty"), (" ", "only whitespace, not an image"),
    ("\u{FEFF}", "only whitespace, not an image"),
    ("\u{FEFF} \n", "only whitespace, not an image"), ("<", "an HTML page, not an image"),
    ("<p>", "an HTML page, not an image"), ("\u{FEFF} <p>", "an HTML page, not an image"),
    ("<?xm", "an HTML page, not an image"), ("  <?xml?>", "XML, not an image"),
    ("\u{FEFF}<?xml", "XML, not an image"), ("{", "JSON, not an image"),
    ("\n[1]", "JSON, not an image"),
    ("\u{FEFF}{}", "JSON, not an image"), ("%PDF", "a PDF document, not an image"),
    ("%PD", "text, not an image"), (" %PDF", "text, not an image"),
    ("1234ftypisom", "a video, not an image"),
    ("123ftypx", "text, not an image"), ("a\tb\r\n", "text, not an image"),
    ("ab\u{8}", "not a recognized image"), ("ab\u{0}", "not a recognized image"),
    ("caf\u{E9}", "text, not an image"),
  ])
  func otherFilesAreNamed(_ text: String, _ expected: String) {
    #expect(whole(ascii(text)) == "not-image: \(expected)")
  }

  @Test func otherBytesAreNamed() {
    #expect(whole([0x1F, 0x8B, 8, 0]) == "not-image: gzip data, not an image")
    #expect(whole([0x1F, 0x8C, 8, 0]) == "not-image: not a recognized image")
    #expect(whole([0xEF, 0xBB, 0x20]) == "not-image: text, not an image")
    // 64 bytes are looked at.
    let text = ascii(String(repeating: "a", count: 63))
    #expect(whole(joined(text, [1])) == "not-image: not a recognized image")
    #expect(whole(joined(text, ascii("a"), [1])) == "not-image: text, not an image")
    #expect(whole(joined([0x20, 0x20], ascii("ab"), [0])) == "not-image: not a recognized image")
    // Only the bytes of the beginning that are known.
    #expect(beginning(ascii("Not found, sorry about that.")) == "needs 0..<32")
    #expect(
      beginning(ascii("Not found, sorry about that, this is a text of more than 32 bytes"))
        == "not-image: text, not an image")
  }

  @Test func blanks() {
    for byte in -1...300 {
      #expect(ASCII.isBlank(byte) == [9, 10, 11, 12, 13, 32].contains(byte), "\(byte)")
    }
  }

  /// Facts of each format: the name with its article, the media type, and what is decoded.
  @Test(
    arguments: [
      (.jpeg, "a JPEG", "image/jpeg", "decoded photographs"),
      (.png, "a PNG", "image/png", "decoded frames"),
      (.gif, "a GIF", "image/gif", "decoded frames"),
      (.webp, "a WebP", "image/webp", "decoded frames"),
      (.bmp, "a BMP", "image/bmp", "decoded"), (.tiff, "a TIFF", "image/tiff", "decoded"),
      (.heic, "a HEIC", "image/heic", "decoded photographs"),
      (.avif, "an AVIF", "image/avif", "decoded photographs"),
      (.jxl, "a JPEG XL", "image/jxl", "decoded photographs"),
      (.jp2, "a JPEG 2000", "image/jp2", "decoded photographs"),
      (.ico, "an ICO", "image/vnd.microsoft.icon", "decoded"),
      (.psd, "a PSD", "image/vnd.adobe.photoshop", ""),
      (.svg, "an SVG", "image/svg+xml", "decoded"),
      (.qoi, "a QOI", "image/qoi", ""), (.pnm, "a PNM", "image/x-portable-anymap", ""),
      (.dds, "a DDS", "image/vnd.ms-dds", ""), (.tga, "a TGA", "image/x-tga", ""),
      (.exr, "an OpenEXR", "image/x-exr", ""), (.icns, "an ICNS", "image/x-icns", ""),
    ] as [(ImageFormat, String, String, String)])
  func factsOfFormats(
    _ format: ImageFormat, _ name: String, _ mediaType: String, _ facts: String
  ) {
    #expect(format.withArticle == name && name.hasSuffix(" \(format.displayName)"))
    #expect(format.mediaType == mediaType)
    #expect(format.isDecoded == facts.contains("decoded"))
    #expect(format.hasFrames == facts.contains("frames"))
    #expect(format.isForPhotographs == facts.contains("photographs"))
  }

  @Test func turnedImagesSwapTheirSides() {
    for orientation in Orientation.allCases {
      let header = ImageHeader(
        format: .jpeg, pixelWidth: 7, pixelHeight: 9, orientation: orientation)
      let swaps = orientation.rawValue > 4
      #expect(orientation.swapsSides == swaps)
      #expect([header.width, header.height] == (swaps ? [9, 7] : [7, 9]))
      #expect(header.pixelCount == 63)
    }
    #expect(Orientation.allCases.map(\.rawValue) == Array(1...8))
  }
}
