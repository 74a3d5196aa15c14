internal import TesseraCVips
internal import TesseraImageHeader

/// A decoder of our own for the usual files of a format.
protocol Lane {
  /// As stored, once a palette is applied. Two and four bands have alpha.
  var header: (width: Int, height: Int, bands: Int) { get }
}

extension Lane {
  /// What libvips would find in the file's header, without samples: to open a small file with libvips takes longer than to
  /// decode it.
  ///
  /// - Returns: nil if there is more to it: a profile, an animation, or a size that our own reader of headers does not find.
  func described(_ source: SourceData) throws(VipsError) -> Raster? {
    guard let found = source.header, !found.hasICCProfile, found.frames == nil,
      found.pixelWidth == header.width, found.pixelHeight == header.height
    else { return nil }
    return try .described(
      width: header.width, height: header.height, bands: header.bands,
      orientation: found.orientation.rawValue)
  }

  /// Whether libvips has found the same in the header.
  func isLike(_ opened: Raster) -> Bool {
    opened.isEightBit && opened.width == header.width && opened.height == header.height
      && vips_image_get_bands(opened.handle) == header.bands
  }
}
