import TesseraImageHeader
import TesseraTestSupport
import Testing

private func read(_ bytes: [UInt8], isWhole: Bool = true) -> HeaderReading {
  ImageHeader.read(bytes.span, isWhole: isWhole)
}

@Suite struct ImageHeaderTests {
  @Test(arguments: [
    ("animated.gif", "96x64 gif alpha animated"),
    ("animated.webp", "96x64 webp alpha animated"),
    ("broken-profile.jpg", "240x160 jpeg profile"),
    ("cmyk.jpg", "240x160 jpeg"),
    ("display-p3.jpg", "240x160 jpeg profile"),
    ("grey.png", "120x80 png"),
    ("lossy.webp", "240x160 webp"),
    ("one-pixel.png", "1x1 png"),
    ("palette-transparent.png", "64x64 png alpha"),
    ("plain.jpg", "240x160 jpeg"),
    ("progressive.jpg", "240x160 jpeg"),
    ("rotated-phone-shot.jpg", "600x800 jpeg orientation 6"),
    ("sixteen-bit.png", "120x80 png 16 bits"),
    ("tall-900x20000.png", "900x20000 png"),
    ("transparent-lossless.webp", "200x150 webp alpha"),
    ("transparent.png", "200x150 png alpha"),
    ("truncated.jpg", "240x160 jpeg"),
    ("wide-3000x1.png", "3000x1 png"),
  ])
  func readsFixture(_ name: String, _ expected: String) throws {
    guard case .header(let header) = read(try Places.bytes(name)) else {
      Issue.record("\(name) was rejected")
      return
    }
    var text = "\(header.width)x\(header.height) \(header.format.rawValue)"
    if header.hasAlpha { text += " alpha" }
    if header.isAnimated == true { text += " animated" }
    if header.hasICCProfile { text += " profile" }
    if header.orientation != .upright { text += " orientation \(header.orientation.rawValue)" }
    if header.bitsPerChannel != 8 { text += " \(header.bitsPerChannel) bits" }
    #expect(text == expected)
  }

  @Test(arguments: 1...8)
  func readsOrientation(_ value: Int) throws {
    guard case .header(let header) = read(try Places.bytes("orientation-\(value).jpg")) else {
      Issue.record("orientation-\(value).jpg was rejected")
      return
    }
    #expect(header.orientation.rawValue == value)
    #expect([header.width, header.height] == [120, 80])
    #expect([header.pixelWidth, header.pixelHeight] == (value < 5 ? [120, 80] : [80, 120]))
  }

