/// The work that a JPEG file (ITU-T T.81) causes a decoder, by its markers alone.
package enum JPEGStructure {
  /// The number of scans, counted up to a limit. Each scan of a progressive image costs a pass over
  /// the whole image, so that some kilobytes of scans cost minutes.
  package static func scans(_ bytes: Span<UInt8>, limit: Int) -> Int {
    var count = 0
    var offset = 2
    while offset + 3 < bytes.count && count < limit {
      let marker = bytes[offset + 1]
      guard bytes[offset] == 0xFF, marker > 0, marker < 0xFF, !(0xD0...0xD8).contains(marker) else {
        // In the data of a scan 0xFF is followed by 0 or by the code of a restart marker.
        offset += 1
        continue
      }
      if marker == 0xD9 { break }  // EOI
      if marker == 0xDA { count += 1 }  // SOS
      // Skip the segment: Exif may hold a preview with scans of its own. The length includes
      // itself.
      offset += 2 + max(2, Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
    }
    return count
  }
}
