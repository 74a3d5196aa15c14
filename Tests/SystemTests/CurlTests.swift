import TesseraCCurl
import Testing

@testable import TesseraNet

/// What libcurl reads, and what requests have in common.
@Suite struct CurlTests {
  private static let parts: [CurlURL.Part] = [.url, .scheme, .user, .password, .host, .port]

  @Test(
    arguments: [
      (
        "HTTP://u:p@Host:8080/a/../b?q#f",
        ["http://u:p@Host:8080/b?q#f", "http", "u", "p", "Host", "8080"]
      ),
      ("https://h", ["https://h/", "https", nil, nil, "h", "443"]),
      ("http://[::1]/", ["http://[::1]/", "http", nil, nil, "[::1]", "80"]),
      ("h/a", nil), ("nothing://h/", nil), ("", nil), ("http://", nil), ("/a", nil),
    ] as [(String, [String?]?)])
  func readsThePartsOfAURL(_ text: String, _ expected: [String?]?) {
    guard let url = CurlURL(text) else {
      #expect(expected == nil)
      return
    }
    var found: [String?] = []
    for part in Self.parts { found.append(url[part]) }
    #expect(found == expected)
  }

  @Test func setsPartsOfAURL() throws {
    guard let url = CurlURL("http://h/a") else { throw Missing() }
    let results = [
      url.set(.user, to: "u"), url.set(.password, to: "p"), url.set(.port, to: "81"),
      url.set(.host, to: "i"), url.set(.scheme, to: "https"), url.set(.port, to: "x"),
    ]
    #expect(results == [true, true, true, true, true, false])
    var text = url[.url]
    #expect(text == "https://u:p@i:81/a")
    let isRemoved = url.set(.user, to: nil) && url.set(.password, to: nil)
    #expect(isRemoved)
    text = url[.url]
    #expect(text == "https://i:81/a")
  }

  private struct Missing: Error {}

  /// A reference without a path keeps that of the base, and its query (RFC 3986, section 5.2.2).
  @Test(
    arguments: [
      ("", "http://h/a?q"), ("#", "http://h/a?q"), ("#x", "http://h/a?q#x"),
      ("#x y", "http://h/a?q#x%20y"), ("b", "http://h/b"), ("b c", "http://h/b%20c"),
      ("?r", "http://h/a?r"), ("//i", "http://i/"), ("gopher://i/x", "gopher://i/x"),
      ("unknown://i/x", "unknown://i/x"), ("http://i:x/", nil),
    ] as [(String, String?)])
  func resolvesReferences(_ reference: String, _ expected: String?) throws {
    guard let url = CurlURL("http://h/a?q#f") else { throw Missing() }
    let isResolved = url.resolve(reference)
    #expect(isResolved == (expected != nil))
    let text = url[.url]
    if let expected { #expect(text == expected) }
  }

  @Test(arguments: [
    ("http://A.example/x", "http", "a.example", "80", "a.example"),
    ("https://a.example:443", "https", "a.example", "443", "a.example"),
    ("http://a.example:443", "http", "a.example", "443", "a.example:443"),
    ("https://a.example:80", "https", "a.example", "80", "a.example:80"),
    ("http://u@[::1]:81/", "http", "[::1]", "81", "[::1]:81"), ("nonsense", "", "", "", ":"),
  ])
  func anOriginIsSchemeHostAndPort(
    _ url: String, _ scheme: String, _ host: String, _ port: String, _ authority: String
  ) {
    let origin = Origin(url)
    #expect([origin.scheme, origin.host.text, origin.port] == [scheme, host, port])
    #expect(origin.authority == authority)
  }

  /// The numbers that a resolver reads as an address.
  @Test(
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
      ("[::1]", "::1"), ("localhost", "127.0.0.1"), ("a.localhost", "127.0.0.1"),
      ("alocalhost", nil), ("localhost.example", nil), ("a.example", nil), ("", nil),
    ] as [(String, String?)])
  func aHostMaySpellAnAddress(_ host: String, _ address: String?) {
    #expect(HostName(host).address == address.flatMap { IPAddress($0) })
  }

