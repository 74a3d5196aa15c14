internal import TesseraCVips

/// A libvips image: a description of pixels that libvips computes on demand.
///
/// A raster owns one reference to its `VipsImage`. Each operation returns a new raster and leaves
/// the receiver unchanged. If an operation fails, it throws libvips' own message.
final class Raster {
  /// The owned reference. Only the files in this folder use it.
  let handle: UnsafeMutablePointer<VipsImage>

  init(_ handle: UnsafeMutablePointer<VipsImage>) { self.handle = handle }

  deinit { tessera_vips_unref(handle) }

  /// Runs an operation of libvips that returns an image through a pointer.
  static func make(
    _ operation: (UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
  ) throws(VipsError) -> Raster {
    var out: UnsafeMutablePointer<VipsImage>?
    // Queries may leave messages in the buffer; they must not be reported as this call's.
    vips_error_clear()
    guard operation(&out) == 0, let out else { throw VipsError.current() }
    return Raster(out)
  }

  /// A copy of the description, which shares the pixels, so that fields can be set without
  /// affecting the receiver.
  func copy() throws(VipsError) -> Raster {
    try Self.make { tessera_vips_copy_plain(handle, $0) }
  }

  /// All pixels computed and held in memory.
  func inMemory() throws(VipsError) -> Raster {
    vips_error_clear()
    guard let copy = vips_image_copy_memory(handle) else { throw VipsError.current() }
    return Raster(copy)
  }

  /// An image in memory like this one, of another size and without values.
  ///
  /// - Parameter bands: fewer than this one has if its alpha is left out.
  func blank(width: Int, height: Int, bands: Int32? = nil) throws(VipsError) -> Raster {
    let result = try Self.make { out in
      out.pointee = vips_image_new_memory()
      var inputs: [UnsafeMutablePointer<VipsImage>?] = [handle, nil]
      return vips_image_pipeline_array(out.pointee, VIPS_DEMAND_STYLE_ANY, &inputs)
    }
    result.handle.pointee.Xsize = Int32(width)
    result.handle.pointee.Ysize = Int32(height)
    if let bands { result.handle.pointee.Bands = bands }
    vips_error_clear()
    guard vips_image_write_prepare(result.handle) == 0 else { throw VipsError.current() }
    return result
  }

  /// What is known of an 8-bit image in sRGB or grey, without its samples.
  ///
  /// - Parameter bands: two and four have alpha.
  static func described(
    width: Int, height: Int, bands: Int
  ) throws(VipsError) -> Raster {
    let kind = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB
    return try make { out in
      out.pointee = vips_image_new()
      vips_image_init_fields(
        out.pointee, Int32(width), Int32(height), Int32(bands), VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
        kind, 1, 1)
      return 0
    }
  }

  /// One black pixel.
  static func black() throws(VipsError) -> Raster { try make { tessera_vips_black($0) } }
}

// MARK: Properties

extension Raster {
  var width: Int { Int(vips_image_get_width(handle)) }
  /// Of all loaded frames, which libvips holds one below the other.
  var height: Int { Int(vips_image_get_height(handle)) }
  /// Of one frame.
  var pageHeight: Int { Int(tessera_vips_number(handle, "page-height", Int32(height))) }
  /// Frames in the file, loaded or not.
  var frameCount: Int { Int(tessera_vips_number(handle, "n-pages", 1)) }
  var hasAlpha: Bool { vips_image_hasalpha(handle) != 0 }
  /// Whether the orientation exchanges width and height (Exif values 5 to 8).
  var swapsSides: Bool { vips_image_get_orientation_swap(handle) != 0 }
  /// The Exif orientation, 1 to 8.
  var orientation: Int { Int(vips_image_get_orientation(handle)) }
  var isEightBit: Bool { vips_image_get_format(handle) == VIPS_FORMAT_UCHAR }
}

extension Raster {
  /// Calls `body` with the samples of an image in 8-bit sRGB, row by row without gaps: three bands, or four with alpha.
  func withSamples<Value>(
    _ body: (_ samples: UnsafeBufferPointer<UInt8>, _ bands: Int) -> Value
  ) throws(VipsError) -> Value {
    let isSRGB = isEightBit && vips_image_get_interpretation(handle) == VIPS_INTERPRETATION_sRGB
    let image = try (isSRGB ? self : convertedToSRGB()).inMemory()
    let bands = Int(vips_image_get_bands(image.handle))
    guard image.isEightBit, bands == 3 || bands == 4, let start = image.handle.pointee.data else {
      throw VipsError(message: "the image has no samples of sRGB")
    }
    return withExtendedLifetime(image) {
      body(
        UnsafeBufferPointer(
          start: start, count: width * height * bands), bands)
    }
  }

  /// An image of samples that were allocated with malloc(3), and are freed with it.
  ///
  /// - Parameter bands: grey, red, green and blue, or inks; one more is alpha.
  static func owning(
    _ samples: UnsafeMutableRawPointer, width: Int, height: Int, bands: Int, isWide: Bool,
    isCMYK: Bool
  ) throws(VipsError) -> Raster {
    let kind =
      isCMYK
      ? VIPS_INTERPRETATION_CMYK
      : bands < 3
        ? isWide ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W
        : isWide ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB
    return try make {
      tessera_vips_from_owned_samples(
        samples, Int32(width), Int32(height), Int32(bands),
        isWide ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR, kind, $0)
    }
  }

  /// An image of samples in 8-bit sRGB: three bands, or four with alpha.
  static func of(
    samples: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int
  ) throws(VipsError) -> Raster {
    try make {
      tessera_vips_from_samples(
        samples.baseAddress, samples.count, Int32(width), Int32(height), Int32(bands), $0)
    }
  }

  static func of(
    samples: [UInt8], width: Int, height: Int, bands: Int
  ) throws(VipsError) -> Raster {
    let made = samples.withUnsafeBytes { samples in
      Result { () throws(VipsError) in
        try of(samples: samples, width: width, height: height, bands: bands)
      }
    }
    return try made.get()
  }
}

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
