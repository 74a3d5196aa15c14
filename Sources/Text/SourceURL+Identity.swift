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

  /// What is requested: the URL without its fragment, which servers never see, and without some query
  /// parameters.
  package static func request(_ url: String, ignoring parameters: [String] = []) -> String {
    let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    guard !parameters.isEmpty else { return String(url[..<end]) }
    let plain = String(url[..<end])
    return Query(of: plain)?.filtered { pair, _ in !isIgnored(pair, parameters) } ?? plain
  }

  /// The identity of a source: what is requested, without the query parameters that do not change the content
  /// (expiry dates) and without signatures, of which a re-signed URL has another each time. Tokens stay: two of
  /// them may give different images.
  package static func cacheKey(_ url: String, ignoring parameters: [String] = []) -> String {
    without(.signatures, request(url, ignoring: parameters))
  }

  /// The URL without its signature.
  package static func withoutSignature(_ url: String) -> String { without(.signatures, url) }

  /// The URL for everything that users and other programs see: without userinfo, the ignored query parameters,
  /// signatures and tokens (``URLSecret``); of a data: URL only the part before the content, and of a file:
  /// URL no folder of the machine.
  ///
  /// - Parameter folders: the path of a file is shown from the first of these that has it; without one, only
  ///   the file's name is shown.
  package static func shown(
    _ url: String, ignoring parameters: [String], below folders: [String] = []
  ) -> String {
    switch scheme(of: url) {
    case "data": return url.firstIndex(of: ",").map { String(url[...$0]) } ?? "data:"
    case "file": return shownFile(url, below: folders)
    default: break
    }
    return without(.all, withoutUserInfo(url), ignoring: parameters)
  }

  /// An id that is derived from a text: a URL or a relative reference is shown as ``shown(_:ignoring:below:)`` does, and any
  /// other text stays as it is. What precedes an "@" is a secret only in a URL with slashes: `tag:` URIs (RFC 4151) and
  /// addresses of mail have names there.
  static func shownID(
    _ text: String, ignoring parameters: [String], below folders: [String]
  ) -> String {
    switch scheme(of: text) {
    case "data" where text.utf8.contains(UInt8(ascii: ",")),
      // Titles begin with "File:", too.
      "file" where text.utf8.dropFirst("file:".utf8.count).first == UInt8(ascii: "/"):
      return shown(text, ignoring: parameters, below: folders)
    case "http", "https":
      // A backslash is a slash, as in the URL that is requested.
      let hasBackslash = text.utf8.contains(UInt8(ascii: "\\"))
      return shown(hasBackslash ? encoded(text) : text, ignoring: parameters, below: folders)
    default: break
    }
    var text = text
    if text.begins(with: "//") {
      text = String(withoutUserInfo("https:" + text).dropFirst("https:".count))
    } else if authority(of: text) != nil {
      text = withoutUserInfo(text)
    }
    return without(.all, text, ignoring: parameters)
  }

  /// Whether a URL has a secret that ``shown(_:ignoring:below:)`` leaves out.
  package static func hasSecret(_ url: String) -> Bool {
    switch scheme(of: url) {
    case "data", "file": false
    default: !shown(url, ignoring: []).isSame(as: url)
    }
  }

  /// The place that a response came from: the URL as it is shown, without its fragment. A redirect to a signed URL has
  /// another signature each time. Two URLs of one place lead to the same source. The place of a place is itself.
  package static func place(_ url: String, ignoring parameters: [String]) -> String {
    shown(request(url), ignoring: parameters)
  }

  private static func shownFile(_ url: String, below folders: [String]) -> String {
    let start = authority(of: url)?.upperBound ?? url.utf8.firstIndex(of: UInt8(ascii: ":"))
    let rest = url[(start ?? url.startIndex)...].drop { $0 == ":" }
    let text = rest.prefix { $0 != "?" && $0 != "#" }
    let path =
      PercentEncoding.decode(text).map { String(decoding: $0, as: UTF8.self) } ?? String(text)
    let folder = folders.first { path.begins(with: $0.hasSuffix("/") ? $0 : $0 + "/") }
    let shown = folder.map { path.dropFirst($0.count).drop { $0 == "/" } }
    return PercentEncoding.encode(
      String(shown ?? path.split(separator: "/").last ?? ""), keeping: "/")
  }
}

