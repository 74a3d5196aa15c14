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
