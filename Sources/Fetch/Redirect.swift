private import TesseraCCurl

/// Where a redirect leads.
enum Redirect {
  static let statuses = [301, 302, 303, 307, 308]

  /// The URL that a Location header means (RFC 9110, section 10.2.2), as seen from where it stood.
  /// Nil where it means none.
  ///
  /// Within one origin a user and password go along. (libcurl tells the URL only of answers whose body
  /// was read to its end, which nobody wants to wait for.)
  static func url(from base: String, to location: String) -> String? {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME)
    guard curl_url_set(parts, CURLUPART_URL, base, 0) == CURLUE_OK else { return nil }
    let (user, password) = (part(CURLUPART_USER, of: parts), part(CURLUPART_PASSWORD, of: parts))
    guard curl_url_set(parts, CURLUPART_URL, location, flags) == CURLUE_OK,
      let target = part(CURLUPART_URL, of: parts)
    else { return nil }
    guard let user, part(CURLUPART_USER, of: parts) == nil, Origin(target) == Origin(base) else {
      return target
    }
    guard curl_url_set(parts, CURLUPART_USER, user, 0) == CURLUE_OK,
      password == nil || curl_url_set(parts, CURLUPART_PASSWORD, password, 0) == CURLUE_OK
    else { return nil }
    return part(CURLUPART_URL, of: parts)
  }

  private static func part(_ what: CURLUPart, of parts: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(parts, what, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
