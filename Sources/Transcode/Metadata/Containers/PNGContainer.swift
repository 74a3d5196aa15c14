internal import TesseraBytes
internal import TesseraPlan

/// The chunks of a PNG file (ISO/IEC 15948).
enum PNGContainer {
  /// Removes metadata that is not to be kept, and corrects what libvips writes: it writes Exif
  /// twice, and XMP into a chunk in which no reader expects it (the specification wants iTXt). Nil
  /// if the chunks do not lead to the end chunk.
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
        // libvips writes a default density into every file.
        case "pHYs": !kept.isEmpty
        default: true
        }
      if chunk.name == "IDAT", kept.contains(.xmp), seen.insert("XMP").inserted {
        // After the keyword: its end, not compressed, method 0, no language, no translated keyword.
        result += written("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp)
      }
      if isKept { result += bytes[chunk.range] }
    }
    return result
  }

  /// A source's image with the metadata of a result; of an animated PNG the still image. Nil unless
  /// the image strictly follows the specification: chunks intact, in order and of a legal length,
  /// pixel data complete and nothing after it.
  ///
  /// - Parameter result: a file as ``clean(_:keeping:xmp:)`` returns it.
  static func image(
    of source: UnsafeRawBufferPointer, withMetadataOf result: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    guard let chunks = chunks(of: source), let others = self.chunks(of: result) else {
      return nil
    }
    let order = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]
    let image = chunks.filter { order.contains($0.name) }
    let places = image.compactMap { order.firstIndex(of: $0.name) }
    let pixels = image.filter { $0.name == "IDAT" }
    // Every chunk but IDAT occurs once.
    guard let header = image.first, header.name == "IHDR", header.body.count == 13,
      places == places.sorted(), Set(places).count == image.count - pixels.count + 1,
      image.allSatisfy({ isIntact($0, in: source) }),
      hasLegalLengths(image, header: Array(source[header.body])),
      PNGPixelData.isComplete(
        pixels.map { source[$0.body] }, header: Array(source[header.body]))
    else { return nil }
    let metadata = others.filter { ["iCCP", "pHYs", "eXIf", "iTXt"].contains($0.name) }
    return Array(source[..<header.range.upperBound])
      + metadata.flatMap { result[$0.range] }
      + image.dropFirst().flatMap { source[$0.range] }
  }

  private static func isIntact(_ chunk: Chunk, in bytes: UnsafeRawBufferPointer) -> Bool {
    let content = Array(bytes[chunk.range.lowerBound + 4..<chunk.body.upperBound])
    return bytes[chunk.body.upperBound..<chunk.range.upperBound]
      .elementsEqual(CRC32.of(content).bigEndianBytes)
  }

  /// Whether each chunk is as long as the specification allows (sections 11.2 and 11.3.1).
  /// Decoders skip the bytes beyond that, so they would be copied without having been looked at.
  private static func hasLegalLengths(_ image: [Chunk], header: [UInt8]) -> Bool {
    let (depth, colourType) = (header[8], header[9])
    let palette = image.first { $0.name == "PLTE" }.map(\.body.count)
    // Grey images have no palette; those of colour type 3 must have one.
    let largest = [2: 768, 3: 3 << min(depth, 8), 6: 768][colourType] ?? 0
    if let palette {
      guard palette > 0, palette % 3 == 0, palette <= largest else { return false }
    } else if colourType == 3 {
      return false
    }
    let transparency: ClosedRange<Int> =
      switch colourType {
      case 0: 2...2
      case 2: 6...6
      case 3: 1...max(1, (palette ?? 0) / 3)
      default: 0...0
      }
    return image.allSatisfy { chunk in
      switch chunk.name {
      case "tRNS": chunk.body.count > 0 && transparency.contains(chunk.body.count)
      case "IEND": chunk.body.isEmpty
      default: true
      }
    }
  }

  // MARK: Chunks

  /// What is wrong with a file that its decoder rejected, where its chunks show that: completes a sentence.
  static func damage(in bytes: UnsafeRawBufferPointer) -> String? {
    let chunks = chunks(of: bytes, upTo: "IEND")
    func isName(_ name: String) -> Bool {
      name.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
    }
    // One whose name begins with a small letter is not needed for the image (section 5.4), and is skipped if it is damaged.
    let needed = chunks.filter { !isName($0.name) || $0.name.first?.isUppercase == true }
    if let chunk = needed.first(where: { !isIntact($0, in: bytes) }) {
      return isName(chunk.name)
        ? "the checksum of its chunk \(chunk.name) at byte \(chunk.range.lowerBound) is wrong"
        : "its chunk at byte \(chunk.range.lowerBound) is damaged"
    }
    let end = chunks.last?.range.upperBound ?? 8
    return chunks.last?.name == "IEND" ? nil : "it is cut off in the chunk at byte \(end)"
  }

  struct Chunk {
    var name: String
    /// The whole chunk, length and checksum included.
    var range: Range<Int>
    var body: Range<Int> { range.lowerBound + 8..<range.upperBound - 4 }
  }

  /// All chunks up to the end chunk. Nil if they do not lead there.
  static func chunks(of bytes: UnsafeRawBufferPointer) -> [Chunk]? {
    let chunks = chunks(of: bytes, upTo: "IEND")
    return chunks.last?.name == "IEND" ? chunks : nil
  }

  /// The chunks that describe the image, as far as they are there: those before its pixels.
  static func chunksBeforePixels(of bytes: UnsafeRawBufferPointer) -> ArraySlice<Chunk> {
    chunks(of: bytes, upTo: "IDAT").prefix { $0.name != "IDAT" }
  }

  private static func chunks(of bytes: UnsafeRawBufferPointer, upTo last: String) -> [Chunk] {
    var chunks: [Chunk] = []
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = offset + 12 + length
      guard end <= bytes.count else { break }
      let name = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
      chunks.append(Chunk(name: name, range: offset..<end))
      if name == last { break }
      offset = end
    }
    return chunks
  }

  /// The checksum covers name and body (annex D).
  static func written(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let content = Array(name.utf8) + body
    return UInt32(body.count).bigEndianBytes + content + CRC32.of(content).bigEndianBytes
  }
}

