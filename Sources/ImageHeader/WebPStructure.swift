/// What a decoder would do to a WebP file (RFC 9649), told from its chunks alone.
package enum WebPStructure {
  /// How many frames an animation has, counted up to a limit; nothing for what does not move. libwebpdemux 1.2.4 goes
  /// along all frames to find the next one, so that some megabytes of frames cost minutes.
  package static func frames(_ bytes: Span<UInt8>, limit: Int) -> Int {
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