  /// The size is the image's, not that of the thumbnail in its Exif block (I14).
  @Test(.faults(.i14)) func ignoresTheThumbnailInExif() throws {
    // 8 x 6 pixels: start, frame header, end.
    let thumbnail: [UInt8] =
      [0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0, 6, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1]
      + [0xFF, 0xD9]
    // An empty directory, and one with the thumbnail's place (0x0201) and length (0x0202).
    let directories: [UInt8] =
      [0, 0, 0, 0, 0, 14, 0, 2, 2, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 44]
      + [2, 2, 0, 4, 0, 0, 0, 1, 0, 0, 0, UInt8(thumbnail.count), 0, 0, 0, 0]
    let exif = Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8] + directories + thumbnail
    var bytes = try Places.bytes("plain.jpg")
    bytes.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif, at: 2)
    guard case .header(let header) = read(bytes) else {
      Issue.record("rejected")
      return
    }
    #expect([header.width, header.height] == [240, 160])
  }

  /// Every prefix of every fixture either requests bytes after its end or has the header of the
  /// whole file: more bytes never change an answer.
  @Test func everyPrefixRequestsMoreOrIsRight() throws {
    for name in try Places.images() {
      let bytes = try Places.bytes(name)
      guard case .header(let whole) = read(bytes) else {
        Issue.record("\(name) was rejected")
        continue
      }
      for length in 0..<min(bytes.count, 3000) {
        switch ImageHeader.read(bytes.span.extracting(0..<length), isWhole: false) {
        case .needs(let range): #expect(range.upperBound > length, "\(name) at \(length)")
        case .header(let header):
          #expect(
            header.width == whole.width && header.height == whole.height, "\(name) at \(length)")
        case .rejected(let rejection): Issue.record("\(name) at \(length): \(rejection.reason)")
        }
        if case .needs = ImageHeader.read(bytes.span.extracting(0..<length), isWhole: true) {
          Issue.record("\(name): a whole file of \(length) bytes requests more")
        }
      }
    }
  }

  @Test(arguments: [
    ("", "not-image", "empty"),
    ("  \n", "not-image", "only whitespace, not an image"),
    ("<!DOCTYPE html><html>", "not-image", "an HTML page, not an image"),
    ("\n<html lang=en>", "not-image", "an HTML page, not an image"),
    ("{\"error\": \"no\"}", "not-image", "JSON, not an image"),
    ("<?xml version='1.0'?>", "not-image", "XML, not an image"),
    ("%PDF-1.7 and so on and on", "not-image", "a PDF document, not an image"),
    ("Not found, sorry about that", "not-image", "text, not an image"),
    (
      "8BPS\0\u{9}and so on and on and on and on", "malformed",
      "a PSD image, but its version is 9"
    ),
    (
      "<svg xmlns='http://www.w3.org/2000/svg' width='0'/>", "malformed",
      "an SVG image, but one of its sides is 0"
    ),
  ])
  func rejects(_ text: String, _ kind: String, _ reason: String) {
    guard case .rejected(let rejection) = read(Array(text.utf8)) else {
      Issue.record("\(text) was not rejected")
      return
    }
    #expect(rejection.kind.rawValue == kind)
    #expect(rejection.reason == reason)
  }

  @Test(.faults(.i10)) func rejectsImpossibleSizesAndSegments() throws {
    var png = try Places.bytes("one-pixel.png")
    png.replaceSubrange(16..<20, with: [0, 0, 0, 0])
    guard case .rejected(let zero) = read(png) else {
      Issue.record("a PNG without width was not rejected")
      return
    }
    #expect(zero.reason == "a PNG image of 0 x 1 pixels")
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 0] + [UInt8](repeating: 0, count: 20)
    guard case .rejected(let short) = read(jpeg) else {
      Issue.record("a JPEG with an empty segment was not rejected")
      return
    }
    #expect(short.kind == .malformed)
  }

  /// A PNG with an animation chunk of one frame is a still image.
  @Test(arguments: [(0, false), (1, false), (2, true)])
  func apngsOfOneFrameAreNotAnimated(_ frames: UInt8, _ isAnimated: Bool) throws {
    var bytes = try Places.bytes("one-pixel.png")
    // Length, type, frames, loops; the reader skips the checksum.
    bytes.insert(
      contentsOf: [0, 0, 0, 8] + Array("acTL".utf8) + [0, 0, 0, frames] + [0, 0, 0, 0, 0, 0, 0, 0],
      at: 33)
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else {
      Issue.record("not read")
      return
    }
    #expect(header.isAnimated == isAnimated)
    #expect(header.frames == Int(frames))
  }

  /// Counts the chunks of frames, up to a limit, and only in animations.
  @Test func countsTheFramesOfAWebP() throws {
    func frames(_ bytes: [UInt8], limit: Int) -> Int {
      WebPStructure.frames(bytes.span, limit: limit)
    }
    var bytes = try Places.bytes("animated.webp")
    #expect(frames(bytes, limit: 100) == 6)
    #expect(frames(bytes, limit: 2) == 2)
    for length in bytes.indices { #expect(frames(Array(bytes[..<length]), limit: 9) <= 6) }
    bytes[20] &= ~0x02
    #expect(frames(bytes, limit: 100) == 0)
    #expect(frames(try Places.bytes("lossy.webp"), limit: 100) == 0)
  }

  /// A GIF is complete if all its frames are. libvips does not report a truncated one.
  @Test(.faults(.i8)) func detectsTruncatedGIFs() throws {
    let bytes = try Places.bytes("animated.gif")
    func isWhole(_ length: Int) -> Bool {
      GIFStructure.isWhole(bytes.span.extracting(0..<length))
    }
    #expect(isWhole(bytes.count))
    #expect(isWhole(bytes.count - 1))  // no trailer
    #expect(!isWhole(bytes.count / 2))
    for length in stride(from: 0, to: bytes.count - 1, by: 7) where isWhole(length) {
      // A cut between two frames is not detectable.
      #expect(bytes[length] == 0x21, "\(length)")
    }
  }

  /// Changes every byte at the beginning of the fixtures to some extreme values: no crash, and
  /// never a request for bytes that are known.
  @Test(.faults(.i1)) func survivesFlippedBytes() throws {
    for name in try Places.images() {
      let bytes = Array(try Places.bytes(name).prefix(600))
      for index in bytes.indices {
        for value in [0x00, 0x7F, 0x80, 0xFF] as [UInt8] {
          var copy = bytes
          copy[index] = value
          if case .needs(let range) = read(copy, isWhole: false) {
            #expect(range.upperBound > copy.count, "\(name), byte \(index) = \(value)")
          }
          if case .needs = read(copy) { Issue.record("\(name): a whole file requests more") }
        }
      }
    }
  }
}
