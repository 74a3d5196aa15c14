/// The little that Tessera itself has to know about the text of a URL (RFC 3986). Fetching it, and
/// resolving its host, is libcurl's work.
///
/// All of it works on bytes: a character of Swift's may swallow the "?" or "@" before a combining mark.
package enum SourceURL {
  /// Whether the text is an absolute URL with a host, in a scheme that is fetched: `http` or `https`,
  /// with exactly two slashes. libcurl would take one or three, and guess a missing scheme.
  package static func isFetchable(_ url: String) -> Bool {
    guard let scheme = scheme(of: url), scheme == "http" || scheme == "https",
      let authority = authority(of: url)
    else { return false }
    return !host(in: url.utf8[authority]).isEmpty
  }

  /// Whether a manifest may name it: a URL that is fetched, a file's, or one that holds its bytes itself.
  package static func isSource(_ url: String) -> Bool {
    switch scheme(of: url) {
    case "file", "data": true
    default: isFetchable(url)
    }
  }

  /// The URL without `user:password@`, for everything that people and other programs get to see.
  /// Whatever the number of slashes: also of what is no URL nothing secret is shown.
  package static func withoutUserInfo(_ url: String) -> String {
    guard let authority = authority(of: url, exactly: false),
      let at = url.utf8[authority].lastIndex(of: UInt8(ascii: "@"))
    else { return url }
    return String(url[..<authority.lowerBound]) + url[url.utf8.index(after: at)...]
  }

  /// What identifies the source: the URL without its fragment, which servers never see, and without
  /// the query parameters that do not change what it is (tokens, expiry dates).
  package static func cacheKey(_ url: String, ignoring parameters: [String] = []) -> String {
    let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    return withoutQuery(parameters, String(url[..<end]))
  }

  /// The URL as it may be shown: without userinfo, without the ignored query parameters, and of one that holds
  /// its bytes itself all but these.
  package static func shown(_ url: String, ignoring parameters: [String]) -> String {
    if scheme(of: url) == "data" {
      return url.firstIndex(of: ",").map { String(url[...$0]) } ?? "data:"
    }
    return withoutQuery(parameters, withoutUserInfo(url))
  }

  /// The URL without some query parameters, names compared as they are written.
  private static func withoutQuery(_ names: [String], _ url: String) -> String {
    guard !names.isEmpty, let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
    let tail = url.utf8[url.utf8.index(after: mark)...]
    let end = tail.firstIndex(of: UInt8(ascii: "#")) ?? tail.endIndex
    let query = tail[..<end].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let kept = query.filter { pair in
      !names.contains { pair.prefix { $0 != UInt8(ascii: "=") }.elementsEqual($0.utf8) }
    }
    let rest = kept.map { String(Substring($0)) }.joined(separator: "&")
    return String(url[..<mark]) + (kept.isEmpty ? "" : "?" + rest) + url[end...]
  }

  /// The scheme in lower case; nil where there is none.
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

  /// Host and port, in lower case, as far as they can be read off; for counting requests per host.
  package static func host(of url: String) -> String {
    guard let authority = authority(of: url) else { return "" }
    return String(Substring(host(in: url.utf8[authority]))).lowercased()
  }

  private static func host(
    in authority: Substring.UTF8View
  ) -> Substring.UTF8View {
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return authority }
    return authority[authority.index(after: at)...]
  }

  /// Where `user:password@host:port` stands: behind two slashes, or with `exactly` false behind as many
  /// as there are.
  private static func authority(
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
