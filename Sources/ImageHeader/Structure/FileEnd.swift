/// Whether a file that an encoder has written is there to its end: by the length that the file states, or by its last bytes.
package enum FileEnd {
  /// - Returns: false also where a file says neither, as a bare code stream of JPEG XL.
  package static func isThere(_ bytes: Span<UInt8>, _ format: ImageFormat) -> Bool {
    switch format {
    case .jpeg: ends(bytes, [0xFF, 0xD9])
    // The chunk IEND with its checksum (PNG, section 11.2.5).
    case .png: ends(bytes, [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    // RIFF states the length of what follows it (RFC 9649, section 2.4).
    case .webp: bytes.count >= 12 && bytes.count == 8 + number((4..<8).reversed(), bytes)
    case .avif, .heic, .jxl: hasAllBoxes(bytes)
    default: false
    }
  }

  private static func ends(_ bytes: Span<UInt8>, _ end: [UInt8]) -> Bool {
    let start = bytes.count - end.count
    return start >= 0 && end.indices.allSatisfy { bytes[start + $0] == end[$0] }
  }

  /// A walk over the boxes (ISO/IEC 14496-12, section 4.2) leads to the end.
  private static func hasAllBoxes(_ bytes: Span<UInt8>) -> Bool {
    var offset = 0
    while offset + 8 <= bytes.count {
      var length = number(offset..<offset + 4, bytes)
      // To the end of the file.
      if length == 0 { return true }
      if length == 1 {
        guard offset + 16 <= bytes.count, bytes[offset + 8] == 0 else { return false }
        length = number(offset + 8..<offset + 16, bytes)
      }
      guard length >= 8 else { return false }
      offset += length
    }
    return offset == bytes.count && offset > 0
  }

  private static func number(_ places: some Sequence<Int>, _ bytes: Span<UInt8>) -> Int {
    places.reduce(0) { $0 << 8 | Int(bytes[$1]) }
  }
}
