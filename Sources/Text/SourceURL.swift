/// The parts of a URL (RFC 3986, section 3) that Tessera itself needs. libcurl parses the URL again
/// when it fetches it.
///
/// All functions work on bytes: a Swift character may join a "?" or "@" with a combining mark after
/// it, and would hide the delimiter.
package enum SourceURL {
  /// Whether the text is an absolute `http` or `https` URL with a host, with exactly two slashes.
  /// libcurl would accept one or three slashes, and guess a missing scheme.
  package static func isFetchable(_ url: String) -> Bool {
    guard let scheme = scheme(of: url), scheme == "http" || scheme == "https",
      let authority = authority(of: url)
    else { return false }
    return !host(in: url.utf8[authority]).isEmpty
  }

  /// Whether a manifest may contain the URL: `http`, `https`, `file`, `data`, or `s3` with a bucket.
  package static func isSource(_ url: String) -> Bool {
    switch scheme(of: url) {
    case "file", "data": true
    case "s3": !hostAsWritten(of: url).isEmpty
    default: isFetchable(url)
    }
  }

  /// Whether a URL names a place that bytes are requested from, and so itself identifies an image wherever it is shown.
  package static func isTransferred(_ url: String) -> Bool {
    isSource(url) && !["file", "data"].contains(scheme(of: url))
  }

  /// The scheme in lower case (RFC 3986, section 3.1); nil if there is none.
  package static func scheme(of url: String) -> String? {
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = url.utf8[..<colon]
    let isScheme = scheme.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."):
        index > 0
      default: false
      }
    }
    return isScheme && !scheme.isEmpty ? url[..<colon].lowercased() : nil
  }

  /// Host and port in lower case as they are written; empty if the URL has no authority. Not for comparisons: a host has
  /// many spellings, and `HostName` is the one that counts.
  package static func hostAsWritten(of url: String) -> String {
    guard let authority = authority(of: url) else { return "" }
    return String(Substring(host(in: url.utf8[authority]))).lowercased()
  }

  private static func host(
    in authority: Substring.UTF8View
  ) -> Substring.UTF8View {
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return authority }
    return authority[authority.index(after: at)...]
  }

  /// The range of `user:password@host:port`: after exactly two slashes, or with `exactly` false
  /// after any number of them. A backslash ends it, because some parsers read it as a slash.
  static func authority(
    of url: String, exactly isExact: Bool = true
  ) -> Range<String.Index>? {
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let after = bytes[bytes.index(after: colon)...]
    guard after.starts(with: "//".utf8) || !isExact else { return nil }
    let start =
      isExact
      ? after.index(after.startIndex, offsetBy: 2)
      : after.firstIndex { $0 != UInt8(ascii: "/") } ?? after.endIndex
    let end = after[start...].firstIndex { byte in
      [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\")].contains(byte)
    }
    return start..<(end ?? after.endIndex)
  }
}

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

extension SourceURL {
  /// What a reference means relative to a base (RFC 3986, section 5.2). The base may be relative itself, as one inside another
  /// is; then the result is, too.
  package static func resolve(_ reference: String, against base: String) -> String {
    if scheme(of: reference) != nil { return reference }
    let base = Reference(base)
    var target = Reference(reference)
    target.scheme = base.scheme
    if target.authority == nil {
      target.authority = base.authority
      if target.path.isEmpty {
        target.path = base.path
        target.query = target.query ?? base.query
      } else if !target.path.hasPrefix("/") {
        let folder = base.path[
          ..<(base.path.lastIndex(of: "/").map { base.path.index(after: $0) }
            ?? base.path.startIndex)]
        target.path = (base.authority != nil && folder.isEmpty ? "/" : folder) + target.path
      }
    }
    if target.scheme != nil || target.path.hasPrefix("/") {
      target.path = withoutDots(target.path)
    }
    return target.text
  }

  /// The five parts of a reference (RFC 3986, appendix B), with the marks before or behind them.
  private struct Reference {
    var scheme: Substring?
    var authority: Substring?
    var path: String
    var query: Substring?
    private let fragment: Substring

    init(_ text: String) {
      var rest = text[...]
      if let name = SourceURL.scheme(of: text) {
        scheme = rest.prefix(name.count + 1)
        rest = rest.dropFirst(name.count + 1)
      }
      if rest.hasPrefix("//") {
        authority = rest.prefix(2) + rest.dropFirst(2).prefix { !"/?#".contains($0) }
        rest = rest.dropFirst(authority?.count ?? 0)
      }
      path = String(rest.prefix { $0 != "?" && $0 != "#" })
      rest = rest.dropFirst(path.count)
      let asked = rest.prefix { $0 != "#" }
      query = asked.isEmpty ? nil : asked
      fragment = rest.dropFirst(asked.count)
    }

    var text: String { "\(scheme ?? "")\(authority ?? "")\(path)\(query ?? "")\(fragment)" }
  }

  /// A path without the segments "." and ".." (RFC 3986, section 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    var kept: [Substring] = []
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        // The first is empty: it is what stands before the slash of the root.
        if kept.count > 1 { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return kept.joined(separator: "/")
  }
}
