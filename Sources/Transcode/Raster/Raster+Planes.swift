internal import TesseraCPixels
internal import TesseraCVips

extension Planes {
  /// Converted to red, green and blue, or to one band if it is grey.
  ///
  /// - Parameter origin: the source of the planes, in any size: the metadata is taken from it.
  func raster(of origin: Raster) throws(VipsError) -> Raster {
    let result = try origin.blank(width: width, height: height)
    vips_autorot_remove_angle(result.handle)
    guard let samples = result.handle.pointee.data else { throw .memory }
    if isGrey, vips_image_get_bands(result.handle) == 1 {
      samples.update(from: luma, count: width * height)
      return result
    }
    guard vips_image_get_bands(result.handle) == 3 else {
      throw VipsError(message: "the decoders do not agree on the number of bands")
    }
    tessera_planes_to_rgb(luma, blue, red, width * height, samples)
    return result
  }
}
