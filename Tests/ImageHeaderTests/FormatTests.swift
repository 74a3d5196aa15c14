import TesseraImageHeader
import TesseraTestSupport
import Testing

/// Builds files by hand: numbers are little-endian, those of `big16` and `big32` big-endian.
private struct Bytes {
  var all: [UInt8] = []

  static func + (left: Bytes, right: Bytes) -> Bytes { Bytes(all: left.all + right.all) }

  static func text(_ text: String) -> Bytes { Bytes(all: Array(text.utf8)) }
  static func raw(_ bytes: UInt8...) -> Bytes { Bytes(all: bytes) }
  static func zeros(_ count: Int) -> Bytes { Bytes(all: [UInt8](repeating: 0, count: count)) }

  static func u16(_ value: Int) -> Bytes { number(value, 2) }
  static func u32(_ value: Int) -> Bytes { number(value, 4) }
  static func big16(_ value: Int) -> Bytes { Bytes(all: number(value, 2).all.reversed()) }
  static func big32(_ value: Int) -> Bytes { Bytes(all: number(value, 4).all.reversed()) }

  private static func number(_ value: Int, _ count: Int) -> Bytes {
    Bytes(all: (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
  }
}

private func outline(_ reading: HeaderReading) -> String {
  switch reading {
  case .needs(let range): return "needs \(range)"
  case .rejected(let rejection): return "\(rejection.kind.rawValue): \(rejection.reason)"
  case .header(let header):
    var text = "\(header.width)x\(header.height) \(header.format.rawValue)"
    if header.hasAlpha { text += " alpha" }
    if header.orientation != .upright { text += " orientation \(header.orientation.rawValue)" }
    if header.bitsPerChannel != 8 { text += " \(header.bitsPerChannel) bits" }
    return text
  }
}

private func read(_ bytes: [UInt8]) -> String {
  outline(ImageHeader.read(bytes.span, isWhole: true))
}

/// The formats, in tables of files that encoders wrote and of files that are built by hand.
@Suite struct FormatTests {
  @Test(arguments: [
    ("alpha.heic", "100x75 heic alpha"),
    ("turned.avif", "80x120 avif orientation 8"),
    ("turned-alpha.avif", "75x100 avif alpha orientation 5"),
    ("cropped.avif", "50x40 avif"),
    ("turned-boxed.jxl", "120x80 jxl orientation 6"),
    ("alpha.jxl", "100x75 jxl alpha"),
    ("alpha.jp2", "100x75 jp2 alpha"),
    ("stream.j2k", "120x80 jp2"),
    ("alpha.tif", "100x75 tiff alpha"),
    ("big.tif", "120x80 tiff"),
  ])
  func readsWhatEncodersWrite(_ name: String, _ expected: String) throws {
    let bytes = try Places.bytes("sizes/\(name)")
    #expect(read(bytes) == expected)
    // Every prefix requests more, is rejected as truncated, or is right, and never wrong.
    for length in 0..<bytes.count {
      let prefix = Array(bytes[..<length])
      let part = outline(ImageHeader.read(prefix.span, isWhole: false))
      #expect(part.hasPrefix("needs ") || part.hasPrefix(String(expected.prefix { $0 != " " })))
      let whole = read(prefix)
      #expect(!whole.hasPrefix("needs "))
    }
  }

  /// With the requested ranges only, as over a network: the same answer from fewer bytes.
  @Test func readsWithRandomAccess() throws {
    var names = try Places.images()
    names += ["alpha.heic", "turned.avif", "alpha.jxl", "alpha.jp2", "alpha.tif", "big.tif"]
      .map { "sizes/\($0)" }
    for name in names where name != "truncated.jpg" {
      let bytes = try Places.bytes(name)
      var reader = HeaderReader(fileSize: bytes.count)
      var hops = 0
      var count = 0
      while case .needs(let range) = reader.reading, hops < 100 {
        #expect(range.upperBound <= bytes.count, "\(name)")
        reader.add(bytes.span.extracting(range), at: range.lowerBound)
        hops += 1
        count += range.count
      }
      let whole = ImageHeader.read(bytes.span, isWhole: true)
      guard case .header(let expected) = whole, case .header(let found) = reader.reading else {
        Issue.record("\(name): \(outline(reader.reading))")
        continue
      }
      #expect(found.width == expected.width && found.height == expected.height, "\(name)")
      #expect(found.orientation == expected.orientation, "\(name)")
      // The reader searches the end of an animation for Exif.
      #expect(
        count < (name == "animated.webp" ? 16_500 : 1_500),
        "\(name): \(count) bytes in \(hops) hops")
    }
  }

  @Test(
    arguments: [
      (Bytes.text("BM") + .zeros(12) + .u32(12) + .u16(7) + .u16(9) + .zeros(8), "7x9 bmp"),
      (
        .text("BM") + .zeros(12) + .u32(40) + .u32(7) + .u32(-9) + .u16(1) + .u16(24) + .zeros(24),
        "7x9 bmp"
      ),
      (
        .text("BM") + .zeros(12) + .u32(40) + .u32(-7) + .u32(9) + .u16(1) + .u16(24) + .zeros(24),
        "malformed: a BMP image, but its width is -7"
      ),
      (.text("qoif") + .big32(7) + .big32(9) + .raw(4, 0) + .zeros(20), "7x9 qoi alpha"),
      (
        .text("8BPS") + .big16(2) + .zeros(6) + .big16(4) + .big32(9) + .big32(7) + .big16(16)
          + .big16(3) + .zeros(9), "7x9 psd alpha 16 bits"
      ),
      (
        .text("DDS ") + .u32(124) + .u32(0) + .u32(9) + .u32(7) + .zeros(60) + .u32(1) + .zeros(40),
        "7x9 dds alpha"
      ),
      (
        .raw(0, 0, 1, 0, 2, 0) + .raw(16, 16) + .zeros(14) + .raw(0, 0) + .zeros(14),
        "256x256 ico alpha"
      ),
      (.raw(0, 0, 2, 0, 1, 0) + .raw(32, 48) + .zeros(14) + .zeros(14), "32x48 ico alpha"),
      (
        .raw(0, 0, 1, 0, 1, 0, 0, 0) + .zeros(10) + .u32(22) + .raw(0x89) + .text("PNG\r\n")
          + .raw(0x1A, 10) + .big32(13) + .text("IHDR") + .big32(512) + .big32(300),
        "512x300 ico alpha"
      ),
      (
        .raw(0, 0, 1, 0, 1, 0, 16, 32) + .zeros(10) + .u32(22) + .u32(40) + .u32(16) + .u32(32)
          + .zeros(30), "16x16 ico alpha"
      ),
      (
        .raw(0, 0, 1, 0, 1, 0, 16, 16) + .zeros(10) + .u32(22) + .u32(40) + .u32(65535)
          + .u32(65534) + .zeros(30), "16x16 ico alpha"
      ),
      (.raw(0, 0, 2, 0) + .zeros(8) + .u16(7) + .u16(9) + .raw(24, 0) + .zeros(30), "7x9 tga"),
      (
        .text("icns") + .big32(24) + .text("ic07") + .big32(8) + .text("ic09") + .big32(8)
          + .zeros(20), "512x512 icns alpha"
      ),
      (
        .raw(0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0) + .text("a\0int\0") + .u32(4) + .u32(1)
          + .text("dataWindow\0box2i\0") + .u32(16) + .u32(-1) + .u32(0) + .u32(5) + .u32(8),
        "7x9 exr 16 bits"
      ),
      (.text("P6 # a comment\n7\n# another\n 9 255\n") + .zeros(20), "7x9 pnm"),
      (.text("P4\n7 9\n") + .zeros(40), "7x9 pnm 1 bits"),
      (.text("P6#no blank\n7 9 255\n") + .zeros(20), "7x9 pnm"),
      (.text("PF\n7 9\n-1.0\n") + .zeros(20), "7x9 pnm 32 bits"),
      (.raw(0, 0, 3, 0) + .zeros(8) + .u16(7) + .u16(9) + .raw(1, 0x20) + .zeros(9), "7x9 tga"),
      (
        .text("P7\nWIDTH 7\nHEIGHT 9\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n"),
        "7x9 pnm alpha 16 bits"
      ),
      (
        .text("P6\n99999999999 1 255\n") + .zeros(20),
        "malformed: a PNM image, but a number in its header is too large"
      ),
      (
        .text("MM\0*") + .big32(8) + .big16(2) + .big16(256) + .big16(3) + .big32(1) + .big16(7)
          + .zeros(2) + .big16(257) + .big16(4) + .big32(1) + .big32(9) + .zeros(4),
        "7x9 tiff 1 bits"
      ),
      (
        .text("II*\0") + .u32(8) + .u16(3) + .u16(256) + .u16(3) + .u32(1) + .u32(7) + .u16(257)
          + .u16(3) + .u32(1) + .u32(9) + .u16(274) + .u16(3) + .u32(1) + .u32(6),
        "9x7 tiff orientation 6 1 bits"
      ),
      (
        .text("II*\0") + .u32(4) + .zeros(40),
        "malformed: a TIFF image, but its directory begins at byte 4"
      ),
      (
        .text("II*\0") + .u32(4_000_000_000) + .zeros(40),
        "truncated: cut off after 48 bytes, before the image size"
      ),
      (
        .zeros(4) + .text("ftypavif") + .zeros(40),
        "malformed: an AVIF image, but it has no meta box"
      ),
      (
        .big32(16) + .text("ftypheic") + .zeros(4) + .big32(4) + .text("meta") + .zeros(30),
        "malformed: a HEIC image, but a box is 4 bytes long"
      ),
      (  // grey with alpha
        .raw(0x89) + .text("PNG\r\n") + .raw(0x1A, 10) + .big32(13) + .text("IHDR") + .big32(7)
          + .big32(9) + .raw(8, 4, 0, 0, 0) + .zeros(4) + .big32(0) + .text("IDAT") + .zeros(4),
        "7x9 png alpha"
      ),
      (  // a Huffman table before the frame, with content like a frame's
        .raw(0xFF, 0xD8, 0xFF, 0xC4) + .big16(21) + .raw(8) + .big16(5) + .big16(6) + .zeros(14)
          + .raw(0xFF, 0xC0) + .big16(17) + .raw(8) + .big16(9) + .big16(7) + .zeros(30),
        "7x9 jpeg"
      ),
      (  // Exif whose directory is far outside its block
        .raw(0xFF, 0xD8, 0xFF, 0xE1) + .big16(22) + .text("Exif\0\0II*\0") + .u32(1_000_000)
          + .zeros(6) + .raw(0xFF, 0xC0) + .big16(17) + .raw(8) + .big16(9) + .big16(7)
          + .zeros(30), "7x9 jpeg"
      ),
      (  // a frame that reaches beyond the screen
        .text("GIF89a") + .u16(10) + .u16(10) + .zeros(3) + .raw(0x2C) + .u16(5) + .u16(6)
          + .u16(8) + .u16(9) + .raw(0, 2, 0, 0x3B), "13x15 gif"
      ),
      (
        .text("RIFF") + .u32(40) + .text("WEBPVP8L") + .u32(28) + .raw(0x2F)
          + .u32(6 | 8 << 14 | 1 << 28) + .zeros(23), "7x9 webp alpha"
      ),
      (  // Exif after a chunk of odd length, which is padded
        .text("RIFF") + .u32(68) + .text("WEBPVP8X") + .u32(10) + .raw(8, 0, 0, 0, 6, 0, 0, 8, 0, 0)
          + .text("VP8 ") + .u32(3) + .zeros(4) + .text("EXIF") + .u32(26) + .text("II*\0")
          + .u32(8) + .u16(1) + .u16(0x0112) + .u16(3) + .u32(1) + .u32(6) + .zeros(4),
        "7x9 webp"
      ),
    ] as [(Bytes, String)])
  private func readsByHand(_ bytes: Bytes, _ expected: String) {
    #expect(read(bytes.all) == expected)
  }

  /// Changes every byte of small files to some extreme values, and appends random bytes to
  /// signatures: no crash, and a whole file never requests more.
  @Test(.takesSeconds) func survivesFlippedBytes() throws {
    let names = [
      "alpha.heic", "turned-alpha.avif", "cropped.avif", "turned-boxed.jxl", "alpha.jxl",
      "alpha.jp2",
      "stream.j2k", "alpha.tif", "big.tif",
    ]
    for name in names {
      let bytes = try Places.bytes("sizes/\(name)")
      for index in bytes.indices.prefix(800) {
        for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8] {
          var copy = bytes
          copy[index] = value
          #expect(!read(copy).hasPrefix("needs "))
        }
      }
    }
    var random = SplitMix(seed: 7)
    let signatures: [[UInt8]] = [
      [0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2B], [0xFF, 0x0A], [0xFF, 0x4F, 0xFF, 0x51],
      [0, 0, 1, 0, 3, 0], [0x76, 0x2F, 0x31, 0x01], Array("icns".utf8), Array("P7\n".utf8),
      Array("P3 ".utf8), Array("BM".utf8), Array("8BPS".utf8), Array("<svg ".utf8),
      [0, 0, 0, 16] + Array("ftypheic\0\0\0\0".utf8), [0xFF, 0xD8, 0xFF], [0, 0, 2, 0],
    ]
    for signature in signatures {
      for _ in 0..<3_000 {
        let noise = (0..<120).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(!read(signature + noise).hasPrefix("needs "), "\(signature + noise)")
      }
    }
  }

