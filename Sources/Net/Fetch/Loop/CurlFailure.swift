private import TesseraCCurl

/// Translates libcurl's result codes into errors: a code, a sentence, and whether a retry may
/// succeed.
enum CurlFailure {
  /// The state of the last hop before it failed.
  struct Hop {
    var host: String
    var isRedirected: Bool
    var isProxied: Bool
    var wasSent: Bool
    var wasAnswered: Bool
    /// Why the system could not connect: "Connection refused"; nil if it did, or gave no reason.
    var obstacle: String?
  }

  static func error(rawCode: UInt32, hop: Hop, maximumBytes: Int) -> FetchError {
    let code = CURLcode(rawValue: rawCode)
    let sentence = String(cString: curl_easy_strerror(code))
    switch code {
    // HTTP/0.9, which libcurl disables, or no HTTP at all.
    case CURLE_UNSUPPORTED_PROTOCOL where hop.wasSent && !hop.wasAnswered:
      return FetchError(.badResponse, "the response is not valid HTTP")
    case CURLE_COULDNT_RESOLVE_HOST where hop.host.isEmpty:
      return FetchError(.badURL, "the URL names no host")
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
      return hop.isRedirected
        ? FetchError(.redirect, "the redirect does not lead to an http(s) URL")
        : FetchError(.badURL, "not an http(s) URL: \(sentence)")
    case CURLE_COULDNT_RESOLVE_HOST:
      return FetchError(
        .dns, "the name \(hop.host) could not be resolved", isRetryable: true)
    case CURLE_OPERATION_TIMEDOUT:
      return FetchError(.timeout, "the time limit was reached: \(sentence)", isRetryable: true)
    case CURLE_FILESIZE_EXCEEDED: return .tooLarge(maximumBytes)
    case CURLE_PARTIAL_FILE:
      return FetchError(.truncated, "the body ended early: \(sentence)", isRetryable: true)
    case CURLE_BAD_CONTENT_ENCODING:
      return FetchError(.badEncoding, "the body could not be decompressed: \(sentence)")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      return FetchError(.tls, "the TLS connection is not trusted: \(sentence)")
    case CURLE_SSL_CONNECT_ERROR:
      // Also if the server closes the connection during the handshake, which may pass.
      return FetchError(.tls, "the TLS handshake failed: \(sentence)", isRetryable: true)
    case CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return hop.wasAnswered
        ? FetchError(.truncated, "the body ended early: \(sentence)", isRetryable: true)
        : FetchError(.network, "the connection failed: \(sentence)", isRetryable: true)
    case CURLE_WEIRD_SERVER_REPLY:
      return FetchError(.badResponse, "the response is not valid HTTP: \(sentence)")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return FetchError(
        .network,
        "the name of the proxy (http_proxy, https_proxy, all_proxy) could not be resolved",
        isRetryable: true)
    default:
      let way =
        hop.isProxied
        ? " through the proxy that the environment names (http_proxy, https_proxy)" : ""
      let reason = code == CURLE_COULDNT_CONNECT ? hop.obstacle ?? sentence : sentence
      return FetchError(.network, "the connection\(way) failed: \(reason)", isRetryable: true)
    }
  }
}
