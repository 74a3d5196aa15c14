import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// By the specification (ITU-T T.81, annex B).
@Suite struct JPEGHeaderTests {
  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    joined([0xFF, marker], be(content.count + 2, 2), content)
  }

  private static func frame(
    _ width: Int = 7, _ height: Int = 9, marker: UInt8 = 0xC0, precision: UInt8 = 8
  ) -> [UInt8] {
    segment(
      marker, joined([precision], be(height, 2), be(width, 2), [3, 1, 17, 0, 2, 17, 1, 3, 17, 1]))
  }

  private static let start: [UInt8] = [0xFF, 0xD8]
  /// The beginning of the pixels.
  private static let scan = segment(0xDA, [3, 1, 0, 2, 17, 3, 17, 0, 63, 0])

  private static func exif(_ orientation: Int) -> [UInt8] {
    segment(
      0xE1,
      joined(
        ascii("Exif\0\0MM\0*"), be(8, 4), be(1, 2), be(0x0112, 2), be(3, 2), be(1, 4),
        be(orientation, 2), zeros(6)))
  }

  private static func read(_ segments: [UInt8]...) -> String {
    whole(joined(start, segments.flatMap(\.self), scan))
  }

  @Test func frameHeadersAreRead() {
    #expect(Self.read(Self.frame(0x0102, 0x0304)) == "jpeg 258x772@8")
    #expect(Self.read(Self.frame(65_535, 65_535)) == "jpeg 65535x65535@8")
    #expect(Self.read(Self.frame(0, 9)) == "malformed: a JPEG image of 0 x 9 pixels")
    #expect(
      Self.read(Self.frame(7, 0))
        == "malformed: a JPEG image, but its height follows its pixels (DNL)")
    #expect(Self.read(Self.frame(7, 1)) == "jpeg 7x1@8")
    for precision: UInt8 in 0...20 {
      let text = Self.read(Self.frame(precision: precision))
      let isPossible = (2...16).contains(precision)
      #expect(
        text
          == (isPossible
            ? "jpeg 7x9@\(precision)"
            : "malformed: a JPEG image, but its samples have \(precision) bits"))
    }
    // Of two the first counts.
    #expect(Self.read(Self.frame(), Self.frame(5, 6), Self.exif(6)) == "jpeg 7x9@8 orientation 6")
  }

  /// Table B.1: SOF0 to SOF15, and what shares their range of codes.
  @Test func markersOfFrames() {
    let others: Set<UInt8> = [0xC4, 0xC8, 0xCC]
    for marker: UInt8 in 0xC0...0xCF {
      let text = Self.read(Self.frame(5, 6, marker: marker), Self.frame())
      #expect(text == (others.contains(marker) ? "jpeg 7x9@8" : "jpeg 5x6@8"), "\(marker)")
    }
    for marker: UInt8 in [0x02, 0xBF, 0xDB, 0xDC, 0xDD, 0xDF, 0xE0, 0xE1, 0xE2, 0xEF, 0xFE] {
      #expect(Self.read(Self.frame(5, 6, marker: marker), Self.frame()) == "jpeg 7x9@8")
    }
  }

  @Test func markersWithoutSegments() {
    for marker: UInt8 in [0x01] + Array(0xD0...0xD8) {
      #expect(Self.read([0xFF, marker], Self.frame()) == "jpeg 7x9@8", "\(marker)")
    }
    // Fill bytes before a marker.
    #expect(Self.read([0xFF, 0xFF, 0xFF], Self.frame()) == "jpeg 7x9@8")
    let missing = "malformed: a JPEG image, but its frame header is missing"
    #expect(Self.read() == missing)
    #expect(Self.read(Self.scan, Self.frame()) == missing)
    #expect(Self.read([0xFF, 0xD9], Self.frame()) == missing)
  }

  @Test func lengthsOfSegmentsCountThemselves() {
    #expect(Self.read(Self.segment(0xE0, []), Self.frame()) == "jpeg 7x9@8")
    #expect(
      Self.read(Self.segment(0xE0, [1]), [0xFF, 0xE0, 0, 1], Self.frame())
        == "malformed: a JPEG image, but one of its segments is 1 bytes long (byte 7)")
    #expect(Self.read(Self.segment(0xE0, zeros(65_533)), Self.frame()) == "jpeg 7x9@8")
  }

  @Test func theOrientationIsThatOfTheFirstExif() {
    #expect(Self.read(Self.exif(6), Self.frame()) == "jpeg 7x9@8 orientation 6")
    #expect(Self.read(Self.exif(6), Self.exif(8), Self.frame()) == "jpeg 7x9@8 orientation 6")
    let empty = Self.segment(0xE1, ascii("Exif\0\0"))
    #expect(Self.read(empty, Self.exif(8), Self.frame()) == "jpeg 7x9@8")
    // XMP has the same marker. Five bytes are not its name.
    let others = [ascii("http://ns.adobe.com/xap/1.0/\0"), ascii("Exif\0"), ascii("Exif\0x")]
    for other in others {
      let segment = Self.segment(0xE1, other)
      #expect(Self.read(segment, Self.exif(8), Self.frame()) == "jpeg 7x9@8 orientation 8")
    }
    // Behind the frame header, if it is at hand.
    #expect(Self.read(Self.frame(), Self.exif(3)) == "jpeg 7x9@8 orientation 3")
    #expect(beginning(joined(Self.start, Self.frame(), Self.exif(3).dropLast(20))) == "jpeg 7x9@8")
    #expect(Self.read(Self.frame(), Self.scan, Self.exif(3)) == "jpeg 7x9@8")
  }

  @Test func profilesAreNoticed() {
    func read(_ content: [UInt8], _ marker: UInt8 = 0xE2) -> String {
      Self.read(Self.segment(marker, content), Self.frame())
    }
    #expect(read(joined(ascii("ICC_PROFILE\0"), [1, 1])) == "jpeg 7x9@8 profile")
    #expect(read(joined(ascii("ICC_PROFILE\0"), [1])) == "jpeg 7x9@8")
    #expect(read(joined(ascii("ICC_PROFILE."), [1, 1])) == "jpeg 7x9@8")
    #expect(read(joined(ascii("ICC_PROFILE\0"), [1, 1]), 0xE1) == "jpeg 7x9@8")
    // Another segment with the same marker takes nothing back.
    let profile = Self.segment(0xE2, joined(ascii("ICC_PROFILE\0"), [1, 2], zeros(30)))
    let other = Self.segment(0xE2, joined(ascii("FPXR\0"), zeros(30)))
    #expect(Self.read(profile, other, Self.frame()) == "jpeg 7x9@8 profile")
    #expect(Self.read(other, profile, Self.frame()) == "jpeg 7x9@8 profile")
  }

  @Test func walksHaveCeilings() {
    expectMost(4_096) { count in
      let stray = [UInt8](repeating: 7, count: count)
      return Self.read(Self.segment(0xE0, []), stray, Self.frame()) == "jpeg 7x9@8"
    }
    #expect(
      whole(joined(Self.start, Self.segment(0xE0, [1, 2]), [UInt8](repeating: 7, count: 5_000)))
        == "malformed: a JPEG image, but a marker is missing at byte 8")
    // 0xFF and 0 are stray bytes, too.
    expectMost(2_048) { count in
      let stray: [UInt8] = (0..<count).flatMap { _ in [0xFF, 0] as [UInt8] }
      return whole(joined(Self.start, stray, Self.frame())) == "jpeg 7x9@8"
    }
    expectMost(8_191) { count in
      let segments = (0..<count).flatMap { _ in Self.segment(0xE0, []) }
      let text = whole(joined(Self.start, segments, Self.frame()))
      #expect(
        text == "jpeg 7x9@8" || text == "malformed: a JPEG image, but it has too many segments")
      return text == "jpeg 7x9@8"
    }
  }

  @Test func eachLengthHasItsAnswer() {
    let bytes = joined(Self.start, Self.segment(0xE0, zeros(10)), Self.frame(), Self.exif(6))
    #expect(
      answersByLength(bytes) == [
        "0 not-image", "4 truncated",
        // The frame header is at byte 16; its sides end nine bytes later.
        "25 jpeg 7x9@8", "65 jpeg 7x9@8 orientation 6",
      ])
  }

  /// A large profile is skipped; of the frame header five bytes are requested.
  @Test func onlyWhatCountsIsRequested() {
    let profile = Self.segment(0xE2, joined(ascii("ICC_PROFILE\0"), [1, 1], zeros(3_000)))
    let bytes = joined(Self.start, Self.exif(6), profile, Self.frame(), Self.scan)
    let second = 2 + 36 + 3_018
    #expect(
      requests(bytes) == [
        "0..<32", "38..<39", "39..<40", "40..<42", "42..<54",
        "\(second)..<\(second + 1)", "\(second + 1)..<\(second + 2)",
        "\(second + 2)..<\(second + 4)", "\(second + 4)..<\(second + 9)",
        "jpeg 7x9@8 orientation 6 profile",
      ])
  }
}

