/// Tells formats apart by their first bytes. Names, extensions and Content-Type are not asked:
/// they are claims, the bytes are what a decoder will see.
enum Signature {
  /// No signature that is looked for here lies beyond these bytes.
  static let reach = 16

  static func format(of bytes: Span<UInt8>, isWhole: Bool) throws(HeaderStop) -> ImageFormat? {
    if bytes.count < reach && !isWhole { throw .needs(prefix: reach) }
    if starts(bytes, [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if starts(bytes, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if bytes.matches("GIF87a") || bytes.matches("GIF89a") { return .gif }
    if bytes.matches("RIFF"), bytes.matches("WEBP", at: 8) { return .webp }
    if starts(bytes, [0x49, 0x49, 0x2A, 0x00]) || starts(bytes, [0x4D, 0x4D, 0x00, 0x2A])
      || starts(bytes, [0x49, 0x49, 0x2B, 0x00]) || starts(bytes, [0x4D, 0x4D, 0x00, 0x2B])
    {
      return .tiff
    }
    if bytes.matches("ftyp", at: 4) { return isoBrand(bytes) }
    if starts(bytes, [0xFF, 0x0A])
      || starts(bytes, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A])
    {
      return .jxl
    }
    if starts(bytes, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A])
      || starts(bytes, [0xFF, 0x4F, 0xFF, 0x51])
    {
      return .jp2
    }
    if bytes.matches("8BPS") { return .psd }
    if bytes.matches("qoif") { return .qoi }
    if bytes.matches("BM"), bytes.count >= 10, bytes[6] == 0, bytes[7] == 0 { return .bmp }
    if starts(bytes, [0, 0, 1, 0]), bytes.count >= 6, bytes[4] != 0 { return .ico }
    if bytes.matches("<svg") { return .svg }
    if bytes.count >= 3, bytes[0] == UInt8(ascii: "P"),
      (UInt8(ascii: "1")...UInt8(ascii: "7")).contains(bytes[1]), isSpace(bytes[2])
    {
      return .pnm
    }
    return nil
  }

  /// The brands of ISO base media files that hold still pictures (ISO/IEC 23008-12, AVIF 1.1).
  private static func isoBrand(_ bytes: Span<UInt8>) -> ImageFormat? {
    for brand in ["avif", "avis"] as [StaticString] where bytes.matches(brand, at: 8) {
      return .avif
    }
    for brand in ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"] as [StaticString]
    where bytes.matches(brand, at: 8) {
      return .heic
    }
    return nil
  }

  /// What bytes are that no picture starts with, for a sentence that helps.
  static func refusal(of bytes: Span<UInt8>) -> HeaderRefusal {
    guard bytes.count > 0 else { return .init(.notImage, "empty") }
    var start = bytes.matches("\u{FEFF}") ? 3 : 0
    while start < bytes.count, isSpace(bytes[start]) { start += 1 }
    guard start < bytes.count else { return .init(.notImage, "nothing but blanks") }
    switch bytes[start] {
    case UInt8(ascii: "<"):
      if bytes.matches("<?xml", at: start) { return .init(.notImage, "XML, not a picture") }
      return .init(.notImage, "an HTML page, not a picture")
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .init(.notImage, "JSON, not a picture")
    default: break
    }
    if bytes.matches("%PDF") { return .init(.notImage, "a PDF document, not a picture") }
    if starts(bytes, [0x1F, 0x8B]) { return .init(.notImage, "gzip data, not a picture") }
    if bytes.matches("ftyp", at: 4) { return .init(.notImage, "a video, not a picture") }
    for index in start..<min(bytes.count, start + 64) where bytes[index] < 0x09 {
      return .init(.notImage, "in no picture format that is known")
    }
    return .init(.notImage, "text, not a picture")
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func starts(_ bytes: Span<UInt8>, _ signature: [UInt8]) -> Bool {
    guard bytes.count >= signature.count else { return false }
    for index in signature.indices where bytes[index] != signature[index] { return false }
    return true
  }
}