// MARK: Secrets

extension SourceURL {
  /// URLs within URLs are looked at up to this depth.
  private static let deepest = 3

  private static func without(
    _ extent: URLSecret.Extent, _ url: String, ignoring parameters: [String] = [], depth: Int = 0
  ) -> String {
    var url = url
    if extent == .all {
      url = filteringFragment(url) { !isToken($0) }
      url = filteringPath(url) { !isToken($0) }
    }
    guard let query = Query(of: url) else { return url }
    let signature = URLSecret.parameters(among: query.names)
    let rest = query.filtered { pair, name in
      !isIgnored(pair, parameters) && !signature.contains(name)
        && !URLSecret.isSignature(pair.lowercased())
        && (extent == .signatures || !URLSecret.isToken(name, value(of: pair)))
    }
    return depth < deepest ? mappingNested(rest) { without(extent, $0, depth: depth + 1) } : rest
  }

  /// Names are compared as written, without decoding.
  private static func isIgnored(_ pair: Substring, _ parameters: [String]) -> Bool {
    guard !parameters.isEmpty else { return false }
    let name = pair.utf8.prefix { $0 != UInt8(ascii: "=") }
    return parameters.contains { name.elementsEqual($0.utf8) }
  }

  private static func isToken(_ pair: Substring) -> Bool {
    URLSecret.isToken(plainName(of: pair), value(of: pair))
  }

  private static func value(of pair: Substring) -> Substring {
    let rest = pair.utf8.drop { $0 != UInt8(ascii: "=") }
    return Substring(rest.dropFirst())
  }

