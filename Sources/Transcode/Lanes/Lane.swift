internal import TesseraCVips
internal import TesseraPlan

/// A decoder of our own for the usual files of a format.
protocol Lane {
  /// As stored, once a palette is applied. Two and four bands have alpha.
  var header: (width: Int, height: Int, bands: Int) { get }
  /// Whether there is nothing that libvips has to read: no profile, no Exif, no animation.
  var isPlain: Bool { get }

  /// The image resized, in memory; upright, or still with its orientation. To be called once.
  ///
  /// - Parameters:
  ///   - origin: the opened source, which has its metadata.
  ///   - shrink: how much of the reduction a decoder can do: 1, 2, 4 or 8.
  ///   - size: upright.
  /// - Returns: nil if the pixels are damaged in any way, or reduced too much, and if memory does not suffice. libvips
  ///   then says what is wrong with the file, or decodes it.
  func decode(like origin: Raster, shrink: Int, to size: Size) throws(VipsError) -> Raster?
}

extension Lane {
  /// What libvips would find in the header of a plain file, without samples: to open a small file with libvips takes longer
  /// than to decode it.
  ///
  /// - Returns: nil if the file is not plain, or larger than libvips supports.
  func described() throws(VipsError) -> Raster? {
    let (width, height, bands) = header
    guard isPlain, max(width, height) <= SourceFacts.maximumSide else { return nil }
    return try .described(width: width, height: height, bands: bands)
  }

  /// Whether libvips has found the same in the header.
  func isLike(_ opened: Raster) -> Bool {
    opened.isEightBit && opened.width == header.width && opened.height == header.height
      && vips_image_get_bands(opened.handle) == header.bands
  }
}
