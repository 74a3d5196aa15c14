/// Names what a file is that is not a recognized image, so that the error message helps.
enum UnknownContent {
  static func rejection(of file: borrowing HeaderView) -> HeaderRejection {
    var bytes: [UInt8] = []
    // 64 bytes hold every beginning below, after some blanks.
    for offset in 0..<file.known(from: 0, limit: 64) {
      // `known` counts bytes that are there, so that reading them cannot fail.
      if let byte = try? file.byte(offset) { bytes.append(UInt8(byte)) }
    }
    return .init(.notImage, description(of: bytes))
  }

  /// A clause that completes "the file is …".
  private static func description(of bytes: [UInt8]) -> String {
    if bytes.isEmpty { return "empty" }
    func says(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.utf8)
    }
    var start = says("\u{FEFF}") ? 3 : 0
    while start < bytes.count, ASCII.isBlank(Int(bytes[start])) { start += 1 }
    guard start < bytes.count else { return "only whitespace, not an image" }
    switch bytes[start] {
    case UInt8(ascii: "<"):
      return says("<?xml", at: start) ? "XML, not an image" : "an HTML page, not an image"
    case UInt8(ascii: "{"), UInt8(ascii: "["): return "JSON, not an image"
    default: break
    }
    if says("%PDF") { return "a PDF document, not an image" }
    if bytes.starts(with: [0x1F, 0x8B]) { return "gzip data, not an image" }  // RFC 1952
    if says("ftyp", at: 4) { return "a video, not an image" }
    // Control characters before the tab do not occur in text.
    if bytes[start...].contains(where: { $0 < 0x09 }) { return "not a recognized image" }
    return "text, not an image"
  }
}
