private import Glibc
private import TesseraCJPEG
internal import TesseraPlan

/// The segments of a JPEG file (ISO/IEC 10918-1, annex B).
enum JPEGContainer {
  /// Removes comments, application segments that are not to be kept (JFIF's APP0 always is), and
  /// everything after the end marker. Nil if the segments do not lead to an end marker.
  static func clean(_ bytes: UnsafeRawBufferPointer, keeping kept: MetadataPolicy) -> [UInt8]? {
    guard let segments = segments(of: bytes) else { return nil }
    return file(segments.filter { isKept($0, bytes, kept) }, of: bytes)
  }

  /// A source's image, recoded without loss, with the metadata of a result. Nil if libjpeg finds
  /// the image damaged in any way.
  ///
  /// - Parameter result: a file as ``clean(_:keeping:)`` returns it.
  static func image(
    of source: UnsafeRawBufferPointer, withMetadataOf result: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    var recoded: UnsafeMutablePointer<UInt8>?
    var length = 0
    guard
      tessera_jpeg_recode(
        source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count, &recoded, &length)
        == 0, let recoded
    else { return nil }
    defer { free(recoded) }
    let image = UnsafeRawBufferPointer(start: recoded, count: length)
    guard let segments = segments(of: image), let others = self.segments(of: result) else {
      return nil
    }
    // JFIF's (APP0) or Adobe's (APP14) segment has to come first.
    let start = segments.first { ![0xE0, 0xEE].contains($0.marker) }?.range.lowerBound ?? 2
    let metadata = others.filter { (0xE1...0xED).contains($0.marker) }
      .flatMap { result[$0.range] }
    return image[..<start] + metadata + image[start...]
  }

  // MARK: Exif

  static let exifMark = Array("Exif\0\0".utf8)
  static let xmpMark = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

  /// The Exif block of a file, without the mark before it.
  static func exif(in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    segments(of: bytes)?.first { $0.marker == 0xE1 && bytes[$0.body].starts(with: exifMark) }
      .map { Array(bytes[$0.body].dropFirst(exifMark.count)) }
  }

  /// The file with an Exif block as its first segment; nil if the block is too long for a segment.
  static func adding(exif block: [UInt8], to bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    applicationSegment(1, exifMark, block).map { [0xFF, 0xD8] + $0 + bytes.dropFirst(2) }
  }

  // MARK: Further images

  /// The mark of gain maps (ISO 21496-1, annex C).
  static let gainMapMark = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)

  /// Where the image ends, which other images may follow; nil if the segments do not lead to an end marker.
  static func end(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard let segments = segments(of: bytes) else { return nil }
    var end = segments.last?.range.upperBound ?? 2
    // Fill bytes may precede the end marker, too.
    while end + 1 < bytes.count, bytes[end + 1] == 0xFF { end += 1 }
    return end + 2
  }

  /// What follows a mark in the application segments of a number.
  static func blocks(
    after mark: [UInt8], inApplicationSegments number: UInt8, of bytes: UnsafeRawBufferPointer
  ) -> [[UInt8]] {
    (segments(of: bytes) ?? []).filter {
      $0.marker == 0xE0 + number && bytes[$0.body].starts(with: mark)
    }.map { Array(bytes[$0.body].dropFirst(mark.count)) }
  }

  /// An application segment; nil if its content is too long.
  static func applicationSegment(_ number: UInt8, _ mark: [UInt8], _ block: [UInt8]) -> [UInt8]? {
    let length = 2 + mark.count + block.count
    guard length < 1 << 16 else { return nil }
    return [0xFF, 0xE0 + number] + UInt16(length).bigEndianBytes + mark + block
  }

  /// Where the first segment begins that is not an application segment.
  static func endOfApplicationSegments(_ bytes: UnsafeRawBufferPointer) -> Int? {
    segments(of: bytes)?.first { !(0xE0...0xEF).contains($0.marker) }?.range.lowerBound
  }

  // MARK: Segments

  private struct Segment {
    var marker: UInt8
    /// The whole segment, marker and length included; for a scan also its data.
    var range: Range<Int>
    /// The content, after the length.
    var body: Range<Int>
  }

  private static func file(
    _ segments: [Segment], of bytes: UnsafeRawBufferPointer
  ) -> [UInt8] {
    var result: [UInt8] = [0xFF, 0xD8]
    result.reserveCapacity(bytes.count)
    for segment in segments { result += bytes[segment.range] }
    return result + [0xFF, 0xD9]
  }

  /// More than any program writes: a profile of the longest kind takes 255.
  private static let mostSegments = 10_000

  /// All segments between the start and the end marker.
  private static func segments(of bytes: UnsafeRawBufferPointer) -> [Segment]? {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
    var segments: [Segment] = []
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      // Any number of fill bytes may precede a marker (B.1.1.2).
      if marker == 0xFF {
        offset += 1
        continue
      }
      if marker == 0xD9 { return segments }
      guard segments.count < mostSegments else { return nil }
      let start = offset + 4
      var end = offset + 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      guard end <= bytes.count, end >= start else { return nil }
      let body = start..<end
      if marker == 0xDA { end = endOfScan(bytes, from: end) }
      segments.append(Segment(marker: marker, range: offset..<end, body: body))
      offset = end
    }
    let isAtEnd = offset + 2 <= bytes.count && bytes[offset] == 0xFF && bytes[offset + 1] == 0xD9
    return isAtEnd ? segments : nil
  }

  /// The offset of the next marker that is neither a restart marker nor a stuffed 0xFF of the data.
  private static func endOfScan(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var offset = start
    while offset + 1 < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + offset, 0xFF, bytes.count - offset - 1)
    {
      offset = UnsafeRawPointer(found) - base
      switch bytes[offset + 1] {
      case 0, 0xD0...0xD7: offset += 2
      case 0xFF: offset += 1
      default: return offset
      }
    }
    return bytes.count
  }

  private static func isKept(
    _ segment: Segment, _ bytes: UnsafeRawBufferPointer, _ kept: MetadataPolicy
  ) -> Bool {
    let body = bytes[segment.body]
    return switch segment.marker {
    case 0xE1 where body.starts(with: "Exif\0".utf8): kept.contains(.exif)
    case 0xE1 where body.starts(with: xmpMark): kept.contains(.xmp)
    case 0xE2 where body.starts(with: "ICC_PROFILE\0".utf8): kept.contains(.icc)
    case 0xED: kept.contains(.iptc)
    // APP14 (0xEE) stays: Adobe's segment states how the colours are coded.
    case 0xE1...0xED, 0xEF, 0xFE: false
    default: true
    }
  }
}
