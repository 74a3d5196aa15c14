/// Whether a GIF file is complete: a walk over its blocks, by their lengths, ends at the trailer.
///
/// libvips 8.14.1 decodes a truncated GIF without an error, so the caller checks this first. Bytes
/// after the last complete block do not count, and a file that ends exactly after a frame, without
/// its trailer, lacks nothing visible.
package enum GIFStructure {
  /// The length in bytes of the colour table that a byte of flags announces (GIF 89a, sections 18
  /// and 20): three bytes for each of 2^(n + 1) colours.
  package static func paletteSize(_ flags: Int) -> Int {
    flags & 0x80 != 0 ? 3 << (flags & 7 + 1) : 0
  }

  package static func isWhole(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= 13 else { return false }
    var offset = 13 + paletteSize(Int(bytes[10]))
    var frames = 0
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x3B: return frames > 0  // trailer
      case 0x21: offset += 2  // extension
      case 0x2C:  // image descriptor, then the minimum code size
        guard offset + 9 < bytes.count else { return false }
        offset += 11 + paletteSize(Int(bytes[offset + 9]))
        frames += 1
      default: return frames > 0  // stray bytes after the last block
      }
      // Data sub-blocks, each with its length, up to one of length zero.
      while true {
        guard offset < bytes.count else { return false }
        let length = Int(bytes[offset])
        offset += 1 + length
        if length == 0 { break }
      }
    }
    return frames > 0
  }
}
