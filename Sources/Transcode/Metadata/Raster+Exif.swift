internal import TesseraPlan

/// Exif blocks. libvips parses and writes Exif within files only, so a tiny JPEG carries them.
extension Raster {
  /// The image's Exif as a block of its own, which begins like a TIFF file; nil if there is none.
  func exifBlock() throws(VipsError) -> [UInt8]? {
    guard blob(Self.exifField) != nil, max(width, height) <= OutputFormat.jpeg.longestSide else {
      return nil
    }
    // The image itself is encoded, not a single pixel, because the block states the image's size.
    let file = try jpeg(quality: 1)
    return file.withBytes { JPEGContainer.exif(in: $0) }
  }

  /// With the Exif fields of a block; unchanged if libvips cannot read the block.
  func withExif(_ block: [UInt8]) throws(VipsError) -> Raster {
    let carrier = try Self.black().jpeg(quality: 50)
    guard let file = carrier.withBytes({ JPEGContainer.adding(exif: block, to: $0) }) else {
      return self
    }
    let other: Raster
    do throws(VipsError) {
      other = try Self.jpeg(file)
    } catch {
      // Damaged Exif is not a reason to reject the image.
      return self
    }
    let copy = try copy()
    for name in try other.fieldNames() where name.hasPrefix("exif-") {
      copy.copyField(name, from: other)
    }
    return copy
  }

  /// With the XMP that libvips 8.14 files under a numbered name in HEIC and AVIF.
  private func withNumberedXMP() throws(VipsError) -> Raster {
    guard blob(Self.xmpField) == nil else { return self }
    for name in try fieldNames() where name.hasPrefix("heif-mime-") {
      guard let bytes = blob(name),
        ["<?xpacket", "<x:xmpmeta"].contains(where: { bytes.starts(with: $0.utf8) })
      else { continue }
      let copy = try copy()
      copy.set(Self.xmpField, Array(bytes))
      return copy
    }
    return self
  }

  /// With the metadata that libvips' loader did not read.
  func with(_ metadata: UnreadMetadata) throws(VipsError) -> Raster {
    var raster = try withNumberedXMP()
    if let exif = metadata.exif, raster.blob(Self.exifField) == nil {
      raster = try raster.withExif(exif)
    }
    for (name, bytes) in [(Self.xmpField, metadata.xmp), (Self.iptcField, metadata.iptc)] {
      guard let bytes, raster.blob(name) == nil else { continue }
      raster = try raster.copy()
      raster.set(name, bytes)
    }
    return raster
  }
}
