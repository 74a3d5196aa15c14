private import TesseraCCurl

/// Scheme, host and port of a URL (RFC 6454), as libcurl reads them: what it would connect to.
struct Origin: Equatable {
  var scheme = ""
  var host = ""
  var port = ""

  /// All empty where the text is no URL.
  init(_ url: String) {
    guard let parts = curl_url() else { return }
    defer { curl_url_cleanup(parts) }
    guard curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK else { return }
    func part(_ what: CURLUPart) -> String {
      var text: UnsafeMutablePointer<CChar>?
      guard curl_url_get(parts, what, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text
      else { return "" }
      defer { curl_free(text) }
      return String(cString: text)
    }
    scheme = part(CURLUPART_SCHEME)
    host = part(CURLUPART_HOST).lowercased()
    port = part(CURLUPART_PORT)
  }
}

/// Where a redirect leads.
enum Redirect {
  /// The URL that a Location header means (RFC 9110, section 10.2.2), as seen from where it stood.
  /// Nil where it means none.
  ///
  /// libcurl tells the URL only of answers whose body was read to its end, and nobody wants to.
  static func url(from base: String, to location: String) -> String? {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME)
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_set(parts, CURLUPART_URL, base, 0) == CURLUE_OK,
      curl_url_set(parts, CURLUPART_URL, location, flags) == CURLUE_OK,
      curl_url_get(parts, CURLUPART_URL, &text, 0) == CURLUE_OK, let text
    else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
