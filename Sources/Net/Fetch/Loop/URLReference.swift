internal import TesseraText

/// Resolves URL references: those of a manifest with a base, and those in Location headers.
package enum URLReference {
  /// The URL that a reference means relative to a base (RFC 3986, section 5.2).
  ///
  /// libcurl resolves it, and normalizes the result: it removes `.` and `..`, percent-encodes what
  /// is not ASCII, and adds the path "/" if there is none.
  ///
  /// - Parameters:
  ///   - reference: an absolute URL, which is returned unchanged, or a relative reference:
  ///     `p1.jpg`, `../p1.jpg`, `/p1.jpg`, `//other.example.com/p1.jpg`, `?id=1`.
  ///   - base: an absolute http(s) URL.
  /// - Returns: nil if libcurl cannot resolve it.
  package static func resolve(_ reference: String, against base: String) -> String? {
    if SourceURL.scheme(of: reference) != nil { return reference }
    // Later versions of libcurl encode what earlier ones reject.
    guard reference.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      return nil
    }
    guard let url = CurlURL(base) else { return nil }
    // "1:2.jpg" is a path, but libcurl would read a scheme (section 4.2).
    let firstSegment = reference.prefix { !"/?#".contains($0) }
    let isAmbiguous = firstSegment.contains(":")
    guard url.resolve(isAmbiguous ? "./" + reference : reference) else { return nil }
    return url[.url]
  }

  /// The URL to which the header Location redirects (RFC 9110, section 10.2.2); nil if it is
  /// malformed.
  ///
  /// It is read as browsers do: a backslash is a slash, and what a URL can't have is percent-encoded.
  /// Within an origin, the user and password of `base` are kept. (CURLINFO_REDIRECT_URL is set only
  /// after the whole body was read, and a redirect's body is dropped here.)
  static func redirect(to location: String, from base: String) -> String? {
    guard let url = CurlURL(base) else { return nil }
    let (user, password) = (url[.user], url[.password])
    guard url.resolve(SourceURL.encoded(location)), let target = url[.url] else { return nil }
    guard let user, url[.user] == nil, Origin(target) == Origin(base) else { return target }
    guard url.set(.user, to: user), password == nil || url.set(.password, to: password) else {
      return nil
    }
    return url[.url]
  }
}
