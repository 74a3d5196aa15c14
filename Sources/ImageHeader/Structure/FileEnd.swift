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

/// The work that a WebP file (RFC 9649) causes a decoder, by its chunks alone.
package enum WebPStructure {
  /// The number of frames of an animation, counted up to a limit; 0 for a still image. libwebpdemux
  /// 1.2.4 walks all frames to find the next one, so that some megabytes of frames cost minutes.
  package static func frames(_ bytes: Span<UInt8>, limit: Int) -> Int {
    // The animation flag of VP8X; its chunk ends at byte 30.
    guard bytes.count >= 30, has(extended, bytes, 12), bytes[20] & 0x02 != 0 else { return 0 }
    var count = 0
    var offset = 30
    while offset + 8 <= bytes.count && count < limit {
      if has(frame, bytes, offset) { count += 1 }
      let length = (4..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
      offset += 8 + length + length % 2
    }
    return count
  }

  private static let extended = Array("VP8X".utf8)
  private static let frame = Array("ANMF".utf8)

  private static func has(_ name: [UInt8], _ bytes: Span<UInt8>, _ offset: Int) -> Bool {
    name.indices.allSatisfy { bytes[offset + $0] == name[$0] }
  }
}
