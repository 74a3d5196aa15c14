internal import TesseraPlan

/// Takes out of encoded files what libvips puts in unasked: it writes an Exif block into whatever has any
/// metadata at all.
enum Containers {
  /// The file with those blocks alone that the policy asks for and the picture has. Nil where the file can't be
  /// read.
  ///
  /// - Parameters:
  ///   - kept: what the picture that was encoded has of the policy.
  ///   - exif: its Exif, as a block of its own. Asked for of JPEG XL alone.
  ///   - xmp: its XMP packet.
  static func clean(
    _ bytes: UnsafeRawBufferPointer, _ format: OutputFormat, keeping kept: MetadataPolicy,
    exif: [UInt8]?, xmp: [UInt8]
  ) -> [UInt8]? {
    switch format {
    case .webp: WebPContainer.clean(bytes, keeping: kept)
    case .jpeg: JPEGContainer.clean(bytes, keeping: kept)
    case .png: PNGContainer.clean(bytes, keeping: kept, xmp: xmp)
    case .jxl: JXLContainer.file(Array(bytes), exif: exif, xmp: kept.contains(.xmp) ? xmp : nil)
    // libheif writes no Exif where libvips is told to strip, and it is told so where nothing is kept.
    case .avif: kept.isEmpty ? Array(bytes) : AVIFContainer.clean(Array(bytes), keeping: kept)
    }
  }

  /// The picture as it is stored in a source, with the metadata of a file that was made of it. Nil of formats
  /// where pictures can't be told from what else there is.
  static func picture(
    of source: UnsafeRawBufferPointer, describedAs described: UnsafeRawBufferPointer,
    _ format: OutputFormat
  ) -> [UInt8]? {
    switch format {
    case .webp: WebPContainer.picture(of: source, describedAs: described)
    case .jpeg: JPEGContainer.picture(of: source, describedAs: described)
    case .png: PNGContainer.picture(of: source, describedAs: described)
    case .jxl, .avif: nil
    }
  }
}