  /// Without percent-encoding, in lower case.
  private static func plainName(of pair: Substring) -> String {
    let name = Substring(pair.utf8.prefix { $0 != UInt8(ascii: "=") })
    guard name.utf8.contains(UInt8(ascii: "%")), let bytes = PercentEncoding.decode(name) else {
      return name.lowercased()
    }
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// The parameters of a URL's query.
  private struct Query {
    let url: String
    /// Behind the "?", and up to the fragment.
    let range: Range<String.Index>
    let pairs: [Substring]
    /// The name of each, without percent-encoding in lower case.
    let names: [String]

    init?(of url: String) {
      guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
      let tail = url.utf8[url.utf8.index(after: mark)...]
      let end = tail.firstIndex(of: UInt8(ascii: "#")) ?? tail.endIndex
      self.url = url
      range = tail.startIndex..<end
      pairs = tail[..<end].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        .map { Substring($0) }
      names = pairs.map { plainName(of: $0) }
    }

    /// The URL with those of the parameters that are to stay.
    func filtered(_ isKept: (_ pair: Substring, _ name: String) -> Bool) -> String {
      // Most URLs keep all.
      if zip(pairs, names).allSatisfy(isKept) { return url }
      let kept = zip(pairs, names).filter(isKept).map(\.0)
      // The other parameters stay as written, in their order: servers may depend on both.
      let rest = kept.joined(separator: "&")
      return url[..<url.utf8.index(before: range.lowerBound)] + (rest.isEmpty ? "" : "?" + rest)
        + url[range.upperBound...]
    }
  }

  /// The URL with those parts of its fragment that are to stay, if it has the form of a query.
  private static func filteringFragment(
    _ url: String, _ isKept: (_ pair: Substring) -> Bool
  ) -> String {
    guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "#")) else { return url }
    let tail = url.utf8[url.utf8.index(after: mark)...]
    guard tail.contains(UInt8(ascii: "=")), let rest = filtering(tail, by: "&", isKept) else {
      return url
    }
    return String(url[..<mark]) + (rest.isEmpty ? "" : "#" + rest)
  }

  /// The URL with those parameters of its path (`;jsessionid=…`; RFC 3986, section 3.3) that are to stay.
  private static func filteringPath(
    _ url: String, _ isKept: (_ pair: Substring) -> Bool
  ) -> String {
    // Hardly any URL has one.
    guard url.utf8.contains(UInt8(ascii: ";")) else { return url }
    let end = url.utf8.firstIndex { [UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    let path = url.utf8[..<(end ?? url.endIndex)]
    let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { segment -> String in
        // What precedes them is the segment's name, whatever it is.
        filtering(segment, by: ";", after: 1, isKept) ?? String(Substring(segment))
      }
    return segments.joined(separator: "/") + url[path.endIndex...]
  }

  /// The parts that are to stay; nil if all are.
  ///
  /// - Parameter count: how many of the first stay in any case.
  private static func filtering(
    _ text: Substring.UTF8View, by separator: Unicode.Scalar, after count: Int = 0,
    _ isKept: (_ part: Substring) -> Bool
  ) -> String? {
    let all = text.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
      .map { Substring($0) }
    let kept = all.prefix(count) + all.dropFirst(count).filter(isKept)
    return kept.count == all.count ? nil : kept.joined(separator: String(separator))
  }

  /// Whether a text has "://". By bytes: searching a text for another one takes ten times as long.
  ///
  /// - Parameter isEncoded: whether it may be percent-encoded.
  private static func hasURL(_ text: some Collection<UInt8>, isEncoded: Bool) -> Bool {
    guard text.contains(UInt8(ascii: ":")) || isEncoded && text.contains(UInt8(ascii: "%")) else {
      return false
    }
    return text.indices.contains { start in
      let rest = text[start...]
      return switch text[start] {
      case UInt8(ascii: ":"): rest.starts(with: "://".utf8)
      case UInt8(ascii: "%") where isEncoded:
        rest.starts(with: "%3A%2F%2F".utf8) || rest.starts(with: "%3a%2f%2f".utf8)
      default: false
      }
    }
  }

  /// The URL with the URLs in its query replaced: `?url=https%3A%2F%2F…%3FX-Amz-Signature%3D…`.
  private static func mappingNested(_ url: String, _ change: (String) -> String) -> String {
    guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
    let query = url[url.utf8.index(after: mark)...]
    // Hardly any query has a URL in it.
    guard hasURL(query.utf8, isEncoded: true) else { return url }
    let end = query.utf8.firstIndex(of: UInt8(ascii: "#")) ?? query.endIndex
    let pairs = query[..<end].split(separator: "&", omittingEmptySubsequences: false)
    let changed = pairs.map { pair -> Substring in
      let inner = value(of: pair)
      // `String(validating:as:)` came with iOS 18. Decoding replaces what is not UTF-8.
      guard let bytes = PercentEncoding.decode(inner),
        case let text = String(decoding: bytes, as: UTF8.self),
        text.utf8.elementsEqual(bytes), hasURL(text.utf8, isEncoded: false)
      else { return pair }
      let result = change(withoutUserInfo(text))
      guard !result.isSame(as: text) else { return pair }
      return pair[..<inner.startIndex] + PercentEncoding.encode(result)
    }
    return String(url[...mark]) + changed.joined(separator: "&") + query[end...]
  }
}

/// How the URLs of one manifest are shown.
package struct ShownURLs: Sendable {
  /// Query parameters that are left out.
  private let ignored: [String]
  /// The folders that paths of files are shown from: the manifest's, and those that the pipeline permits.
  package let folders: [String]

  package init(ignoring ignored: [String] = [], below folders: [String] = []) {
    (self.ignored, self.folders) = (ignored, folders)
  }

  package func callAsFunction(_ url: String) -> String {
    SourceURL.shown(url, ignoring: ignored, below: folders)
  }

  /// An id that a list derives from a text, which may be a URL.
  package func id(_ text: String) -> String {
    SourceURL.shownID(text, ignoring: ignored, below: folders)
  }
}
