/// Maps each format to its reader. The only file, besides ``Signature``, that knows all formats.
enum FormatTable {
  static func reader(of format: ImageFormat) -> any FormatReading.Type {
    switch format {
    case .jpeg: JPEGHeader.self
    case .png: PNGHeader.self
    case .gif: GIFHeader.self
    case .webp: WebPHeader.self
    case .bmp: BMPHeader.self
    case .tiff: TIFFHeader.self
    case .heic: HEICHeader.self
    case .avif: AVIFHeader.self
    case .jxl: JPEGXLHeader.self
    case .jp2: JPEG2000Header.self
    case .ico: ICOHeader.self
    case .psd: PSDHeader.self
    case .svg: SVGHeader.self
    case .qoi: QOIHeader.self
    case .pnm: PNMHeader.self
    case .dds: DDSHeader.self
    case .tga: TGAHeader.self
    case .exr: EXRHeader.self
    case .icns: ICNSHeader.self
    }
  }
}

/// Recognizes the format of a file by its first bytes. File name, extension and Content-Type do not
/// count: they are claims, and the bytes are what a decoder reads.
enum Signature {
  /// The number of bytes that hold every signature in this file, except those that continue a
  /// recognized beginning (the brands of ISO base media files, the prolog of SVG).
  static let longest = 32

  /// The format; nil if the bytes are not a recognized image.
  static func format(of file: borrowing HeaderView) throws(HeaderStop) -> ImageFormat? {
    let count = min(longest, file.fileSize ?? longest)
    try file.require(0..<count)
    guard count >= 4 else { return nil }
    if let format = try fixedSignature(file, count: count) { return format }
    if count >= 8, try file.big32(4) == 0x6674_7970 {  // ftyp
      if let format = try HEIFBrand.format(of: file) { return format }
    }
    if try SVGRoot.isLikely(file) { return .svg }
    // Last, because TGA has no signature and any bytes may look like it. "<" starts a web page.
    guard count >= 18, try file.byte(0) != UInt8(ascii: "<") else { return nil }
    return try TGAHeader.isLikely(file) ? .tga : nil
  }

  /// The formats whose first bytes are constant. The first four decide which others to compare.
  private static func fixedSignature(
    _ file: borrowing HeaderView, count: Int
  ) throws(HeaderStop) -> ImageFormat? {
    func second() throws(HeaderStop) -> Int { count >= 8 ? try file.big32(4) : 0 }
    func third() throws(HeaderStop) -> Int { count >= 12 ? try file.big32(8) : 0 }
    switch try file.big32(0) {
    case 0xFFD8_FF00...0xFFD8_FFFF: return .jpeg  // SOI and the next marker's first byte
    case 0x8950_4E47: return try second() == 0x0D0A_1A0A ? .png : nil  // .PNG, CR LF SUB LF
    case 0x4749_4638:  // GIF8, then 7a or 9a
      return [0x3761, 0x3961].contains(try second() >> 16) ? .gif : nil
    case 0x5249_4646: return try third() == 0x5745_4250 ? .webp : nil  // RIFF, length, WEBP
    case 0x4949_2A00, 0x4949_2B00, 0x4D4D_002A, 0x4D4D_002B: return .tiff  // 42; 43 is BigTIFF
    case 0xFF0A_0000...0xFF0A_FFFF: return .jxl  // a bare code stream
    case 0xFF4F_FF51: return .jp2  // SOC and SIZ: a bare code stream
    case 0x0000_000C:  // the signature box that JPEG XL and JPEG 2000 files begin with
      guard try third() == 0x0D0A_870A else { return nil }
      return switch try second() {
      case 0x4A58_4C20: .jxl  // "JXL "
      case 0x6A50_2020: .jp2  // "jP  "
      default: nil
      }
    case 0x3842_5053: return .psd  // 8BPS
    case 0x716F_6966: return .qoi  // qoif
    case 0x4444_5320: return .dds  // "DDS "
    case 0x762F_3101: return .exr
    case 0x6963_6E73: return .icns  // icns
    case 0x424D_0000...0x424D_FFFF where count > 18:  // BM
      return try BMPHeader.isLength(file.little32(14)) ? .bmp : nil
    case 0x0000_0100, 0x0000_0200:  // an icon or a cursor, and how many images it has
      // Other files whose first four bytes are a length would state more.
      guard count >= 6 else { return nil }
      return ICOHeader.counts.contains(try file.little16(4)) ? .ico : nil
    case 0x5031_0000...0x5037_FFFF, 0x5046_0000...0x5046_FFFF, 0x5066_0000...0x5066_FFFF:
      // P1 to P7, PF or Pf, then a blank or a comment
      let next = try file.byte(2)
      return ASCII.isBlank(next) || next == UInt8(ascii: "#") ? .pnm : nil
    default: return nil
    }
  }
}
