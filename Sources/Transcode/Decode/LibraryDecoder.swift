internal import Glibc
internal import TesseraCDecoders
internal import TesseraImageHeader
internal import TesseraPlan

/// JPEG XL and JPEG 2000 by their own libraries. libvips 8.14 shows the last layer of an animation, keeps colours multiplied
/// by alpha, takes inks for colours, and reads tiles at the wrong place where the image does not begin at the origin.
enum LibraryDecoder {
  static func decode(
    _ source: SourceData, _ format: ImageFormat, _ maximumPixels: Int, _ failOn: FailOn
  ) throws(VipsError) -> Raster {
    var image = tessera_decoded_image()
    var reason = [CChar](repeating: 0, count: 256)
    let bytes = source.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let (count, most) = (source.bytes.count, UInt64(maximumPixels))
    let failed =
      format == .jxl
      ? tessera_jxl_decode(bytes, count, most, &image, &reason)
      : tessera_jp2_decode(bytes, count, most, failOn == .error ? 1 : 0, &image, &reason)
    defer { free(image.profile) }
    guard failed == 0, let samples = image.samples else { throw VipsError(reason: reason) }
    let raster = try Raster.owning(
      samples, width: Int(image.width), height: Int(image.height), bands: Int(image.bands),
      isWide: image.is_wide != 0, isCMYK: image.colours == tessera_cmyk)
    if let profile = image.profile {
      raster.set(
        Raster.profileField,
        Array(UnsafeRawBufferPointer(start: profile, count: image.profile_length)))
    }
    return image.is_premultiplied == 0 ? raster : try raster.inEightBits().unpremultiplied()
  }
}