  /// RFC 9110, section 5.6.7: the preferred form and the two obsolete ones.
  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 01 Jan 1970 00:00:01 GMT", 1), ("soon", nil), ("", nil), ("0", nil),
    ] as [(String, Int?)])
  func readsDates(_ text: String, _ seconds: Int?) { #expect(HTTPDate.seconds(text) == seconds) }

  @Test func headersAreThoseOfTheLastResponse() {
    var headers = ResponseHeaders()
    #expect(headers.status == 0)
    for line in [
      "HTTP/1.1 103 Early Hints\r\n", "X-Old: 1\r\n", "\r\n", "HTTP/2 200 \r\n",
      "Content-Type:\t image/png \r\n", "Vary: a\r\n", "vary: b\r\n", "no colon\r\n", "Empty:\r\n",
      "Time: 10:20\r\n", "X-Unix: 1\n", "\r\n",
    ] { headers.add(line.utf8) }
    #expect(headers.status == 200)
    #expect(headers["content-type"] == "image/png")
    #expect(headers["vary"] == "a, b")
    #expect(headers["empty"] == "")
    #expect(headers["time"] == "10:20")
    #expect(headers["x-unix"] == "1")
    #expect(headers["x-old"] == nil)
    #expect(headers["no colon"] == nil)
    // Some servers leave the blank after the status out, too (RFC 9112, section 4).
    for line in ["HTTP/1.1 404", "HTTP/1.1 404\r\n", "HTTP/1.1 404 Not Found\r\n"] {
      var headers = ResponseHeaders()
      headers.add(line.utf8)
      #expect(headers.status == 404)
    }
    headers.add("HTTP/1.1\r\n".utf8)
    #expect(headers.status == 0)
    headers.add("HTTP/1.1 abc\r\n".utf8)
    #expect(headers.status == 0)
  }

  /// Steps double up to the longest, and a part of each is random.
  @Test func aBackOffDoublesUpToItsLongestStep() {
    let full = Backoff()
    let steps = (1...8).map { full.pause(after: $0, chance: 1, wanted: nil) }
    #expect(
      steps == [0.5, 1, 2, 4, 8, 16, 30, 30].map { .milliseconds(Int($0 * 1_000)) })
    #expect(full.pause(after: 3, chance: 0, wanted: nil) == .zero)
    #expect(full.pause(after: 3, chance: 0.25, wanted: nil) == .milliseconds(500))
    let half = Backoff(base: .seconds(1), cap: .seconds(1_000_000), least: 0.5)
    #expect(half.pause(after: 3, chance: 0, wanted: nil) == .seconds(2))
    #expect(half.pause(after: 3, chance: 0.5, wanted: nil) == .seconds(3))
    #expect(half.pause(after: 3, chance: 1, wanted: .seconds(3)) == .seconds(4))
    #expect(half.pause(after: 3, chance: 1, wanted: .seconds(5)) == .seconds(5))
    // Sixteen times at most, so that nothing overflows.
    #expect(half.pause(after: 16, chance: 1, wanted: nil) == .seconds(32_768))
    #expect(half.pause(after: 17, chance: 1, wanted: nil) == .seconds(65_536))
    #expect(half.pause(after: 100, chance: 1, wanted: nil) == .seconds(65_536))
  }

  /// The first option that fails is kept until a caller takes it.
  @Test func aHandleRemembersItsFirstFailure() throws {
    guard var handle = EasyHandle() else { throw Missing() }
    handle.set(CURLOPT_TIMEOUT_MS, 5)
    handle.set(CURLOPT_URL, "http://h/")
    handle.set(CURLOPT_MAXFILESIZE_LARGE, offset: 7)
    handle.setHeaders(["A: 1", "B: 2"])
    handle.setHeaders(["A: 1"])
    var failure = handle.takeFailure()
    #expect(failure == nil)
    handle.check(CURLE_BAD_FUNCTION_ARGUMENT)
    handle.check(CURLE_UNKNOWN_OPTION)
    handle.check(CURLE_OK)
    failure = handle.takeFailure()
    #expect(failure == String(cString: curl_easy_strerror(CURLE_BAD_FUNCTION_ARGUMENT)))
    failure = handle.takeFailure()
    #expect(failure == nil)
    // Values that libcurl rejects.
    handle.set(CURLOPT_PORT, -1)
    let number = handle.takeFailure()
    handle.set(CURLOPT_MAXFILESIZE_LARGE, offset: -1)
    let offset = handle.takeFailure()
    handle.set(CURLOPT_PROTOCOLS_STR, "nothing")
    let text = handle.takeFailure()
    #expect(number != nil && offset != nil && text != nil)
    let obstacle = handle.obstacle
    #expect(obstacle == nil)
  }

  @Test func aHandleKnowsItsContext() throws {
    guard var handle = EasyHandle() else { throw Missing() }
    let pointer = handle.pointer
    #expect(EasyHandle.context(of: pointer) == nil)
    handle.setContext(pointer)
    #expect(EasyHandle.context(of: pointer) == pointer)
  }
}
