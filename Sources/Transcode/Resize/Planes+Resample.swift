internal import TesseraCPixels
internal import TesseraPlan

extension Planes {
  /// A part of it, reduced to a size with a Lanczos kernel.
  func reduced(_ part: Part, to size: Size) throws(VipsError) -> Planes {
    guard let result = Planes(size, isGrey: isGrey) else { throw .memory }
    let across = tessera_axis(
      source: Int32(part.width), result: Int32(size.width), start: 0,
      step: Double(part.width) / Double(size.width))
    let down = tessera_axis(
      source: Int32(part.height), result: Int32(size.height), start: 0,
      step: Double(part.height) / Double(size.height))
    for (source, target) in zip(coloured, result.coloured) {
      guard let resampler = tessera_resampler_new(across, down, 0, target, size.width, 1) else {
        throw .memory
      }
      defer { tessera_resampler_free(resampler) }
      for row in part.y..<part.y + part.height {
        tessera_resampler_add_row(resampler, source + row * width + part.x)
      }
    }
    return result
  }
}
