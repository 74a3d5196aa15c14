/// The boxes of a JPEG XL file (ISO/IEC 18181-2). One without metadata is a bare codestream. The colour
/// profile is in the codestream itself.
enum JXLContainer {
  /// - Parameters:
  ///   - exif: a block that begins as a TIFF file does; libvips 8.14 writes none of its own.
  ///   - xmp: a packet.
  static func file(_ bytes: [UInt8], exif: [UInt8]?, xmp: [UInt8]?) -> [UInt8]? {
    var boxes: [Box]
    if bytes.starts(with: [0xFF, 0x0A]) {
      boxes = [
        Box(name: "JXL ", body: [0x0D, 0x0A, 0x87, 0x0A]),
        Box(name: "ftyp", body: Array("jxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8)),
        Box(name: "jxlc", body: bytes),
      ]
    } else {
      guard let all = Box.list(bytes[...]) else { return nil }
      boxes = all.filter { !["Exif", "xml ", "brob"].contains($0.name) }
    }
    // Behind the picture, whose first bytes tell its size. Exif's begin with how many to skip.
    if let exif { boxes.append(Box(name: "Exif", body: [0, 0, 0, 0] + exif)) }
    if let xmp { boxes.append(Box(name: "xml ", body: xmp)) }
    if exif == nil, xmp == nil, bytes.starts(with: [0xFF, 0x0A]) { return bytes }
    return boxes.flatMap(\.bytes)
  }
}
