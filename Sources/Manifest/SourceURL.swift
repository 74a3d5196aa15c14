/// The little that Tessera itself has to know about the text of a URL (RFC 3986). Fetching it, and
/// resolving its host, is libcurl's work.
package enum SourceURL {
  /// The URL without `user:password@`, for everything that people and other programs get to see.
  package static func withoutUserInfo(_ url: String) -> String {
    guard let start = authorityStart(of: url) else { return url }
    let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let at = authority.lastIndex(of: "@") else { return url }
    return String(url[..<start] + url[url.index(after: at)...])
  }

  /// What identifies the source: the URL without its fragment, which servers never see, and without
  /// the query parameters that do not change what it is (tokens, expiry dates).
  package static func cacheKey(_ url: String, ignoring parameters: [String] = []) -> String {
    withoutQuery(parameters, String(url.prefix { $0 != "#" }))
  }

  /// The URL as it may be shown: without userinfo and without the ignored query parameters.
  package static func shown(_ url: String, ignoring parameters: [String]) -> String {
    withoutQuery(parameters, withoutUserInfo(url))
  }

  /// The URL without some query parameters, names compared as they are written.
  private static func withoutQuery(_ names: [String], _ url: String) -> String {
    guard !names.isEmpty, let mark = url.firstIndex(of: "?") else { return url }
    let tail = url[url.index(after: mark)...]
    let query = tail.prefix { $0 != "#" }
    let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { pair in
      !names.contains(String(pair.prefix { $0 != "=" }))
    }
    let rest = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    return url[..<mark] + rest + tail[query.endIndex...]
  }

  /// The scheme in lower case; nil where there is none.
  package static func scheme(of url: String) -> String? {
    guard let colon = url.firstIndex(of: ":") else { return nil }
    let scheme = url[..<colon]
    guard let first = scheme.first, first.isASCII, first.isLetter,
      scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
    else { return nil }
    return scheme.lowercased()
  }

  /// Host and port, in lower case, as far as they can be read off; for counting requests per host.
  package static func host(of url: String) -> String {
    let bare = withoutUserInfo(url)
    guard let start = authorityStart(of: bare) else { return "" }
    return bare[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()
  }

  private static func authorityStart(of url: String) -> String.Index? {
    guard let colon = url.firstIndex(of: ":") else { return nil }
    let after = url[url.index(after: colon)...]
    guard after.hasPrefix("//") else { return nil }
    return url.index(colon, offsetBy: 3)
  }
}
