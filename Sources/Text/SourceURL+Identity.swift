extension SourceURL {
  /// The URL without `user:password@`, for everything that users and other programs see. It accepts
  /// any number of slashes, so that it hides secrets in malformed URLs as well.
  package static func withoutUserInfo(_ url: String) -> String {
    // The last "@": a password may contain others, and no part of it may be shown.
    guard let authority = authority(of: url, exactly: false),
      let at = url.utf8[authority].lastIndex(of: UInt8(ascii: "@"))
    else { return url }
    return String(url[..<authority.lowerBound]) + url[url.utf8.index(after: at)...]
  }

  /// The identity of a source: the URL without its fragment, which servers never see, and without
  /// the query parameters that do not change the content (tokens, expiry dates).
  package static func cacheKey(_ url: String, ignoring parameters: [String] = []) -> String {
    let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    return withoutQuery(parameters, String(url[..<end]))
  }

  /// The URL for display: without userinfo, without the ignored query parameters, and of a data:
  /// URL only the part before the content.
  package static func shown(_ url: String, ignoring parameters: [String]) -> String {
    if scheme(of: url) == "data" {
      return url.firstIndex(of: ",").map { String(url[...$0]) } ?? "data:"
    }
    return withoutQuery(parameters, withoutUserInfo(url))
  }

  /// The place that a response came from: the URL as it is shown, without its fragment and without
  /// the parameters of a signature (``URLSignature``), of which a redirect makes a new one each time.
  /// Two URLs of one place lead to the same source. The place of a place is itself.
  package static func place(_ url: String, ignoring parameters: [String]) -> String {
    let shown = shown(cacheKey(url), ignoring: parameters)
    guard shown.utf8.contains(UInt8(ascii: "?")) else { return shown }
    var names: Set<String> = []
    _ = filteringQuery(shown) { pair in
      names.insert(name(of: pair).lowercased())
      return true
    }
    let signature = URLSignature.parameters(among: names)
    return filteringQuery(shown) { pair in
      !signature.contains(name(of: pair).lowercased())
        && !URLSignature.isToken(pair.lowercased())
    }
  }

  /// The URL without some query parameters. Names are compared as written, without decoding.
  private static func withoutQuery(_ names: [String], _ url: String) -> String {
    guard !names.isEmpty else { return url }
    return filteringQuery(url) { pair in
      let name = name(of: pair).utf8
      return !names.contains { name.elementsEqual($0.utf8) }
    }
  }

  private static func name(of pair: Substring) -> Substring {
    Substring(pair.utf8.prefix { $0 != UInt8(ascii: "=") })
  }

  /// The URL with those of its query parameters that are to stay.
  private static func filteringQuery(
    _ url: String, _ isKept: (_ pair: Substring) -> Bool
  ) -> String {
    guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
    let tail = url.utf8[url.utf8.index(after: mark)...]
    let end = tail.firstIndex(of: UInt8(ascii: "#")) ?? tail.endIndex
    let query = tail[..<end].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    // The other parameters stay as written, in their order: servers may depend on both.
    let kept = query.map { Substring($0) }.filter(isKept)
    let rest = kept.joined(separator: "&")
    return String(url[..<mark]) + (kept.isEmpty ? "" : "?" + rest) + url[end...]
  }
}
