internal import TesseraPlan

/// Rewrites the container of an encoded file, one implementation per format.
///
/// This is needed because libvips writes an Exif block into every file that has any metadata at
/// all.
enum OutputContainer {
  /// The file with only the metadata blocks that the policy keeps and the image has. Nil if the
  /// container cannot be read.
  ///
  /// - Parameters:
  ///   - kept: the kinds of metadata that the encoded image has, among those the policy keeps.
  ///   - exif: the image's Exif as a block of its own. Only JPEG XL needs it.
  ///   - xmp: the image's XMP packet.
  static func clean(
    _ bytes: UnsafeRawBufferPointer, _ format: OutputFormat, keeping kept: MetadataPolicy,
    exif: [UInt8]?, xmp: [UInt8]
  ) -> [UInt8]? {
    switch format {
    case .webp: WebPContainer.clean(bytes, keeping: kept)
    case .jpeg: JPEGContainer.clean(bytes, keeping: kept)
    case .png: PNGContainer.clean(bytes, keeping: kept, xmp: xmp)
    case .jxl: JXLContainer.file(Array(bytes), exif: exif, xmp: kept.contains(.xmp) ? xmp : nil)
    // With the saver's "strip" option libheif writes no Exif; the encoder sets it if nothing is
    // kept.
    case .avif, .heic:
      kept.isEmpty ? Array(bytes) : HEIFContainer.clean(Array(bytes), keeping: kept)
    }
  }

  /// The encoded image of a source with the metadata of a file that was made from it. Nil for
  /// formats whose image cannot be separated from the rest of the file.
  static func image(
    of source: UnsafeRawBufferPointer, withMetadataOf result: UnsafeRawBufferPointer,
    _ format: OutputFormat
  ) -> [UInt8]? {
    switch format {
    case .webp: WebPContainer.image(of: source, withMetadataOf: result)
    case .jpeg: JPEGContainer.image(of: source, withMetadataOf: result)
    case .png: PNGContainer.image(of: source, withMetadataOf: result)
    case .jxl, .avif, .heic: nil
    }
  }
}

/// The boxes of a JPEG XL file (ISO/IEC 18181-2). A file without metadata is a bare codestream. The
/// colour profile is part of the codestream.
enum JXLContainer {
  /// The file with these metadata blocks and no other. Nil if its boxes cannot be read.
  ///
  /// - Parameters:
  ///   - exif: a block that begins like a TIFF file; libvips 8.14 itself writes none.
  ///   - xmp: an XMP packet.
  static func file(_ bytes: [UInt8], exif: [UInt8]?, xmp: [UInt8]?) -> [UInt8]? {
    let isCodestream = bytes.starts(with: [0xFF, 0x0A])
    if exif == nil, xmp == nil, isCodestream { return bytes }
    var boxes: [Box]
    if isCodestream {
      boxes = [
        Box(name: "JXL ", body: [0x0D, 0x0A, 0x87, 0x0A]),
        Box(name: "ftyp", body: Array("jxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8)),
        Box(name: "jxlc", body: bytes),
      ]
    } else {
      guard let all = Box.list(bytes[...]) else { return nil }
      boxes = all.filter { !["Exif", "xml ", "brob"].contains($0.name) }
    }
    // Metadata follows the image, so that the first bytes of the file state its size. The body of
    // an Exif box begins with how many bytes to skip.
    if let exif { boxes.append(Box(name: "Exif", body: [0, 0, 0, 0] + exif)) }
    if let xmp { boxes.append(Box(name: "xml ", body: xmp)) }
    return boxes.flatMap(\.bytes)
  }
}
