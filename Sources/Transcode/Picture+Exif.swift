internal import TesseraCVips
internal import TesseraPlan

/// libvips reads and writes Exif within files alone. A JPEG is the smallest that has it.
extension Picture {
  /// The Exif of the picture as a block of its own, which begins as a TIFF file does; nil where there is none.
  func exifBlock() throws(VipsError) -> [UInt8]? {
    guard blob("exif-data") != nil, max(width, height) <= OutputFormat.jpeg.longestSide else {
      return nil
    }
    // The block tells the picture's size.
    let file = try jpeg(quality: 1)
    return file.withBytes { JPEGContainer.exif(in: $0) }
  }

  /// With the Exif of a block, where libvips can read it.
  func withExif(_ block: [UInt8]) throws(VipsError) -> Picture {
    let carrier = try Self.make { tessera_vips_black($0) }.jpeg(quality: 50)
    guard let file = carrier.withBytes({ JPEGContainer.adding(exif: block, to: $0) }) else {
      return self
    }
    let other: Picture
    do throws(VipsError) {
      other = try Self.make { out in
        file.withUnsafeBytes { tessera_vips_load_jpeg_bytes($0.baseAddress, $0.count, out) }
      }
    } catch {
      // Exif that is no Exif is no reason to refuse a picture.
      return self
    }
    let copy = try Self.make { tessera_vips_copy_plain(image, $0) }
    guard let names = vips_image_get_fields(other.image) else { throw VipsError.current() }
    defer { g_strfreev(names) }
    var index = 0
    while let name = names[index] {
      if String(cString: name).hasPrefix("exif-") {
        tessera_vips_copy_field(other.image, copy.image, name)
      }
      index += 1
    }
    return copy
  }

  /// With XMP that libvips 8.14 has put under a number, as it does in HEIC and AVIF.
  func withNumberedXMP() throws(VipsError) -> Picture {
    guard blob("xmp-data") == nil, let names = vips_image_get_fields(image) else { return self }
    defer { g_strfreev(names) }
    var index = 0
    while let name = names[index] {
      index += 1
      let text = String(cString: name)
      guard text.hasPrefix("heif-mime-"), let bytes = blob(text),
        ["<?xpacket", "<x:xmpmeta"].contains(where: { bytes.starts(with: $0.utf8) })
      else { continue }
      let copy = try Self.make { tessera_vips_copy_plain(image, $0) }
      copy.set("xmp-data", Array(bytes))
      return copy
    }
    return self
  }

  /// With metadata that its loader did not read.
  func with(_ metadata: UnreadMetadata) throws(VipsError) -> Picture {
    var picture = try withNumberedXMP()
    if let exif = metadata.exif { picture = try picture.withExif(exif) }
    if let xmp = metadata.xmp {
      picture = try Self.make { tessera_vips_copy_plain(picture.image, $0) }
      picture.set("xmp-data", xmp)
    }
    return picture
  }
}
