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