/// The work that a file causes.
@Suite struct JPEGStructureTests {
  private static func scans(_ bytes: [UInt8], limit: Int = 100) -> Int {
    JPEGStructure.scans(bytes.span, limit: limit)
  }

  private static let scan: [UInt8] = [0xFF, 0xDA, 0, 4, 9, 9, 1, 0xFF, 0, 0xDA, 0xFF, 0xD0, 2]

  @Test func eachScanCounts() {
    for count in 0...5 {
      let scans = (0..<count).flatMap { _ in Self.scan }
      #expect(Self.scans(joined([0xFF, 0xD8], scans, [0xFF, 0xD9])) == count)
      #expect(Self.scans(joined([0xFF, 0xD8], scans, [0xFF, 0xD9]), limit: 3) == min(3, count))
    }
  }

  @Test func onlyScansOfTheImageCount() {
    // A preview in Exif, and what follows the end of the image.
    let preview = joined([0xFF, 0xE1], be(2 + 2 * Self.scan.count, 2), Self.scan, Self.scan)
    let end: [UInt8] = [0xFF, 0xD9, 0, 0]
    #expect(Self.scans(joined([0xFF, 0xD8], preview, Self.scan, end, Self.scan)) == 1)
    // A length of less than its own two bytes does not lead backwards.
    #expect(Self.scans(joined([0xFF, 0xD8, 0xFF, 0xE0, 0, 0], Self.scan, end)) == 1)
    #expect(Self.scans(joined([0xFF, 0xD8, 0xFF, 0xE0, 0, 1], Self.scan, end)) == 1)
    // Fill bytes, and lengths of two bytes.
    #expect(Self.scans(joined([0xFF, 0xD8, 0xFF, 0xFF, 0xFF], Self.scan, end)) == 1)
    let content = (0..<64).flatMap { _ in [0xFF, 0xDA, 0, 2] as [UInt8] }
    #expect(Self.scans(joined([0xFF, 0xD8, 0xFF, 0xE0, 1, 2], content, Self.scan, end)) == 1)
    // A marker without any byte behind its length.
    #expect(Self.scans([0xFF, 0xD8, 0xFF, 0xDA, 0, 2]) == 1)
    #expect(Self.scans([0xFF, 0xD8, 0xFF, 0xDA, 0]) == 0)
    for count in 0..<4 { #expect(Self.scans(Array([0xFF, 0xD8, 0xFF, 0xDA].prefix(count))) == 0) }
    // Codes that have no segment.
    for marker: UInt8 in 0xD0...0xD8 {
      #expect(Self.scans(joined([0xFF, 0xD8, 0xFF, marker], Self.scan, end)) == 1)
    }
  }
}
