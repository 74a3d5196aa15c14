internal import TesseraPlan

/// The segments of a JPEG file (ISO/IEC 10918-1, annex B).
enum JPEGContainer {
  /// Removes application segments and comments that are not to be kept, but for JFIF's own (APP0).
  /// Returns nil where the segments do not lead to a scan.
  static func clean(_ bytes: UnsafeRawBufferPointer, keeping kept: MetadataPolicy) -> [UInt8]? {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    result += bytes[..<2]
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      // What follows a scan's header is no metadata.
      if marker == 0xDA {
        result += bytes[offset...]
        return result
      }
      let end = offset + 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      guard end <= bytes.count, end > offset + 3 else { return nil }
      if isKept(marker, bytes[(offset + 4)..<end], kept) { result += bytes[offset..<end] }
      offset = end
    }
    return nil
  }

  private static func isKept(
    _ marker: UInt8, _ body: Slice<UnsafeRawBufferPointer>, _ kept: MetadataPolicy
  ) -> Bool {
    switch marker {
    case 0xE1 where body.starts(with: "Exif\0".utf8): kept.contains(.exif)
    case 0xE1 where body.starts(with: "http://ns.adobe.com/xap/1.0/\0".utf8): kept.contains(.xmp)
    case 0xE2 where body.starts(with: "ICC_PROFILE\0".utf8): kept.contains(.icc)
    case 0xED: kept.contains(.iptc)
    // Adobe's tells how the colours are coded.
    case 0xE1...0xED, 0xEF, 0xFE: false
    default: true
    }
  }
}