  @Test(arguments: [
    ("<svg width=\"7\" height=\"9\">", "7x9"),
    (
      "\u{FEFF}<?xml version='1.0'?>\n<!-- <svg width='1'> -->\n<!DOCTYPE svg [<!ENTITY a '>'>]>\n<svg:svg width='1in' height='2.54cm'>",
      "96x96"
    ),
    ("<svg viewBox=\"0 0 20 10\">", "20x10"),
    ("<svg width='40' viewBox='0,0,20,10'>", "40x20"),
    ("<svg width='100%' height='100%' viewBox='0 0 20 10'>", "20x10"),
    ("<svg width='12pt' height='1em' title='a > b'>", "16x16"),
  ])
  func readsSVG(_ text: String, _ size: String) {
    #expect(read(Array(text.utf8)) == "\(size) svg alpha")
  }

  @Test(arguments: [
    "<html><svg width='1' height='1'></svg></html>", "<?xml version='1.0'?><feed></feed>",
    "<!DOCTYPE html><html></html>",
  ])
  func aPageIsNotAnSVG(_ text: String) { #expect(read(Array(text.utf8)).hasPrefix("not-image: ")) }

  /// libjpeg skips stray bytes between segments, and so does the reader, up to a limit.
  @Test func skipsStrayBytesInAJPEG() throws {
    var bytes = try Places.bytes("plain.jpg")
    bytes.insert(contentsOf: [UInt8](repeating: 0x55, count: 100) + [0xFF, 0x00], at: 20)
    #expect(read(bytes) == "240x160 jpeg")
    let hostile = [0xFF, 0xD8, 0xFF, 0xE0, 0, 2] + [UInt8](repeating: 0x55, count: 1_000_000)
    #expect(
      read(hostile) == "malformed: a JPEG image, but a marker is missing at byte 6")
  }

