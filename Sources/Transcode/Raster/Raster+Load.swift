internal import TesseraCVips
internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraSystem

/// Opening files and encoded bytes.
extension Raster {
  /// How to load a file. An option that the format does not have is ignored.
  struct LoadOptions {
    /// GIF and WebP: how many frames; -1 for all.
    var frames = 1
    /// JPEG and WebP: the shrink factor while decoding: 1, 2, 4 or 8.
    var shrink = 1
    /// SVG: the scale of the drawing.
    var scale = 1.0
    var failOn = FailOn.error
    /// BMP, ICO, JPEG XL and JPEG 2000, which are decoded as soon as they are opened: images with more
    /// pixels are rejected.
    var maximumPixels = Int.max
  }

  /// Opens a source with the loader of the given format and no other. libvips decodes the pixels
  /// later, once, from top to bottom.
  static func load(
    _ source: SourceData, format: ImageFormat, _ options: LoadOptions = LoadOptions()
  ) throws(VipsError) -> Raster {
    let image = try opened(source, format, options).withOwnBlobs()
    // libvips turns WebP by its Exif, and browsers do not.
    if format == .webp { vips_autorot_remove_angle(image.handle) }
    return image
  }

  private static func opened(
    _ source: SourceData, _ format: ImageFormat, _ options: LoadOptions
  ) throws(VipsError) -> Raster {
    let frames = Int32(options.frames)
    let level = options.failOn.level
    let (bytes, count) = (source.bytes.baseAddress, source.bytes.count)
    return switch format {
    case .jpeg: try make { tessera_vips_load_jpeg(bytes, count, $0, Int32(options.shrink), level) }
    case .png: try make { tessera_vips_load_png(bytes, count, $0, level) }
    case .gif: try make { tessera_vips_load_gif(bytes, count, $0, frames, level) }
    case .webp:
      try make {
        tessera_vips_load_webp(bytes, count, $0, frames, 1 / Double(options.shrink), level)
      }
    case .tiff: try tiff(source, options.maximumPixels, options.failOn)
    case .heic, .avif: try heif(source, level)
    case .jxl, .jp2:
      try LibraryDecoder.decode(source, format, options.maximumPixels, options.failOn)
    case .svg: try drawing(source, options.scale, level)
    case .bmp: try bitmap(source, options.maximumPixels)
    case .ico: try icon(source, options.maximumPixels, level)
    case .psd, .qoi, .pnm, .dds, .tga, .exr, .icns:
      throw VipsError(message: "no decoder for \(format.displayName)")
    }
  }

  /// Opens the bytes of a JPEG file that this process has made.
  static func jpeg(_ bytes: [UInt8]) throws(VipsError) -> Raster {
    try make { out in
      bytes.withUnsafeBytes { tessera_vips_load_jpeg_bytes($0.baseAddress, $0.count, out) }
    }
  }

  private static func bitmap(_ source: SourceData, _ maximumPixels: Int) throws(VipsError) -> Raster
  {
    let bitmap: Bitmap
    do throws(BitmapError) {
      bitmap = try BMPDecoder.decode(source.span, maximumPixels: maximumPixels)
    } catch {
      throw VipsError(message: "the file \(error.reason)")
    }
    return try of(bitmap)
  }

  private static func tiff(
    _ source: SourceData, _ maximumPixels: Int, _ failOn: FailOn
  ) throws(VipsError) -> Raster {
    // libvips 8.14 shows luma and chroma as red, green and blue, unless JPEG converts them.
    if let coded = source.header?.coded, isForLibtiff(coded) {
      return try TIFFDecoder.decode(source, maximumPixels, failOn)
    }
    do throws(VipsError) {
      return try make {
        tessera_vips_load_tiff(source.bytes.baseAddress, source.bytes.count, $0, failOn.level)
      }
    } catch {
      // Chroma in fewer samples than luma, tiles of separate planes: kinds that libvips does not have.
      guard let decoded = try? TIFFDecoder.decode(source, maximumPixels, failOn) else {
        throw error
      }
      return decoded
    }
  }

  /// YCbCr (6) that is not compressed as JPEG (7), and the logarithms of light (32844, 32845).
  private static func isForLibtiff(_ coded: CodedSamples) -> Bool {
    coded.photometric == 6 && coded.compression != 7 || [32844, 32845].contains(coded.photometric)
  }

  private static func heif(
    _ source: SourceData, _ level: VipsFailOn
  ) throws(VipsError) -> Raster {
    guard let bytes = source.edited() else {
      return try make {
        tessera_vips_load_heif(source.bytes.baseAddress, source.bytes.count, $0, level)
      }
    }
    return try make { out in
      bytes.withUnsafeBytes { tessera_vips_load_heif_bytes($0.baseAddress, $0.count, out, level) }
    }
  }

  private static func drawing(
    _ source: SourceData, _ scale: Double, _ level: VipsFailOn
  ) throws(VipsError) -> Raster {
    let bytes = source.edited() ?? Array(source.bytes)
    return try make { out in
      bytes.withUnsafeBytes {
        tessera_vips_load_svg_bytes($0.baseAddress, $0.count, out, scale, level)
      }
    }
  }

  private static func icon(
    _ source: SourceData, _ maximumPixels: Int, _ level: VipsFailOn
  ) throws(VipsError) -> Raster {
    let content: ICODecoder.Content
    do throws(BitmapError) {
      content = try ICODecoder.decode(source.span, maximumPixels: maximumPixels)
    } catch {
      throw VipsError(message: "the file \(error.reason)")
    }
    switch content {
    case .bitmap(let bitmap): return try of(bitmap)
    case .png(let bytes):
      return try make { out in
        bytes.withUnsafeBytes { tessera_vips_load_png_bytes($0.baseAddress, $0.count, out, level) }
      }
    }
  }

  private static func of(_ bitmap: Bitmap) throws(VipsError) -> Raster {
    let raster = try of(
      samples: bitmap.samples, width: bitmap.width, height: bitmap.height, bands: bitmap.bands)
    raster.set(profileField, bitmap.profile)
    return raster
  }
}

extension FailOn {
  fileprivate var level: VipsFailOn {
    switch self {
    case .none: VIPS_FAIL_ON_NONE
    case .truncated: VIPS_FAIL_ON_TRUNCATED
    case .error: VIPS_FAIL_ON_ERROR
    }
  }
}
