import Foundation
import TesseraImageHeader
import TesseraPlan
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraTranscode

/// ISO/IEC 10918-1, annex B.
@Suite struct JPEGContainerTests {
  private static func segment(_ marker: Int, _ body: [UInt8]) -> [UInt8] {
    [0xFF, UInt8(marker)] + big(body.count + 2, 2) + body
  }

  private static let start: [UInt8] = [0xFF, 0xD8]
  private static let end: [UInt8] = [0xFF, 0xD9]
  private static let jfif = segment(0xE0, Array("JFIF\0".utf8))
  private static let exif = segment(0xE1, Array("Exif\0\0MM".utf8))
  private static let xmp = segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x>".utf8))
  private static let icc = segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 5])
  private static let iptc = segment(0xED, Array("Photoshop 3.0\0".utf8))
  private static let adobe = segment(0xEE, Array("Adobe".utf8))
  private static let table = segment(0xDB, [UInt8](repeating: 3, count: 300))
  /// Stuffed bytes, restart markers and fill bytes are part of a scan.
  private static let scan =
    segment(0xDA, [1, 1, 0, 0, 63, 0]) + [1, 0xFF, 0, 2, 0xFF, 0xD0, 3, 0xFF, 0xD7, 0xFF, 0xFF, 0]
  private static let others =
    segment(0xE1, [1]) + segment(0xE2, Array("MPF\0".utf8)) + segment(0xE3, [2])
    + segment(0xEC, [3]) + segment(0xEF, [4]) + segment(0xFE, [5])

  private static func clean(_ bytes: [UInt8], _ kept: MetadataPolicy) -> [UInt8]? {
    bytes.withUnsafeBytes { JPEGContainer.clean($0, keeping: kept) }
  }

  private static let policies: [(MetadataPolicy, [[UInt8]])] = [
    ([], []), (.icc, [icc]), (.exif, [exif]), (.xmp, [xmp]), (.iptc, [iptc]),
    (.keep, [exif, xmp, icc, iptc]),
  ]

  @Test(arguments: policies)
  func onlyWhatIsKeptStays(_ kept: MetadataPolicy, _ segments: [[UInt8]]) {
    let image = Self.adobe + Self.table + Self.scan + Self.table + Self.scan + Self.end
    let whole =
      Self.start + Self.jfif + Self.exif + Self.xmp + Self.icc + Self.iptc + Self.others + image
    let expected = Self.start + Self.jfif + segments.flatMap(\.self) + image
    #expect(Self.clean(whole, kept) == expected)
    for more in [[0xFF], [1, 2], [1, 2, 3, 4, 5], Self.start] as [[UInt8]] {
      #expect(Self.clean(whole + more, kept) == expected)
    }
  }

  /// A grey image of blocks with eight coefficients each, of which the last block's last one is larger than libjpeg writes,
  /// though it reads it.
  private static func unwritable(side: Int) -> [UInt8] {
    var (bits, count, data) = (0, 0, [UInt8]())
    func put(_ value: Int, _ length: Int) {
      (bits, count) = (bits << length | value, count + length)
      while count >= 8 {
        let byte = UInt8(truncatingIfNeeded: bits >> (count - 8))
        data += byte == 0xFF ? [0xFF, 0] : [byte]
        count -= 8
        bits &= (1 << count) - 1
      }
    }
    let blocks = (side / 8) * (side / 8)
    for block in 0..<blocks {
      // The first coefficient is that of the block before. Then eight of five bits each (code 0); one of 15 bits (10) in
      // the last block; the end (110).
      put(0, 1)
      for index in 0..<8 { put(0b10000 | (block * 7 + index * 5) % 16, 6) }
      if block == blocks - 1 {
        put(0b10, 2)
        put(20_000, 15)
      }
      put(0b110, 3)
    }
    put(0x7F, 7)
    func codes(_ kind: UInt8, _ lengths: [UInt8], _ symbols: [UInt8]) -> [UInt8] {
      segment(0xC4, [kind] + lengths + [UInt8](repeating: 0, count: 16 - lengths.count) + symbols)
    }
    return start + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
      + segment(0xC0, [8] + big(side, 2) + big(side, 2) + [1, 1, 0x11, 0])
      + codes(0, [1], [0]) + codes(0x10, [1, 1, 1], [0x05, 0x0F, 0x00])
      + segment(0xDA, [1, 1, 0, 0, 63, 0]) + data + end
  }

  /// The memory of this process, in bytes (proc(5)).
  private static func memory() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
      separator: " ")
    return try #require(Int(pages[1])) * 4_096
  }

  /// W21: libjpeg has written half a megabyte before it finds what it can't write. In a process of its own, in which nothing
  /// else needs memory.
  @Test(.faults(.w21)) func anImageThatCannotBeWrittenLeavesNoMemory() async {
    await #expect(processExitsWith: .success) {
      let file = Self.unwritable(side: 2_400)
      func isRecoded() -> Bool {
        file.withUnsafeBytes { JPEGContainer.image(of: $0, withMetadataOf: $0) != nil }
      }
      for _ in 0..<5 { try #require(!isRecoded()) }
      let before = try Self.memory()
      for _ in 0..<50 { try #require(!isRecoded()) }
      try #require(Self.memory() - before < 10_000_000)
    }
  }

  @Test func fillBytesBeforeAMarkerAreDropped() {
    let whole = Self.start + [0xFF, 0xFF] + Self.jfif + [0xFF] + Self.table + Self.end
    #expect(Self.clean(whole, []) == Self.start + Self.jfif + Self.table + Self.end)
    #expect(Self.clean(Self.start + Self.end, []) == Self.start + Self.end)
  }

  @Test func segmentsLeadToTheEnd() {
    let whole = Self.start + Self.jfif + Self.scan + Self.end
    #expect(Self.clean(whole, []) == whole)
    for count in 0..<whole.count { #expect(Self.clean(Array(whole[..<count]), []) == nil) }
    #expect(Self.clean([0xFF, 0xD9] + whole.dropFirst(2), []) == nil)
    #expect(Self.clean(Self.start + Self.jfif + [0] + Self.end, []) == nil)
    #expect(Self.clean(Self.start + Self.jfif + [0, 0xD9], []) == nil)
    #expect(Self.clean(Self.start + [0xFF, 0xE0, 0, 1] + Self.end, []) == nil)
    #expect(
      Self.clean(Self.start + [0xFF, 0xE0, 0, 2] + Self.end, [])
        == Self.start + [0xFF, 0xE0, 0, 2] + Self.end)
    // As long as the file, and a byte longer.
    let fits = Self.start + [0xFF, 0xE0, 0, 4, 1, 2] + Self.end
    #expect(Self.clean(fits, []) == fits)
    #expect(Self.clean(Self.start + [0xFF, 0xE0, 0, 5, 1, 2], []) == nil)
  }

  // MARK: Exif

  @Test func exifIsTheFirstSegment() {
    let whole = Self.start + Self.jfif + Self.end
    let made = whole.withUnsafeBytes { JPEGContainer.adding(exif: Array("MM*".utf8), to: $0) }
    #expect(
      made == Self.start + [0xFF, 0xE1, 0, 11] + Array("Exif\0\0MM*".utf8) + Self.jfif + Self.end)
  }

  /// A length has 16 bits, and counts itself and the mark.
  @Test func exifHasAMostLength() throws {
    let whole = Self.start + Self.end
    func made(_ count: Int) -> [UInt8]? {
      let block = [UInt8](repeating: 5, count: count)
      return whole.withUnsafeBytes { JPEGContainer.adding(exif: block, to: $0) }
    }
    expectMost(65_527) { made($0) != nil }
    #expect(made(65_527)?[2..<6] == [0xFF, 0xE1, 0xFF, 0xFF])
  }

  @Test func exifIsFound() {
    func exif(_ segments: [UInt8]) -> [UInt8]? {
      (Self.start + segments + Self.end).withUnsafeBytes { JPEGContainer.exif(in: $0) }
    }
    #expect(exif(Self.jfif + Self.xmp + Self.exif) == Array("MM".utf8))
    #expect(exif(Self.xmp + Self.segment(0xE2, Array("Exif\0\0MM".utf8))) == nil)
    #expect(exif(Self.segment(0xE1, Array("Exif\0MM".utf8))) == nil)
    #expect(exif(Self.segment(0xE1, Array("Exif\0\0II".utf8)) + Self.exif) == Array("II".utf8))
  }

  // MARK: A source's image

  private static func image(_ source: [UInt8], _ result: [UInt8]) -> [UInt8]? {
    source.withUnsafeBytes { source in
      result.withUnsafeBytes { JPEGContainer.image(of: source, withMetadataOf: $0) }
    }
  }

  /// The segment that says how the colours are coded has to stay first.
  @Test(arguments: [true, false])
  func theImageGetsTheMetadataOfTheResult(_ isRGB: Bool) throws {
    var source = try #require(Base64.decode(SampleImages.base64[.jpeg] ?? ""))
    if isRGB {
      // The components named R, G and B, in the frame header and in the scan's.
      for (place, first, step) in [
        (source.firstRange(of: [0xFF, 0xC0]), 10, 3), (source.firstRange(of: [0xFF, 0xDA]), 5, 2),
      ] {
        let header = try #require(place).lowerBound
        for (index, name) in "RGB".utf8.enumerated() {
          source[header + first + index * step] = name
        }
      }
    }
    let bare = try #require(Self.image(source, Self.start + Self.end))
    // JFIF's segment has 16 bytes, Adobe's 14, after the marker.
    let first = isRGB ? 2 + 2 + 14 : 2 + 2 + 16
    #expect(Array(bare[2..<4]) == [0xFF, isRGB ? 0xEE : 0xE0])
    let result =
      Self.start + Self.jfif + Self.exif + Self.segment(0xFE, [1]) + Self.icc + Self.iptc
      + Self.adobe + Self.segment(0xEF, [1]) + Self.table + Self.end
    #expect(
      Self.image(source, result) == bare[..<first] + Self.exif + Self.icc + Self.iptc
        + bare[first...])
    #expect(Self.image(source, Array(result.dropLast())) == nil)
    #expect(Self.image(Array(source.prefix(100)), result) == nil)
  }
}
