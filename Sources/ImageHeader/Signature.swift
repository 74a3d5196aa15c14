/// Tells formats apart by their first bytes. Names, extensions and Content-Type are not asked:
/// they are claims, the bytes are what a decoder will see.
enum Signature {
  /// No signature that is looked for here lies beyond these bytes.
  static let reach = 32

  static func format(of file: borrowing HeaderView) throws(HeaderStop) -> ImageFormat? {
    let count = min(reach, file.fileSize ?? reach)
    try file.require(0..<count)
    guard count >= 4 else { return nil }
    let first = try file.big32(0)
    func second() throws(HeaderStop) -> Int { count >= 8 ? try file.big32(4) : 0 }
    func third() throws(HeaderStop) -> Int { count >= 12 ? try file.big32(8) : 0 }
    switch first {
    case 0xFFD8_FF00...0xFFD8_FFFF: return .jpeg
    case 0x8950_4E47: if try second() == 0x0D0A_1A0A { return .png }  // .PNG
    case 0x4749_4638:  // GIF8
      if [0x3761, 0x3961].contains(try second() >> 16) { return .gif }  // 7a, 9a
    case 0x5249_4646: if try third() == 0x5745_4250 { return .webp }  // RIFF, WEBP
    case 0x4949_2A00, 0x4949_2B00, 0x4D4D_002A, 0x4D4D_002B: return .tiff  // II*, MM*; 43 is Big
    case 0xFF0A_0000...0xFF0A_FFFF: return .jxl
    case 0xFF4F_FF51: return .jp2
    case 0x0000_000C:
      guard try third() == 0x0D0A_870A else { break }
      if try second() == 0x4A58_4C20 { return .jxl }  // JXL
      if try second() == 0x6A50_2020 { return .jp2 }  // jP
    case 0x3842_5053: return .psd  // 8BPS
    case 0x716F_6966: return .qoi  // qoif
    case 0x4444_5320: return .dds  // DDS
    case 0x762F_3101: return .exr
    case 0x6963_6E73: return .icns  // icns
    case 0x424D_0000...0x424D_FFFF where count > 18:  // BM; the information header's length follows
      if try BMPHeader.isLength(file.little32(14)) { return .bmp }
    case 0x0000_0100, 0x0000_0200:  // an icon, a cursor; and how many in it
      if count >= 6, try file.byte(4) != 0 { return .ico }
    case 0x5031_0000...0x5037_FFFF, 0x5046_0000...0x5046_FFFF, 0x5066_0000...0x5066_FFFF:
      // P1 to P7, PF and Pf; a blank or a comment
      let next = try file.byte(2)
      if isSpace(next) || next == UInt8(ascii: "#") { return .pnm }
    default: break
    }
    if try second() == 0x6674_7970, let format = try isoFormat(file) { return format }  // ftyp
    if try isSVG(file) { return .svg }
    guard count >= 18, try file.byte(0) != UInt8(ascii: "<") else { return nil }
    return try TGAHeader.isLikely(file) ? .tga : nil
  }

  /// The brands of ISO base media files that hold pictures (ISO/IEC 23008-12, AVIF 1.1). A file of
  /// a general brand, `mif1` mostly, tells in its other brands what it holds.
  private static func isoFormat(
    _ file: borrowing HeaderView
  ) throws(HeaderStop) -> ImageFormat? {
    let length = try file.big32(0)
    let avif = [Box.type("avif"), Box.type("avis")]
    let heic = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"] as [StaticString]
    let known = heic.map { Box.type($0) }
    let general = [Box.type("mif1"), Box.type("msf1"), Box.type("miaf"), Box.type("1pic")]
    let major = try file.big32(8)
    if avif.contains(major) { return .avif }
    if known.contains(major) { return .heic }
    guard general.contains(major) else { return nil }
    for offset in stride(from: 16, to: min(length, 256) - 3, by: 4) {
      if avif.contains(try file.big32(offset)) { return .avif }
    }
    return .heic
  }

  /// Whether the first element, behind blanks, declarations and comments, may be `<svg`. XML and HTML
  /// are told apart by that element, which is looked for in the first kilobytes alone.
  private static func isSVG(_ file: borrowing HeaderView) throws(HeaderStop) -> Bool {
    var offset = 0
    if file.fileSize ?? 3 >= 3, try file.byte(0) == 0xEF, try file.byte(1) == 0xBB { offset = 3 }
    while offset < (file.fileSize ?? 64), offset < 64, isSpace(try file.byte(offset)) {
      offset += 1
    }
    guard offset + 5 < file.fileSize ?? 256, try file.byte(offset) == UInt8(ascii: "<") else {
      return false
    }
    if try file.has("<svg", at: offset) { return true }
    var isXML = try file.has("<?xml", at: offset)
    if !isXML { isXML = try file.has("<!--", at: offset) }
    if !isXML, offset + 13 < file.fileSize ?? 256 {
      isXML = try file.has("<!DOCTYPE svg", at: offset)
    }
    guard isXML else { return false }
    let end = min(file.fileSize ?? 4096, 4096)
    while offset + 4 <= end {
      if try file.has("<svg", at: offset) { return true }
      if try file.has(":svg", at: offset) { return true }
      offset += 1
    }
    return false
  }

  /// What bytes are that no picture starts with, for a sentence that helps.
  static func refusal(of file: borrowing HeaderView) -> HeaderRefusal {
    var bytes: [UInt8] = []
    for offset in 0..<file.known(from: 0, limit: 64) {
      if let byte = try? file.byte(offset) { bytes.append(UInt8(byte)) }
    }
    guard !bytes.isEmpty else { return .init(.notImage, "empty") }
    func says(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.utf8)
    }
    var start = says("\u{FEFF}") ? 3 : 0
    while start < bytes.count, isSpace(Int(bytes[start])) { start += 1 }
    guard start < bytes.count else { return .init(.notImage, "nothing but blanks") }
    switch bytes[start] {
    case UInt8(ascii: "<"):
      if says("<?xml", at: start) { return .init(.notImage, "XML, not a picture") }
      return .init(.notImage, "an HTML page, not a picture")
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .init(.notImage, "JSON, not a picture")
    default: break
    }
    if says("%PDF") { return .init(.notImage, "a PDF document, not a picture") }
    if bytes.starts(with: [0x1F, 0x8B]) { return .init(.notImage, "gzip data, not a picture") }
    if says("ftyp", at: 4) { return .init(.notImage, "a video, not a picture") }
    if bytes[start...].contains(where: { $0 < 0x09 }) {
      return .init(.notImage, "in no picture format that is known")
    }
    return .init(.notImage, "text, not a picture")
  }

  private static func isSpace(_ byte: Int) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
