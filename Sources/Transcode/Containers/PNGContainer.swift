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
        // Libvips tells a density that nobody told it.
        case "pHYs": !kept.isEmpty
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

  /// One file's picture with another's metadata; of an animated one the still picture. Nil where the picture is
  /// not as the specification wants it: a chunk damaged or out of its place, pixels too few or too many.
  ///
  /// - Parameter described: a file as ``clean(_:keeping:xmp:)`` leaves it.
  static func picture(
    of source: UnsafeRawBufferPointer, describedAs described: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    guard let chunks = chunks(of: source), let others = self.chunks(of: described) else {
      return nil
    }
    let order = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]
    let picture = chunks.filter { order.contains($0.name) }
    let places = picture.compactMap { order.firstIndex(of: $0.name) }
    let pixels = picture.filter { $0.name == "IDAT" }
    guard let header = picture.first, header.name == "IHDR", header.range.count == 25,
      places == places.sorted(), Set(places).count == picture.count - pixels.count + 1,
      picture.allSatisfy({ isSound($0, in: source) }),
      PNGPixels.areWhole(pixels.map { source[$0.body] }, header: Array(source[header.body]))
    else { return nil }
    let metadata = others.filter { ["iCCP", "pHYs", "eXIf", "iTXt"].contains($0.name) }
    return Array(source[..<header.range.upperBound])
      + metadata.flatMap { described[$0.range] }
      + picture.dropFirst().flatMap { source[$0.range] }
  }

  private static func isSound(_ chunk: Chunk, in bytes: UnsafeRawBufferPointer) -> Bool {
    let content = Array(bytes[chunk.range.lowerBound + 4..<chunk.body.upperBound])
    return bytes[chunk.body.upperBound..<chunk.range.upperBound]
      .elementsEqual(checksum(content).bigEndianBytes)
  }

  // MARK: Chunks

  private struct Chunk {
    var name: String
    /// With length and checksum.
    var range: Range<Int>
    var body: Range<Int> { range.lowerBound + 8..<range.upperBound - 4 }
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
