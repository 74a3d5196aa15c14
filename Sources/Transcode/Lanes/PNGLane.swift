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
