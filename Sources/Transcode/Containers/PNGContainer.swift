internal import TesseraPlan

/// The chunks of a PNG file (ISO/IEC 15948).
enum PNGContainer {
  /// Removes metadata that is not to be kept, and what libvips writes twice (Exif) or where nobody looks for
  /// it (XMP, which goes into an iTXt chunk as its specification says). Returns nil where the chunks do not
  /// lead to the end.
  static func clean(
    _ bytes: UnsafeRawBufferPointer, keeping kept: MetadataPolicy, xmp: [UInt8]
  ) -> [UInt8]? {
    guard bytes.count > 8 else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + xmp.count + 100)
    result += bytes[..<8]
    var seen: Set<String> = []
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = offset + 12 + length
      guard end <= bytes.count else { return nil }
      let name = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
      let isKept =
        switch name {
        case "iCCP": kept.contains(.icc)
        case "eXIf": kept.contains(.exif) && seen.insert(name).inserted
        case "tEXt", "zTXt", "iTXt", "tIME": false
        default: true
        }
      if name == "IDAT", kept.contains(.xmp), seen.insert("XMP").inserted {
        // Keyword, not compressed, in no language, the same in translation.
        result += chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp)
      }
      if isKept { result += bytes[offset..<end] }
      if name == "IEND" { return result }
      offset = end
    }
    return nil
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let content = Array(name.utf8) + body
    return UInt32(body.count).bigEndianBytes + content + checksum(content).bigEndianBytes
  }

  /// CRC-32 as the specification has it (annex D).
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
