internal import TesseraPlan

/// An upright image in memory, from which smaller ones and files are made.
///
/// It has planes, a raster or both. What is made of planes has planes, because that is faster; the
/// raster is made of them when it is needed.
final class Frame {
  let size: Size
  /// In sRGB, if there are any.
  let planes: Planes?
  /// What the raster takes its metadata from.
  private let origin: Raster?
  private var known: Raster?

  init(_ raster: Raster) {
    size = Size(raster.width, raster.height)
    (planes, origin, known) = (nil, nil, raster)
  }

  /// - Parameter origin: the source, in any size.
  init(_ planes: Planes, of origin: Raster) {
    size = Size(planes.width, planes.height)
    (self.planes, self.origin, known) = (planes, origin, nil)
  }

  /// With the source's metadata.
  func raster() throws(VipsError) -> Raster {
    if let known { return known }
    guard let planes, let origin else { throw VipsError(message: "the frame has no pixels") }
    let raster = try planes.raster(of: origin)
    known = raster
    return raster
  }

  /// A part of it, reduced to a size.
  ///
  /// - Parameter asRaster: whether it gets no planes.
  func reduced(
    _ part: Part, to size: Size, asRaster: Bool = false
  ) throws(VipsError) -> Frame {
    let isWhole = part == Part(x: 0, y: 0, width: self.size.width, height: self.size.height)
    if let planes, let origin, !asRaster {
      return isWhole && size == self.size
        ? self : Frame(try planes.reduced(part, to: size), of: origin)
    }
    let raster = try raster()
    if isWhole && size == self.size { return planes == nil ? self : Frame(raster) }
    let cut =
      isWhole
      ? raster
      : try raster.extracted(x: part.x, y: part.y, width: part.width, height: part.height)
    return Frame(try cut.resized(width: size.width, height: size.height).inMemory())
  }
}
