internal import Glibc
internal import TesseraCDeflate
internal import TesseraCPixels
internal import TesseraCVips
internal import TesseraPlan

/// Decodes and resizes the usual PNG files: libdeflate inflates them in one go, which takes half of
/// zlib's time.
///
/// Eight bits a sample, or a palette; not interlaced.
struct PNGLane: Lane {
  private let layout: PNGLayout
  private let source: SourceData

  /// Finds the pixels. Nil if the file is damaged or of another kind.
  init?(_ source: SourceData) {
    guard let layout = PNGLayout(source.bytes) else { return nil }
    (self.layout, self.source) = (layout, source)
  }

  var header: (width: Int, height: Int, bands: Int) { (layout.width, layout.height, layout.bands) }
  var isPlain: Bool { layout.isPlain }

  /// The result is not turned, and without alpha if it is opaque.
  func decode(like origin: Raster, shrink: Int, to size: Size) throws(VipsError) -> Raster? {
    let size = origin.swapsSides ? Size(size.height, size.width) : size
    guard isLike(origin), layout.width <= size.width * Resampling.mostReduction,
      layout.height <= size.height * Resampling.mostReduction,
      let rows = PNGRows(layout, source.bytes)
    else { return nil }
    return try resized(rows, like: origin, to: size)
  }

  private func resized(
    _ rows: PNGRows, like origin: Raster, to size: Size
  ) throws(VipsError) -> Raster? {
    let (width, height, bands) = (layout.width, layout.height, layout.bands)
    let kept = bands % 2 == 0 && rows.areOpaque ? bands - 1 : bands
    let result = try origin.blank(width: size.width, height: size.height, bands: Int32(kept))
    guard let samples = result.handle.pointee.data else { throw .memory }
    // Colours of transparent pixels are lost when they are resized, and must not be otherwise.
    if kept % 2 == 0, size == Size(width, height) {
      for index in 0..<height {
        guard let row = rows[index] else { return nil }
        (samples + index * width * bands).update(from: row, count: width * bands)
      }
      return result
    }
    guard
      let resampler = tessera_image_resampler_new(
        Int32(width), Int32(height), Int32(kept), Int32(size.width), Int32(size.height), samples)
    else { throw .memory }
    defer { tessera_image_resampler_end(resampler) }
    for index in 0..<height {
      guard let row = rows[index] else { return nil }
      tessera_image_resampler_add(resampler, row, Int32(bands))
    }
    return result
  }
}

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

/// The pixels of a PNG, inflated and without filters, in memory.
final class PNGRows {
  private let layout: PNGLayout
  /// Each row is behind one byte.
  private let samples: UnsafeMutablePointer<UInt8>
  /// One row of colours, if there is a palette.
  private let colours: UnsafeMutablePointer<UInt8>
  private let length: Int

  /// The largest image, in bytes, that is held in memory in full size.
  private static let maximumBytes = 256 << 20

  /// Nil if the pixels are damaged, or memory does not suffice.
  init?(_ layout: PNGLayout, _ bytes: UnsafeRawBufferPointer) {
    self.layout = layout
    length =
      layout.palette.isEmpty ? layout.width * layout.stored : (layout.width * layout.depth + 7) / 8
    let size = (length + 1) * layout.height
    let compressed = layout.pixels.reduce(0) { $0 + $1.body.count }
    // Deflate shrinks at most to 1/1032: a header that states more is wrong.
    guard size <= Self.maximumBytes, size / 1033 <= compressed,
      AddressSpace.has(size + compressed + layout.width * layout.bands),
      let memory = malloc(size), let row = malloc(layout.width * layout.bands)
    else { return nil }
    samples = memory.assumingMemoryBound(to: UInt8.self)
    colours = row.assumingMemoryBound(to: UInt8.self)
    guard inflate(bytes, size),
      tessera_png_undo_filters(samples, length, layout.height, Int32(layout.stored)) == 0
    else { return nil }
  }

  deinit {
    free(samples)
    free(colours)
  }

  /// A row's samples; nil if one of them has no colour in the palette.
  subscript(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
    let row = samples + index * (length + 1) + 1
    if layout.palette.isEmpty { return row }
    let status = tessera_png_expand(
      row, Int32(layout.depth), layout.width, layout.palette, Int32(layout.palette.count / 4),
      Int32(layout.bands), colours)
    return status == 0 ? colours : nil
  }

  /// Whether alpha, which the image must have, is 255 everywhere.
  var areOpaque: Bool {
    (0..<layout.height).allSatisfy { index in
      self[index].map { tessera_is_opaque($0, layout.width, Int32(layout.bands)) != 0 } ?? false
    }
  }

  private func inflate(_ bytes: UnsafeRawBufferPointer, _ size: Int) -> Bool {
    guard let inflater = libdeflate_alloc_decompressor() else { return false }
    defer { libdeflate_free_decompressor(inflater) }
    return withPixels(bytes) { pixels in
      var used = 0
      let status = libdeflate_zlib_decompress_ex(
        inflater, pixels.baseAddress, pixels.count, samples, size, &used, nil)
      return status == LIBDEFLATE_SUCCESS && used == pixels.count
    }
  }

  /// The compressed pixels, copied only if they are in several chunks.
  private func withPixels(
    _ bytes: UnsafeRawBufferPointer, _ use: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    let chunks = layout.pixels
    if chunks.count == 1 { return use(UnsafeRawBufferPointer(rebasing: bytes[chunks[0].body])) }
    var joined: [UInt8] = []
    joined.reserveCapacity(chunks.reduce(0) { $0 + $1.body.count })
    for chunk in chunks { joined += bytes[chunk.body] }
    return joined.withUnsafeBytes(use)
  }
}
