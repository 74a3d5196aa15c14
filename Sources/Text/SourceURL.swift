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
