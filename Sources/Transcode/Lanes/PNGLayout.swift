internal import TesseraCDeflate

/// Where the pixels of a usual PNG are in its file, and how they are stored.
struct PNGLayout {
  let width: Int
  let height: Int
  let depth: Int
  /// Bytes from one pixel to the next before a palette is applied; at least 1.
  let stored: Int
  /// Four bytes for each index; empty without a palette.
  private(set) var palette: [UInt8] = []
  /// Once a palette is applied.
  private(set) var bands: Int
  /// Whether the file has no profile, Exif or animation.
  private(set) var isPlain = true
  /// The compressed pixels.
  private(set) var pixels: [PNGContainer.Chunk] = []

  /// Nil if the file is damaged or of another kind (ISO/IEC 15948, clauses 11.2 and 11.3).
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let chunks = PNGContainer.chunks(of: bytes), let first = chunks.first,
      first.name == "IHDR", first.body.count == 13, chunks.last?.body.isEmpty == true
    else { return nil }
    let header = UnsafeRawBufferPointer(rebasing: bytes[first.body])
    func side(_ offset: Int) -> Int { header[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    (width, height, depth) = (side(0), side(4), Int(header[8]))
    guard width > 0, height > 0, header[10...].elementsEqual([0, 0, 0]) else { return nil }
    switch (header[9], depth) {
    case (0, 8): stored = 1
    case (2, 8): stored = 3
    case (4, 8): stored = 2
    case (6, 8): stored = 4
    case (3, 1), (3, 2), (3, 4), (3, 8): stored = 1
    default: return nil
    }
    bands = stored
    let isIndexed = header[9] == 3
    var suggestsColours = false
    for chunk in chunks {
      guard Self.isIntact(chunk, bytes), chunk.name.allSatisfy({ $0.isASCII && $0.isLetter }) else {
        return nil
      }
      switch chunk.name {
      case "IHDR" where chunk.range == first.range, "IEND": break
      case "PLTE" where !isIndexed && !suggestsColours && pixels.isEmpty:
        guard (3...768).contains(chunk.body.count), chunk.body.count % 3 == 0 else { return nil }
        suggestsColours = true
      case "PLTE" where palette.isEmpty && pixels.isEmpty:
        guard readPalette(bytes[chunk.body]) else { return nil }
      case "tRNS" where !palette.isEmpty && pixels.isEmpty && bands == 3:
        guard readTransparency(bytes[chunk.body]) else { return nil }
      case "tRNS": return nil
      case "IDAT":
        // One after the other.
        if let last = pixels.last, last.range.upperBound != chunk.range.lowerBound { return nil }
        pixels.append(chunk)
      case "iCCP", "eXIf", "acTL": isPlain = false
      default:
        // Unknown, and the image cannot be shown without it.
        guard chunk.name.first?.isLowercase == true else { return nil }
      }
    }
    guard !pixels.isEmpty, isIndexed == !palette.isEmpty else { return nil }
  }

  private static func isIntact(_ chunk: PNGContainer.Chunk, _ bytes: UnsafeRawBufferPointer) -> Bool
  {
    let content = bytes[chunk.range.lowerBound + 4..<chunk.body.upperBound]
    let sum = libdeflate_crc32(0, bytes.baseAddress! + content.startIndex, content.count)
    let stated = bytes[chunk.body.upperBound..<chunk.range.upperBound]
    return stated.reduce(0) { $0 << 8 | UInt32($1) } == sum
  }

  private mutating func readPalette(_ colours: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard !colours.isEmpty, colours.count % 3 == 0, colours.count <= 3 << depth else {
      return false
    }
    bands = 3
    palette = [UInt8](repeating: 255, count: colours.count / 3 * 4)
    for (index, sample) in zip(0..., colours) { palette[index / 3 * 4 + index % 3] = sample }
    return true
  }

  private mutating func readTransparency(_ alphas: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard !alphas.isEmpty, alphas.count * 4 <= palette.count else { return false }
    bands = 4
    for (index, alpha) in zip(0..., alphas) { palette[index * 4 + 3] = alpha }
    return true
  }
}
