/// What a decoder would do to a JPEG file (ISO/IEC 10918-1), told from its markers alone.
package enum JPEGStructure {
  /// How many scans the file has, counted up to a limit. Each of a progressive picture costs a pass over
  /// all of it, so that some kilobytes of scans cost minutes.
  package static func scans(_ bytes: Span<UInt8>, limit: Int) -> Int {
    var count = 0
    var offset = 2
    while offset + 3 < bytes.count && count < limit {
      let marker = bytes[offset + 1]
      guard bytes[offset] == 0xFF, marker > 0, marker < 0xFF, !(0xD0...0xD8).contains(marker) else {
        // Inside a scan 0xFF is followed by 0 or by a restart marker's number.
        offset += 1
        continue
      }
      if marker == 0xD9 { break }
      if marker == 0xDA { count += 1 }
      // A segment's length counts itself. An Exif block may hold a preview with scans of its own, so
      // segments are stepped over.
      offset += 2 + max(2, Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
    }
    return count
  }
}
