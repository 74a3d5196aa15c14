internal import Glibc
internal import TesseraCTIFF
internal import TesseraPlan

/// TIFF by libtiff's own interface for images that are shown: red, green, blue and alpha in 8 bits, whatever is stored.
/// It is slower than libvips' loader and has less depth, and knows more kinds.
enum TIFFDecoder {
  static func decode(
    _ source: SourceData, _ maximumPixels: Int, _ failOn: FailOn
  ) throws(VipsError) -> Raster {
    var image = tessera_tiff_image()
    var reason = [CChar](repeating: 0, count: 256)
    let failed = tessera_tiff_decode(
      source.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), source.bytes.count,
      UInt64(maximumPixels), failOn == .error ? 1 : 0, &image, &reason)
    defer {
      free(image.samples)
      free(image.profile)
      free(image.xmp)
      free(image.iptc)
    }
    guard failed == 0, let samples = image.samples else {
      throw VipsError(reason: reason)
    }
    let (width, height) = (Int(image.width), Int(image.height))
    let whole = try Raster.of(
      samples: UnsafeRawBufferPointer(start: samples, count: width * height * 4), width: width,
      height: height, bands: 4)
    let raster = try image.has_alpha == 0 ? whole.withoutAlpha() : whole.unpremultiplied()
    let described = try raster.copy()
    if image.orientation > 1 { described.set(Raster.orientationField, Int(image.orientation)) }
    for (name, bytes, count) in [
      (Raster.profileField, image.profile, image.profile_length),
      (Raster.xmpField, image.xmp, image.xmp_length),
      (Raster.iptcField, image.iptc, image.iptc_length),
    ] {
      if let bytes {
        described.set(name, Array(UnsafeRawBufferPointer(start: bytes, count: count)))
      }
    }
    // A profile of grey is for one band.
    return image.is_grey == 0 || image.profile == nil ? described : try described.inOneBand()
  }
}
