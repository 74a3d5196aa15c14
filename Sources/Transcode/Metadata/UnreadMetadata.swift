internal import TesseraImageHeader

/// Metadata of a source that libvips 8.14 does not read: Exif of TIFF files, Exif and XMP of JPEG
/// XL files, and what PNG files have as text.
struct UnreadMetadata {
  /// A block that begins like a TIFF file.
  var exif: [UInt8]?
  var xmp: [UInt8]?
  /// Photoshop's image resources.
  var iptc: [UInt8]?

  init(of source: SourceData, _ format: ImageFormat) {
    switch format {
    case .tiff: exif = TIFFExif.block(source.read)
    case .jxl: readBoxes(of: source)
    case .png:
      let profiles = PNGProfiles(source.bytes)
      (exif, xmp, iptc) = (profiles.exif.flatMap(Self.shortened), profiles.xmp, profiles.iptc)
    default: break
    }
  }

  /// The longest box that is read. Metadata of real images is far below it.
  private static let maximumBox = 4 << 20

  /// The extent of a box in the file.
  private struct BoxExtent {
    var name: String
    var body: Int
    var end: Int
  }

  /// Reads the metadata boxes of a JPEG XL file (ISO/IEC 18181-2). Compressed ones (`brob`) are
  /// ignored.
  private mutating func readBoxes(of source: SourceData) {
    var offset = 0
    // A bare codestream does not begin with this box, and has no metadata.
    while let box = Self.box(in: source, at: offset), box.name == "JXL " || offset > 0 {
      if ["Exif", "xml "].contains(box.name), box.end - offset <= Self.maximumBox {
        let body = source.read(box.end - box.body, at: box.body)
        guard body.count == box.end - box.body else { return }
        if box.name == "xml " { xmp = body } else { readExif(body) }
      }
      offset = box.end
    }
  }

  private static func box(
    in source: SourceData, at offset: Int
  ) -> BoxExtent? {
    let head = source.read(16, at: offset)
    guard head.count >= 8 else { return nil }
    var length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
    var start = 8
    // 1 announces a 64-bit length after the name (ISO/IEC 14496-12, 4.2).
    if length == 1, head.count == 16 {
      // A length of more than six bytes is larger than any file, and would overflow in sums.
      guard head[8..<10].allSatisfy({ $0 == 0 }) else { return nil }
      length = head[10...].reduce(0) { $0 << 8 | Int($1) }
      start = 16
    }
    // 0 means up to the end of the file: it is the codestream, and no metadata follows it.
    guard length > start else { return nil }
    return BoxExtent(
      name: String(decoding: head[4..<8], as: UTF8.self), body: offset + start,
      end: offset + length)
  }

  /// Reads the body of an `Exif` box: four bytes that state how many to skip, then the block.
  private mutating func readExif(_ body: [UInt8]) {
    guard body.count > 4 else { return }
    let skipped = body[..<4].reduce(0) { $0 << 8 | Int($1) }
    exif = Self.shortened(Array(body.dropFirst(4 + skipped)))
  }

  /// A block that is too long for the other formats is reduced to its short values.
  private static func shortened(_ block: [UInt8]) -> [UInt8]? {
    block.count <= TIFFExif.maximumBytes
      ? block
      : TIFFExif.block { count, offset in Array(block.dropFirst(offset).prefix(count)) }
  }
}
