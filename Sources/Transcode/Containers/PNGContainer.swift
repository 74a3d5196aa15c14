private import TesseraCZlib
internal import TesseraPlan

/// The chunks of a PNG file (ISO/IEC 15948).
enum PNGContainer {
  /// Removes metadata that is not to be kept, and what libvips writes twice (Exif) or where nobody looks for
  /// it (XMP, which goes into an iTXt chunk as its specification says). Returns nil where the chunks do not
  /// lead to the end.
  static func clean(
    _ bytes: UnsafeRawBufferPointer, keeping kept: MetadataPolicy, xmp: [UInt8]
  ) -> [UInt8]? {
    guard let chunks = chunks(of: bytes) else { return nil }
    var result = Array(bytes[..<8])
    result.reserveCapacity(bytes.count + xmp.count + 100)
    var seen: Set<String> = []
    for chunk in chunks {
      let isKept =
        switch chunk.name {
        case "iCCP": kept.contains(.icc)
        case "eXIf": kept.contains(.exif) && seen.insert(chunk.name).inserted
        case "tEXt", "zTXt", "iTXt", "tIME": false
        default: true
        }
      if chunk.name == "IDAT", kept.contains(.xmp), seen.insert("XMP").inserted {
        // Keyword, not compressed, in no language, the same in translation.
        result += written("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp)
      }
      if isKept { result += bytes[chunk.range] }
    }
    return result
  }

  /// One file's picture with another's metadata; of an animated one the still picture.
  ///
  /// - Parameter described: a file as ``clean(_:keeping:xmp:)`` leaves it.
  static func picture(
    of source: UnsafeRawBufferPointer, describedAs described: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    guard let chunks = chunks(of: source), let others = self.chunks(of: described) else {
      return nil
    }
    let picture = chunks.filter { ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"].contains($0.name) }
    let metadata = others.filter { ["iCCP", "pHYs", "eXIf", "iTXt"].contains($0.name) }
    guard let header = picture.first, header.name == "IHDR" else { return nil }
    return Array(source[..<header.range.upperBound])
      + metadata.flatMap { described[$0.range] }
      + picture.dropFirst().flatMap { source[$0.range] }
  }

  // MARK: Chunks

  private struct Chunk {
    var name: String
    /// With length and checksum.
    var range: Range<Int>
  }

  /// Up to the one that ends the file.
  private static func chunks(of bytes: UnsafeRawBufferPointer) -> [Chunk]? {
    var chunks: [Chunk] = []
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = offset + 12 + length
      guard end <= bytes.count else { return nil }
      let name = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
      chunks.append(Chunk(name: name, range: offset..<end))
      if name == "IEND" { return chunks }
      offset = end
    }
    return nil
  }

  private static func written(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let content = Array(name.utf8) + body
    return UInt32(body.count).bigEndianBytes + content + checksum(content).bigEndianBytes
  }

  /// CRC-32 as the specification has it (annex D).
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count)))
  }
}
