/// URLs as people write them become those that are requested, as browsers read them (WHATWG URL, sections 1.3 and 4.4).
extension SourceURL {
  /// A URL, or a reference that is relative to one of http, in which the characters that a URL can't have are
  /// percent-encoded.
  ///
  /// Blanks and control characters around it are removed, and so are tabs and line ends in it. In path, query and fragment
  /// everything is encoded that browsers encode there. A backslash is a slash before the query, except in `s3:` and
  /// `data:` URLs. The host stays as it is written: what it can't have is a mistake. What is encoded already, and a "%"
  /// that encodes nothing, stay as they are, so that the result of a result is itself.
  package static func encoded(_ text: String) -> String {
    guard text.utf8.contains(where: needsAttention) else { return text }
    let isAround = { (byte: UInt8) in byte <= 0x20 }
    let bytes = text.utf8.drop(while: isAround).reversed().drop(while: isAround).reversed()
    let url = String(
      decoding: bytes.filter { ![0x09, 0x0A, 0x0D].contains($0) }, as: UTF8.self)
    let scheme = scheme(of: url)
    if scheme == "data" { return encoding(url.utf8, .opaque) }
    let isWeb = scheme == nil || ["http", "https", "file"].contains(scheme)
    let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let front = String(url[..<(end ?? url.endIndex)])
    var result = encodingFront(isWeb ? front.replacing("\\", with: "/") : front, scheme)
    guard let end else { return result }
    let mark = url.utf8[end...].firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    // The name of a file may have a question mark, so that nothing is a query there.
    let query: Encoded = scheme == "file" ? .path : isWeb ? .webQuery : .query
    result += encoding(url.utf8[end..<mark], query) + encoding(url.utf8[mark...], .fragment)
    return result
  }

  /// Whether a URL has a blank or a control character in it. After encoding only a host has any; data may have blanks.
  package static func hasBlank(_ url: String) -> Bool {
    let least: UInt8 = scheme(of: url) == "data" ? 0x20 : 0x21
    return url.utf8.contains { $0 < least || $0 == 0x7F }
  }

  /// Whether any part of a URL may have to be changed for the byte. A quick look, because hardly any URL has one.
  private static func needsAttention(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7F...: true
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
      UInt8(ascii: "|"), UInt8(ascii: "}"):
      true
    default: false
    }
  }

  /// The parts of a URL that differ in what is encoded in them.
  private enum Encoded {
    case userInfo, path, query, webQuery, fragment, opaque

    /// The percent-encode sets of the standard, in ASCII and without what ends the part. All have control characters and
    /// what is not ASCII.
    private var set: String {
      switch self {
      case .userInfo: " \"<>^`{|}"
      case .path: " \"<>^`{}"
      case .query: " \"<>"
      case .webQuery: " \"<>'"
      case .fragment: " \"<>`"
      case .opaque: ""
      }
    }

    func has(_ byte: UInt8) -> Bool { byte < 0x20 || byte >= 0x7F || set.utf8.contains(byte) }
  }

  private static func encoding(_ bytes: some Sequence<UInt8>, _ part: Encoded) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      if part.has(byte) {
        result.append(UInt8(ascii: "%"))
        result += Hexadecimal.encode([byte]).uppercased().utf8
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// What is before the query. The host stays, and so do the ":" and the "@" of user and password.
  private static func encodingFront(_ front: String, _ scheme: String?) -> String {
    guard scheme != nil, let authority = authority(of: front) else {
      return encoding(front.utf8, .path)
    }
    let start = authority.lowerBound
    let host = front.utf8[authority].lastIndex(of: UInt8(ascii: "@")) ?? start
    return front[..<start] + encoding(front.utf8[start..<host], .userInfo)
      + front[host..<authority.upperBound] + encoding(front.utf8[authority.upperBound...], .path)
  }
}
