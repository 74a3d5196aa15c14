internal import TesseraCVips

/// Encoding into memory. Every saver writes all metadata fields that the raster has; AVIF, HEIC and JPEG
/// XL also take an option to write none.
extension Raster {
  func webp(quality: Int, effort: Int, alphaQuality: Int) throws(VipsError) -> EncodedBytes {
    try EncodedBytes {
      tessera_vips_save_webp(handle, $0, $1, Int32(quality), Int32(effort), Int32(alphaQuality))
    }
  }

  func jpeg(quality: Int) throws(VipsError) -> EncodedBytes {
    try EncodedBytes { tessera_vips_save_jpeg(handle, $0, $1, Int32(quality)) }
  }

  func avif(quality: Int, effort: Int, strips: Bool) throws(VipsError) -> EncodedBytes {
    try EncodedBytes {
      tessera_vips_save_avif(handle, $0, $1, Int32(quality), Int32(effort), strips ? 1 : 0)
    }
  }

  /// - Parameter quality: of libheif's own scale.
  func heic(quality: Int, strips: Bool) throws(VipsError) -> EncodedBytes {
    try EncodedBytes { tessera_vips_save_heic(handle, $0, $1, Int32(quality), strips ? 1 : 0) }
  }

  func jxl(quality: Int, effort: Int, strips: Bool) throws(VipsError) -> EncodedBytes {
    try EncodedBytes {
      tessera_vips_save_jxl(handle, $0, $1, Int32(quality), Int32(effort), strips ? 1 : 0)
    }
  }

  func png() throws(VipsError) -> EncodedBytes {
    try EncodedBytes { tessera_vips_save_png(handle, $0, $1) }
  }
}

/// An encoded file in memory that libvips allocated; freed at the end of its scope.
struct EncodedBytes: ~Copyable {
  private let data: UnsafeMutableRawPointer
  private let count: Int

  fileprivate init(
    _ save: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutablePointer<Int>) -> Int32
  ) throws(VipsError) {
    var data: UnsafeMutableRawPointer?
    var count = 0
    vips_error_clear()
    guard save(&data, &count) == 0, let data else { throw VipsError.current() }
    self.data = data
    self.count = count
  }

  deinit { g_free(data) }

  func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(UnsafeRawBufferPointer(start: data, count: count))
  }
}
