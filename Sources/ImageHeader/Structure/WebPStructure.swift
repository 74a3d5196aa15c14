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
