internal import Glibc
internal import TesseraCDeflate
internal import TesseraCPixels

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
