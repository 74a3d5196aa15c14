private import TesseraCCurl

/// A URL as libcurl reads it: what it would connect to. Owns libcurl's URL handle.
package struct CurlURL: ~Copyable {
  private let handle: OpaquePointer

  /// Nil if the text is not an absolute URL.
  package init?(_ text: String) {
    guard CurlLibrary.isInitialized, let handle = curl_url() else { return nil }
    // No flags: a missing scheme, or one that libcurl cannot fetch, has to be an error.
    guard curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK else {
      // No `deinit` runs for a value that was not made.
      curl_url_cleanup(handle)
      return nil
    }
    self.handle = handle
  }

  deinit { curl_url_cleanup(handle) }

  package enum Part {
    case url
    case scheme
    case user
    case password
    case host
    /// The host with the mapping of UTS 46, as libcurl requests it; nil also if there is none.
    case asciiHost
    /// The scheme's default if the URL has none.
    case port

    fileprivate var code: CURLUPart {
      switch self {
      case .url: CURLUPART_URL
      case .scheme: CURLUPART_SCHEME
      case .user: CURLUPART_USER
      case .password: CURLUPART_PASSWORD
      case .host, .asciiHost: CURLUPART_HOST
      case .port: CURLUPART_PORT
      }
    }
  }

  /// Nil if the URL does not have the part.
  package subscript(part: Part) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let flags =
      switch part {
      case .port: UInt32(CURLU_DEFAULT_PORT)
      case .asciiHost: UInt32(CURLU_PUNYCODE)
      default: UInt32(0)
      }
    guard curl_url_get(handle, part.code, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }

  /// Returns false if libcurl rejects the text.
  package func set(_ part: Part, to text: String?) -> Bool {
    curl_url_set(handle, part.code, text, 0) == CURLUE_OK
  }

  /// Replaces the URL by what a reference means relative to it (RFC 3986, section 5.2). Returns
  /// false if libcurl rejects the reference.
  package func resolve(_ reference: String) -> Bool {
    // libcurl 7.88 resolves these two as if they were ".": it drops the last segment and the query,
    // which section 5.2.2 keeps.
    if reference.isEmpty || reference.hasPrefix("#") {
      let fragment = reference.dropFirst()
      let code = curl_url_set(
        handle, CURLUPART_FRAGMENT, fragment.isEmpty ? nil : String(fragment),
        UInt32(CURLU_URLENCODE))
      return code == CURLUE_OK
    }
    // Schemes that are not fetched are accepted here and rejected by the request, which then names
    // the true cause. Blanks are common in Location headers, and browsers accept them.
    let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME)
    return curl_url_set(handle, CURLUPART_URL, reference, flags) == CURLUE_OK
  }
}

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
