import TesseraCCurl
import Testing

@testable import TesseraNet

/// Each result of libcurl as the error that it means.
@Suite struct CurlFailureTests {
  private typealias Hop = CurlFailure.Hop

  private static func error(_ code: CURLcode, _ change: (inout Hop) -> Void = { _ in })
    -> FetchError
  {
    var hop = Hop(
      host: "a.example", isRedirected: false, isProxied: false, wasSent: true, wasAnswered: true,
      obstacle: nil)
    change(&hop)
    return CurlFailure.error(rawCode: code.rawValue, hop: hop, maximumBytes: 77)
  }

  private static func sentence(_ code: CURLcode) -> String {
    String(cString: curl_easy_strerror(code))
  }

  /// A result, and its error; "%" is libcurl's own text.
  @Test(arguments: [
    (CURLE_URL_MALFORMAT, FetchError.Code.badURL, "not an http(s) URL: %", false),
    (CURLE_UNSUPPORTED_PROTOCOL, .badURL, "not an http(s) URL: %", false),
    (CURLE_COULDNT_RESOLVE_HOST, .dns, "the name a.example could not be resolved", true),
    (CURLE_OPERATION_TIMEDOUT, .timeout, "the time limit was reached: %", true),
    (CURLE_FILESIZE_EXCEEDED, .tooLarge, "the file is larger than 77 bytes (max-bytes)", false),
    (CURLE_PARTIAL_FILE, .truncated, "the body ended early: %", true),
    (CURLE_BAD_CONTENT_ENCODING, .badEncoding, "the body could not be decompressed: %", false),
    (CURLE_PEER_FAILED_VERIFICATION, .tls, "the TLS connection is not trusted: %", false),
    (CURLE_SSL_CERTPROBLEM, .tls, "the TLS connection is not trusted: %", false),
    (CURLE_SSL_CIPHER, .tls, "the TLS connection is not trusted: %", false),
    (CURLE_SSL_CACERT_BADFILE, .tls, "the TLS connection is not trusted: %", false),
    (CURLE_SSL_ISSUER_ERROR, .tls, "the TLS connection is not trusted: %", false),
    (CURLE_SSL_INVALIDCERTSTATUS, .tls, "the TLS connection is not trusted: %", false),
    (CURLE_SSL_CONNECT_ERROR, .tls, "the TLS handshake failed: %", true),
    (CURLE_HTTP2, .truncated, "the body ended early: %", true),
    (CURLE_HTTP2_STREAM, .truncated, "the body ended early: %", true),
    (CURLE_WEIRD_SERVER_REPLY, .badResponse, "the response is not valid HTTP: %", false),
    (
      CURLE_COULDNT_RESOLVE_PROXY, .network,
      "the name of the proxy (http_proxy, https_proxy, all_proxy) could not be resolved", true
    ),
    (CURLE_COULDNT_CONNECT, .network, "the connection failed: %", true),
    (CURLE_RECV_ERROR, .network, "the connection failed: %", true),
    (CURLE_GOT_NOTHING, .network, "the connection failed: %", true),
  ])
  func eachResultIsAnError(
    _ code: CURLcode, _ kind: FetchError.Code, _ message: String, _ isRetryable: Bool
  ) {
    let text = message.replacing("%", with: Self.sentence(code))
    #expect(Self.error(code) == FetchError(kind, text, isRetryable: isRetryable))
  }

  /// The same result may mean something else, by what happened before.
  @Test func theHopTellsResultsApart() {
    #expect(
      Self.error(CURLE_UNSUPPORTED_PROTOCOL) { $0.wasAnswered = false }
        == FetchError(.badResponse, "the response is not valid HTTP"))
    #expect(
      Self.error(CURLE_UNSUPPORTED_PROTOCOL) { ($0.wasSent, $0.wasAnswered) = (false, false) }.code
        == .badURL)
    #expect(
      Self.error(CURLE_COULDNT_RESOLVE_HOST) { $0.host = "" }
        == FetchError(.badURL, "the URL names no host"))
    for code in [CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL] {
      #expect(
        Self.error(code) { $0.isRedirected = true }
          == FetchError(.redirect, "the redirect does not lead to an http(s) URL"))
    }
    for code in [CURLE_HTTP2, CURLE_HTTP2_STREAM] {
      #expect(
        Self.error(code) { $0.wasAnswered = false }
          == FetchError(
            .network, "the connection failed: \(Self.sentence(code))", isRetryable: true))
    }
    let proxied = " through the proxy that the environment names (http_proxy, https_proxy)"
    #expect(
      Self.error(CURLE_COULDNT_CONNECT) { ($0.obstacle, $0.isProxied) = ("Refused", true) }
        == FetchError(.network, "the connection\(proxied) failed: Refused", isRetryable: true))
    #expect(
      Self.error(CURLE_RECV_ERROR) { $0.obstacle = "Refused" }.message
        == "the connection failed: \(Self.sentence(CURLE_RECV_ERROR))")
  }
}
