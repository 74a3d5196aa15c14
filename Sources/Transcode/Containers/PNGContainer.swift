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
      isWhole(pixels.map { source[$0.body] }, header: source[header.body])
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

  /// Whether compressed data unpacks to all rows of the picture, and ends with them.
  private static func isWhole(
    _ parts: [Slice<UnsafeRawBufferPointer>], header: Slice<UnsafeRawBufferPointer>
  ) -> Bool {
    guard let expected = rowBytes(Array(header)) else { return false }
    var stream = z_stream()
    guard tessera_inflate_init(&stream) == Z_OK else { return false }
    defer { inflateEnd(&stream) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    var status = Z_OK
    for part in parts {
      var input = Array(part)
      let isRead = input.withUnsafeMutableBufferPointer { input -> Bool in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        while stream.avail_in > 0 {
          guard status == Z_OK, count <= expected else { return false }
          status = buffer.withUnsafeMutableBufferPointer { output in
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            let status = inflate(&stream, Z_NO_FLUSH)
            count += output.count - Int(stream.avail_out)
            return status
          }
        }
        return true
      }
      guard isRead else { return false }
    }
    // What is left in the stream's own window.
    while status == Z_OK, count < expected {
      let before = count
      status = buffer.withUnsafeMutableBufferPointer { output in
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        let status = inflate(&stream, Z_NO_FLUSH)
        count += output.count - Int(stream.avail_out)
        return status
      }
      if count == before { break }
    }
    return status == Z_STREAM_END && count == expected
  }

  /// All rows with their filter bytes, of all passes where it is interlaced (sections 7 and 8).
  private static func rowBytes(_ header: [UInt8]) -> Int? {
    guard header.count == 13 else { return nil }
    let width = header[..<4].reduce(0) { $0 << 8 | Int($1) }
    let height = header[4..<8].reduce(0) { $0 << 8 | Int($1) }
    guard let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][header[9]] else { return nil }
    let bits = samples * Int(header[8])
    func bytes(_ columns: Int, _ rows: Int) -> Int {
      columns > 0 && rows > 0 ? rows * (1 + (columns * bits + 7) / 8) : 0
    }
    guard header[12] == 1 else { return bytes(width, height) }
    // Where each of Adam7's passes begins, and how far apart its pixels are.
    let passes = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
      (0, 1, 1, 2),
    ]
    return passes.reduce(0) { sum, pass in
      let (x, y, across, down) = pass
      return sum
        + bytes((width - x + across - 1) / across, (height - y + down - 1) / down)
    }
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
