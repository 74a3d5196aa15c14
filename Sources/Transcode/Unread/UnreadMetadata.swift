internal import TesseraImageHeader
internal import TesseraSystem

/// Metadata of a source that libvips 8.14 does not read: Exif of a TIFF, Exif and XMP of a JPEG XL file.
struct UnreadMetadata {
  /// A block that begins as a TIFF file does.
  var exif: [UInt8]?
  var xmp: [UInt8]?

  init(of path: String, _ format: ImageFormat) throws(SystemError) {
    guard format == .tiff || format == .jxl else { return }
    let file = try File(path, .read)
    if format == .tiff {
      exif = try TIFFExif.block { count, offset throws(SystemError) in
        try file.read(count, at: offset)
      }
    } else {
      try readBoxes(of: file)
    }
  }

  private static let mostBytes = 4 << 20

  /// Boxes that are packed (`brob`) are left alone.
  private mutating func readBoxes(of file: borrowing File) throws(SystemError) {
    var offset = 0
    while true {
      let head = try file.read(16, at: offset)
      guard head.count >= 8 else { return }
      var length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: head[4..<8], as: UTF8.self)
      var start = 8
      if length == 1, head.count == 16 {
        // No file has a length of more than six bytes.
        guard head[8..<10].allSatisfy({ $0 == 0 }) else { return }
        length = head[10...].reduce(0) { $0 << 8 | Int($1) }
        start = 16
      }
      // 0 means up to the end, and what ends there has no metadata behind it.
      guard length > start, name == "JXL " || offset > 0 else { return }
      if ["Exif", "xml "].contains(name), length <= Self.mostBytes {
        let body = try file.read(length - start, at: offset + start)
        guard body.count == length - start else { return }
        if name == "xml " {
          xmp = body
        } else if body.count > 4 {
          // How many bytes stand before the block.
          let skipped = body[..<4].reduce(0) { $0 << 8 | Int($1) }
          let block = Array(body.dropFirst(4 + skipped))
          // Of one that is too long for the other formats what is short in it.
          exif =
            block.count <= TIFFExif.mostBytes
            ? block
            : try TIFFExif.block { count, offset throws(SystemError) in
              Array(block.dropFirst(offset).prefix(count))
            }
        }
      }
      offset += length
    }
  }
}
