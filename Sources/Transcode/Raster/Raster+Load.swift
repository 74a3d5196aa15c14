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
    /// JPEG: the shrink factor while decoding: 1, 2, 4 or 8.
    var shrink = 1
    /// WebP: the scale while decoding, at most 1. SVG: the scale of the drawing.
    var scale = 1.0
    var failOn = FailOn.error
    /// BMP and ICO, which are decoded as soon as they are opened: images with more pixels are
    /// rejected.
    var maximumPixels = Int.max
  }

  /// Opens a file with the loader of the given format and no other. libvips decodes the pixels
  /// later, once, from top to bottom.
  static func load(
    _ path: String, format: ImageFormat, _ options: LoadOptions = LoadOptions()
  ) throws(VipsError) -> Raster {
    let frames = Int32(options.frames)
    let level = options.failOn.level
    return switch format {
    case .jpeg: try make { tessera_vips_load_jpeg(path, $0, Int32(options.shrink), level) }
    case .png: try make { tessera_vips_load_png(path, $0, level) }
    case .gif: try make { tessera_vips_load_gif(path, $0, frames, level) }
    case .webp: try make { tessera_vips_load_webp(path, $0, frames, options.scale, level) }
    case .tiff: try make { tessera_vips_load_tiff(path, $0, level) }
    case .heic, .avif: try make { tessera_vips_load_heif(path, $0, level) }
    case .jxl: try make { tessera_vips_load_jxl(path, $0, level) }
    case .jp2: try make { tessera_vips_load_jp2(path, $0, level) }
    // From memory, so that it has no base URL, and references in it lead to no file.
    case .svg: try drawing(try bytes(of: path), scale: options.scale, level)
    case .bmp: try bitmap(try bytes(of: path), options.maximumPixels)
    case .ico: try icon(try bytes(of: path), options.maximumPixels, level)
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

  private static func bytes(of path: String) throws(VipsError) -> [UInt8] {
    do throws(SystemError) {
      return try FileSystem.read(path, limit: 1 << 31)
    } catch {
      throw VipsError(message: error.description)
    }
  }

  private static func drawing(
    _ bytes: [UInt8], scale: Double, _ level: VipsFailOn
  ) throws(VipsError) -> Raster {
    try make { out in
      bytes.withUnsafeBytes { tessera_vips_load_svg($0.baseAddress, $0.count, out, scale, level) }
    }
  }

  private static func bitmap(_ bytes: [UInt8], _ maximumPixels: Int) throws(VipsError) -> Raster {
    let bitmap: Bitmap
    do throws(BitmapError) {
      bitmap = try BMPDecoder.decode(bytes.span, maximumPixels: maximumPixels)
    } catch {
      throw VipsError(message: "the file \(error.reason)")
    }
    return try of(bitmap)
  }

  private static func icon(
    _ bytes: [UInt8], _ maximumPixels: Int, _ level: VipsFailOn
  ) throws(VipsError) -> Raster {
    let content: ICODecoder.Content
    do throws(BitmapError) {
      content = try ICODecoder.decode(bytes.span, maximumPixels: maximumPixels)
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
    try make { out in
      bitmap.samples.withUnsafeBytes {
        tessera_vips_from_samples(
          $0.baseAddress, $0.count, Int32(bitmap.width), Int32(bitmap.height),
          Int32(bitmap.bands), out)
      }
    }
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
