/// Tells formats apart by their first bytes. Names, extensions and Content-Type are not asked:
/// they are claims, the bytes are what a decoder will see.
enum Signature {
  /// No signature that is looked for here lies beyond these bytes.
  static let reach = 32

  static func format(of file: borrowing HeaderView) throws(HeaderStop) -> ImageFormat? {
    let bytes = try beginning(file)
    func starts(_ signature: [UInt8], at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: signature)
    }
    func says(_ text: String, at offset: Int = 0) -> Bool { starts(Array(text.utf8), at: offset) }
    if starts([0xFF, 0xD8, 0xFF]) { return .jpeg }
    if starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if says("GIF87a") || says("GIF89a") { return .gif }
    if says("RIFF"), says("WEBP", at: 8) { return .webp }
    for version in [0x2A, 0x2B] as [UInt8]
    where starts([0x49, 0x49, version, 0]) || starts([0x4D, 0x4D, 0, version]) {
      return .tiff
    }
    if says("ftyp", at: 4), let format = try isoFormat(file) { return format }
    if starts([0xFF, 0x0A]) || starts([0, 0, 0, 12] + Array("JXL ".utf8) + [13, 10, 0x87, 10]) {
      return .jxl
    }
    if starts([0xFF, 0x4F, 0xFF, 0x51])
      || starts([0, 0, 0, 12] + Array("jP  ".utf8) + [13, 10, 0x87, 10])
    {
      return .jp2
    }
    if says("8BPS") { return .psd }
    if says("qoif") { return .qoi }
    if says("DDS ") { return .dds }
    if starts([0x76, 0x2F, 0x31, 0x01]) { return .exr }
    if says("icns") { return .icns }
    if says("BM"), bytes.count > 14, starts([0, 0], at: 15) || bytes[14] >= 12 { return .bmp }
    if starts([0, 0, 1, 0]) || starts([0, 0, 2, 0]), bytes.count >= 6, bytes[4] != 0 {
      return .ico
    }
    if bytes.count >= 3, bytes[0] == UInt8(ascii: "P"),
      (UInt8(ascii: "1")...UInt8(ascii: "7")).contains(bytes[1]), isSpace(Int(bytes[2]))
    {
      return .pnm
    }
    if try isSVG(file) { return .svg }
    return bytes.count >= 18 && bytes[0] != UInt8(ascii: "<") ? try tga(file) : nil
  }

  private static func tga(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageFormat? {
    try TGAHeader.isLikely(file) ? .tga : nil
  }

  /// The first bytes, all that are looked at, or as many as the file has.
  private static func beginning(_ file: borrowing HeaderView) throws(HeaderStop) -> [UInt8] {
    let count = min(reach, file.fileSize ?? reach)
    try file.require(0..<count)
    var bytes: [UInt8] = []
    for offset in 0..<count { bytes.append(UInt8(try file.byte(offset))) }
    return bytes
  }

  /// The brands of ISO base media files that hold pictures (ISO/IEC 23008-12, AVIF 1.1). A file of
  /// the general brands `mif1` and `msf1` tells in its other brands what it holds.
  private static func isoFormat(
    _ file: borrowing HeaderView
  ) throws(HeaderStop) -> ImageFormat? {
    let length = try file.big32(0)
    let avif = [Box.type("avif"), Box.type("avis")]
    let heic = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"] as [StaticString]
    let known = heic.map { Box.type($0) }
    let general = [Box.type("mif1"), Box.type("msf1")]
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
    // What is at hand decides, and 4 kB of it at most.
    let end = min(file.fileSize ?? 4096, 4096)
    try file.require(0..<min(end, max(1024, file.known(from: 0, limit: end))))
    let known = file.known(from: 0, limit: end)
    while offset + 4 < known {
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
