internal import TesseraCPixels
internal import TesseraCVips

/// Resizing with our own resampler, which has none of the fixed cost of an operation of libvips.
extension Raster {
  /// Rows of the source that libvips computes at a time.
  private static let strip = 16

  /// Whether ``resampled(width:height:)`` can make this size of it.
  func canBeResampled(width: Int, height: Int) -> Bool {
    let bands = vips_image_get_bands(handle)
    let most = Resampling.mostReduction
    return isEightBit && vips_image_get_coding(handle) == VIPS_CODING_NONE
      && (hasAlpha ? bands == 2 || bands == 4 : bands == 1 || bands == 3)
      && width * most >= self.width && height * most >= self.height
  }

  /// Resized to exactly this size with a Lanczos kernel, in memory. Alpha is taken into account.
  ///
  /// All rows are read, from the top down: an error of the decoder is thrown here.
  func resampled(width: Int, height: Int) throws(VipsError) -> Raster {
    let result = try blank(width: width, height: height)
    guard let samples = result.handle.pointee.data else { throw VipsError.current() }
    let bands = vips_image_get_bands(handle)
    guard
      let resampler = tessera_image_resampler_new(
        Int32(self.width), Int32(self.height), bands, Int32(width),
        Int32(height), samples)
    else { throw .memory }
    defer { tessera_image_resampler_end(resampler) }
    try forEachRow { tessera_image_resampler_add(resampler, $0, bands) }
    return result
  }

  /// Calls `body` with the samples of each row, from the top down.
  private func forEachRow(_ body: (UnsafePointer<UInt8>) -> Void) throws(VipsError) {
    if let samples = handle.pointee.data {
      let length = width * Int(vips_image_get_bands(handle))
      for row in 0..<height { body(samples + row * length) }
      return
    }
    guard let region = vips_region_new(handle) else { throw VipsError.current() }
    defer { g_object_unref(region) }
    for top in stride(from: 0, to: height, by: Self.strip) {
      let count = min(Self.strip, height - top)
      var area = VipsRect(left: 0, top: Int32(top), width: Int32(width), height: Int32(count))
      guard vips_region_prepare(region, &area) == 0 else { throw VipsError.current() }
      let length = Int(region.pointee.bpl)
      let first = region.pointee.data + length * (top - Int(region.pointee.valid.top))
      for row in 0..<count { body(first + row * length) }
    }
  }
}

/// What our own resampler can do.
enum Resampling {
  /// A kernel covers six times this many rows, which are in memory.
  static let mostReduction = 16
}