  /// Regression tests with hostile files: a box too small for its content, lengths whose sum
  /// overflows, lists that are longer than their box. Each of them crashed the program or cost
  /// gigabytes.
  @Test func survivesBoxesWithFalseLengths() {
    let ftyp = Bytes.big32(16) + .text("ftypheic") + .zeros(4)
    #expect(
      read((ftyp + .big32(8) + .text("meta") + .zeros(20)).all)
        == "malformed: a HEIC image, but its meta box is empty")
    let far = Bytes.big32(1) + .text("mdat") + .big32(0x7FFF_FFFE) + .big32(-1)
    #expect(
      read((ftyp + far).all)
        == "malformed: a HEIC image, but an offset in it is larger than any file")
    var reader = HeaderReader()
    let first = ftyp + .big32(1) + .text("mdat") + .big32(0x1000) + .big32(-1)
    reader.add((first + .zeros(20)).all.span, at: 0)
    guard case .needs(let range) = reader.reading else {
      Issue.record("\(reader.reading)")
      return
    }
    reader.add(
      (Bytes.big32(1) + .text("mdat") + .big32(0xFFFF) + .big32(-1)).all.span, at: range.lowerBound)
    #expect(outline(reader.reading).hasPrefix("malformed: "))
    var list = Bytes.zeros(4)
    for _ in 0..<300 {
      list = list + .big32(12) + .text("auxl") + .big16(1) + .big16(0x0FFF)
    }
    let iref = Bytes.big32(list.all.count + 8) + .text("iref") + list
    let meta = ftyp + .big32(iref.all.count + 12) + .text("meta") + .zeros(4) + iref
    #expect(
      read(meta.all)
        == "malformed: a HEIC image, but a list of references is longer than its box")
  }

  /// Regression test: a crop whose numerators exceed 2^27, as large denominators cause, was ignored.
  @Test func cropsByFractionsWithLargeNumbers() throws {
    var bytes = try Places.bytes("sizes/cropped.avif")
    func replace(after name: String, by new: Bytes) throws {
      let start = try #require(bytes.firstRange(of: Array(name.utf8))).upperBound
      bytes.replaceSubrange(start..<start + new.all.count, with: new.all)
    }
    try replace(after: "ispe", by: .zeros(4) + .big32(4_000) + .big32(3_000))
    try replace(after: "clap", by: .big32(3_000 * 60_000) + .big32(60_000))
    #expect(read(bytes) == "3000x40 avif")
  }

  /// An aperture that reaches outside is ignored, as in browsers.
  @Test(
    .faults(.i26),
    arguments: [
      ([50, 1, 40, 1, 3, 1, -5, 1], "50x40 avif"), ([120, 1, 80, 1, 0, 1, 0, 1], "120x80 avif"),
      ([239, 2, 80, 1, 0, 1, 0, 1], "120x80 avif"),
      ([121, 1, 80, 1, 0, 1, 0, 1], "120x80 avif"), ([120, 1, 81, 1, 0, 1, 0, 1], "120x80 avif"),
      ([50, 1, 40, 1, -60, 1, 0, 1], "120x80 avif"), ([50, 1, 40, 1, 200, 1, 0, 1], "120x80 avif"),
      ([50, 1, 40, 1, 0, 1, 21, 1], "120x80 avif"),
    ])
  func ignoresCropsOutsideTheImage(_ aperture: [Int], _ expected: String) throws {
    var bytes = try Places.bytes("sizes/cropped.avif")
    let start = try #require(bytes.firstRange(of: Array("clap".utf8))).upperBound
    let new = aperture.map(Bytes.big32).reduce(Bytes(), +)
    bytes.replaceSubrange(start..<start + new.all.count, with: new.all)
    #expect(read(bytes) == expected)
  }

  /// The same bytes have the same answer, in pieces of any length.
  @Test(arguments: [1, 7, 100, 1_000, 5_000])
  func theAnswerDoesNotDependOnHowBytesArrive(_ length: Int) throws {
    let svg =
      "<?xml version='1.0'?><!--\(String(repeating: "-x", count: 1_000))--><svg width='7' height='9'>"
    var files = try Places.images().filter { $0 != "make" }.map { try Places.bytes($0) }
    files.append(Array(svg.utf8))
    for bytes in files {
      var readers = (stream: HeaderReader(), jumps: HeaderReader())
      for start in stride(from: 0, to: bytes.count, by: length) {
        readers.stream.add(bytes.span.extracting(start..<min(start + length, bytes.count)))
      }
      readers.stream.end()
      var once = HeaderReader()
      once.add(bytes.span)
      once.end()
      #expect(readers.stream.reading == once.reading)
      // Ranges far ahead may arrive in pieces, too, in any order.
      while case .needs(let range) = readers.jumps.reading {
        let part = range.lowerBound..<min(range.lowerBound + 3_000, bytes.count)
        guard !part.isEmpty else {
          readers.jumps.end(at: bytes.count)
          continue
        }
        let middle = part.lowerBound + part.count / 2
        readers.jumps.add(bytes.span.extracting(middle..<part.upperBound), at: middle)
        readers.jumps.add(bytes.span.extracting(part.lowerBound..<middle), at: part.lowerBound)
        if part.upperBound == bytes.count { readers.jumps.end(at: bytes.count) }
      }
      guard case .header(let one) = once.reading, case .header(let other) = readers.jumps.reading
      else {
        Issue.record("\(readers.jumps.reading)")
        continue
      }
      #expect(one.width == other.width && one.height == other.height)
    }
  }

  /// Regression test, found by fuzzing: after 64 jumps the reader ignored the bytes it had
  /// requested.
  @Test(.takesSeconds) func readsOnAfterAnyNumberOfJumps() throws {
    var bytes: [UInt8] = [0xFF, 0xD8]
    for _ in 0..<300 { bytes += [0xFF, 0xE2, 0x10, 0] + [UInt8](repeating: 0, count: 4094) }
    bytes += [0xFF, 0xC0, 0, 17, 8, 0, 9, 0, 7] + [UInt8](repeating: 0, count: 30)
    var reader = HeaderReader(fileSize: bytes.count)
    var last = -1
    while case .needs(let range) = reader.reading {
      try #require(range.lowerBound > last)
      last = range.lowerBound
      reader.add(bytes.span.extracting(range), at: range.lowerBound)
    }
    #expect(outline(reader.reading) == "7x9 jpeg")
  }

  /// Very many boxes, or a length that no file has: an answer at once.
  @Test func noFileMakesItLoop() {
    var boxes = Bytes.big32(16) + .text("ftypheic") + .zeros(4)
    for _ in 0..<20_000 { boxes = Bytes(all: boxes.all + (Bytes.big32(8) + .text("free")).all) }
    #expect(read(boxes.all) == "malformed: a HEIC image, but it has too many boxes")
    let huge =
      Bytes.big32(16) + .text("ftypheic") + .zeros(4) + .big32(1) + .text("meta")
      + .big32(0x7FFF_FFFF) + .big32(0) + .zeros(20)
    #expect(read(huge.all).hasPrefix("malformed: "))
  }
}
