/// Scheme, host and port of a URL (RFC 6454): whom a request is sent to, and whom credentials are
/// for.
///
/// A port that the URL omits is its scheme's. All are empty for a text that is not a URL.
package struct Origin: Equatable {
  package var scheme = ""
  package var host = HostName("")
  package var port = ""

  /// Host and port as people write them: without the port if it is the scheme's default.
  package var authority: String {
    (scheme, port) == ("http", "80") || (scheme, port) == ("https", "443")
      ? host.text : "\(host):\(port)"
  }
}

extension Origin {
  package init(_ url: String) {
    self.init()
    guard let parts = CurlURL(url) else { return }
    scheme = parts[.scheme] ?? ""
    host = HostName(ascii: parts[.asciiHost] ?? "")
    port = parts[.port] ?? ""
  }
}