/// The compressed pixels of a PNG file (ISO/IEC 15948, sections 7 to 10).
enum PNGPixelData {
  /// Whether the data inflates to exactly the rows of the image: nothing is missing, and nothing is
  /// hidden after the last row.
  ///
  /// - Parameters:
  ///   - parts: the bodies of the IDAT chunks, in order.
  ///   - header: the body of the IHDR chunk.
  static func isComplete(_ parts: [Slice<UnsafeRawBufferPointer>], header: [UInt8]) -> Bool {
    guard let expected = rowBytes(header) else { return false }
    do throws(Inflate.Failure) {
      return try inflatedBytes(parts, limit: expected) == expected
    } catch {
      return false
    }
  }

  /// How many bytes the parts inflate to, as one stream; nil if the stream does not end with the
  /// last part, or has more than `limit` bytes. Only a buffer of 64 KiB is held in memory.
  private static func inflatedBytes(
    _ parts: [Slice<UnsafeRawBufferPointer>], limit: Int
  ) throws(Inflate.Failure) -> Int? {
    let inflate = Inflate()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var (count, hasEnded) = (0, false)
    for part in parts {
      let input = Array(part)
      var offset = 0
      // Output that no longer fits into the buffer is left to the next part: the checksum at the stream's end
      // is read after all output.
      while offset < input.count {
        if hasEnded { return nil }
        let step = try inflate.step(input.span.extracting(offset...), into: &buffer)
        guard step.consumed > 0 || step.produced > 0 else { return nil }
        offset += step.consumed
        count += step.produced
        guard count <= limit else { return nil }
        hasEnded = step.hasEnded
      }
    }
    return hasEnded ? count : nil
  }

  /// The size of all rows with their filter bytes, over all passes if the image is interlaced. Nil
  /// if the header is not valid.
  private static func rowBytes(_ header: [UInt8]) -> Int? {
    guard header.count == 13 else { return nil }
    let width = header[..<4].reduce(0) { $0 << 8 | Int($1) }
    let height = header[4..<8].reduce(0) { $0 << 8 | Int($1) }
    // Samples per pixel, by colour type.
    guard let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][header[9]] else { return nil }
    let bits = samples * Int(header[8])
    func bytes(_ columns: Int, _ rows: Int) -> Int {
      columns > 0 && rows > 0 ? rows * (1 + (columns * bits + 7) / 8) : 0
    }
    guard header[12] == 1 else { return bytes(width, height) }
    return adam7.reduce(0) { sum, pass in
      sum
        + bytes(
          (width - pass.x + pass.across - 1) / pass.across,
          (height - pass.y + pass.down - 1) / pass.down)
    }
  }

  /// The passes of an interlaced image (section 8.2): the first pixel of each, and the distances
  /// between its pixels.
  private static let adam7: [(x: Int, y: Int, across: Int, down: Int)] = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
    (0, 1, 1, 2),
  ]
}
