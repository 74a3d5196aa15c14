import Foundation
import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// What browsers make of answers that follow the standard loosely, or not at all: so does a fetch, because a source that
/// a browser shows is expected to work.
@Suite(.timeLimit(.minutes(2))) struct BrowserHTTPTests {
  private final class Sink: BodyReceiving {
    let state = Mutex((begun: 0, bytes: [UInt8]()))

    func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
      state.withLock { $0.begun += 1 }
      return .more
    }

    func receive(_ bytes: RawSpan) -> BodyVerdict {
      state.withLock { state in
        bytes.withUnsafeBytes { state.bytes += $0 }
        return .more
      }
    }
  }

  /// The body, or the error's code, with an asterisk if it is retryable.
  private static func outcome(
    _ url: String, _ change: (inout FetchRequest) -> Void = { _ in }
  ) async throws -> String {
    let fetcher = try Fetcher(
      FetchSettings(timeout: .seconds(10), addresses: AddressPolicy(allow: ["loopback"])))
    defer { fetcher.close() }
    var request = FetchRequest(url: url, deadline: .seconds(20))
    change(&request)
    let sink = Sink()
    let answer = await fetcher.fetch(request, host: SourceHost.name(of: url), into: sink)
    switch answer.result {
    case .success:
      // A receiver hears of one body, however often it was requested.
      #expect(sink.state.withLock(\.begun) == 1)
      return String(decoding: sink.state.withLock(\.bytes), as: UTF8.self)
    case .failure(let error): return error.code.rawValue + (error.isRetryable ? "*" : "")
    }
  }

  private static func answer(_ status: String, _ lines: [String], _ body: String = "") -> String {
    (["HTTP/1.1 \(status)", "Connection: close", "Content-Length: \(body.utf8.count)"] + lines)
      .map { $0 + "\r\n" }.joined() + "\r\n" + body
  }

  /// An unknown coding leaves the body as it is, also beside one that is known (Fetch, "handle content codings").
  @Test(
    .faults(.n52),
    arguments: [
      ["UTF-8"], ["utf8"], ["binary"], ["aws-chunked"], ["aws-chunked,gzip"], ["gzip, aws-chunked"],
      ["gzip", "aws-chunked"], ["base64"], ["8bit"], ["image/jpeg"], ["jpeg"], ["compress"], ["*"],
      ["\"\""], ["gzip;q=1"], [""], [" "], ["none"], ["identity"], [","],
    ])
  func anUnknownContentEncodingLeavesTheBodyAsItIs(_ values: [String]) async throws {
    let lines = values.map { "Content-Encoding: \($0)" }
    let server = try FaultServer([
      "/a": { $1.send(Self.answer("200 OK", lines, "hello")) },
      "/chunked": {
        $1.send(
          (["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"] + lines).map { $0 + "\r\n" }.joined()
            + "\r\n5\r\nhello\r\n0\r\n\r\n")
      },
      "/part": {
        $1.send(
          Self.answer("206 Partial Content", lines + ["Content-Range: bytes 1-5/9"], "hello"))
      },
      "/to": { $1.send(Self.answer("302 Found", lines + ["Location: /a"])) },
    ])
    defer { server.stop() }
    for path in ["/a", "/chunked", "/to"] {
      #expect(try await Self.outcome(server.url(path)) == "hello", "\(path)")
      #expect(try await Self.outcome(server.url(path)) { $0.isForBeginning = true } == "hello")
    }
    #expect(try await Self.outcome(server.url("/part")) { $0.range = 1..<6 } == "hello")
  }

  /// A false claim of a known coding is an error, as in browsers.
  @Test(.faults(.n52), arguments: ["gzip", "x-gzip", "GZIP", "deflate", "br", "identity, gzip"])
  func aFalseContentEncodingFails(_ value: String) async throws {
    let server = try FaultServer([
      "/": { $1.send(Self.answer("200 OK", ["Content-Encoding: \(value)"], "not compressed")) }
    ])
    defer { server.stop() }
    #expect(try await Self.outcome(server.url("/")) == "bad-encoding")
  }

  /// Headers that have one value: equal repetitions are one, different ones an error where the value matters, and else
  /// none.
  @Test(
    .faults(.n53),
    arguments: [
      ("302 Found", ["Location: /a", "Location: /a"], "hello"),
      ("302 Found", ["Location: /a", "location:  /a "], "hello"),
      ("302 Found", ["Location: /a", "Location: /b"], "redirect"),
      ("302 Found", ["Location:", "Location: /a"], "redirect"),
      ("302 Found", ["Location: /,%20/a", "X: y"], "http-status"),
    ])
  func aRepeatedLocationIsOne(_ status: String, _ lines: [String], _ expected: String) async throws
  {
    let server = try FaultServer([
      "/to": { $1.send(Self.answer(status, lines)) },
      "/a": { $1.send(Self.answer("200 OK", [], "hello")) },
    ])
    defer { server.stop() }
    #expect(try await Self.outcome(server.url("/to")) == expected)
  }

  @Test(.faults(.n53)) func headersOfOneValueAreNeverJoined() throws {
    func headers(_ lines: String...) -> ResponseHeaders {
      var headers = ResponseHeaders()
      for line in ["HTTP/1.1 200 OK"] + lines { headers.add((line + "\r\n").utf8) }
      return headers
    }
    for name in [
      "location", "content-length", "expires", "last-modified", "etag", "retry-after", "date",
      "content-range", "content-type",
    ] {
      let (same, other) = (headers("\(name): 5", "\(name):5 "), headers("\(name): 5", "\(name): 6"))
      #expect(same[name] == "5" && !same.isContradictory(name), "\(name)")
      #expect(other[name] == nil && other.isContradictory(name), "\(name)")
      #expect(headers("\(name): \u{E9}", "\(name): e\u{301}").isContradictory(name))
      #expect(headers("\(name): 1", "\(name): 2", "\(name): 1").isContradictory(name))
    }
    for name in ["cache-control", "content-encoding", "vary", "x-robots-tag"] {
      let list = headers("\(name): a", "\(name): a", "\(name): b")
      #expect(list[name] == "a, a, b" && !list.isContradictory(name), "\(name)")
    }
    let dates = headers("Last-Modified: a", "Last-Modified: b", "ETag: \"1\"", "ETag: \"1\"")
    #expect(
      Validators(etag: dates["etag"], lastModified: dates["last-modified"])
        == Validators(etag: "\"1\"", lastModified: nil))
    #expect(headers("Retry-After: 5", "Retry-After: 9").requestedPause(now: 0) == nil)
    #expect(
      try headers("Content-Length: 5", "Content-Length: 5").extent(wanted: nil) == .whole(length: 5)
    )
    #expect(
      throws: FetchError(.badResponse, "the server stated different lengths (Content-Length)")
    ) { try headers("Content-Length: 5", "Content-Length: 6").extent(wanted: nil) }
  }

  /// Services in front of a server that can't reach it: the image is tried again, and the host pauses if several say so.
  @Test(.faults(.n54), arguments: Array(520...527) + [529, 530, 598])
  func statusesOfGatewaysMayPass(_ status: Int) async throws {
    let server = try FaultServer([
      "/": { request, connection in
        connection.respond(request.before == 0 ? "\(status) Whatever" : "200 OK", [:], [0x61])
      }
    ])
    defer { server.stop() }
    #expect(try await Self.outcome(server.url("/")) == "http-status*")
    #expect(try await Self.outcome(server.url("/")) == "a")
    let error = FetchError(.httpStatus, "x", isRetryable: true, status: status)
    #expect(CircuitBreaker.Signal(.failure(error), wasSent: true) == .rateLimited(error))
    #expect(HostWindow.Answer(.failure(error), after: nil) == .trouble)
  }

  @Test(.faults(.n54), arguments: [501, 505, 507, 509, 519, 528, 531, 597, 599])
  func otherStatusesAreFinal(_ status: Int) {
    #expect(!HTTPStatus.isRetryable(status) && !HTTPStatus.isBusy(status))
  }

  /// A page that redirects to itself until its cookie comes back. Nothing is kept for the next request, and nothing leaves
  /// the origin.
  @Test(.faults(.n55)) func aRedirectThatSetsACookieIsFollowedWithIt() async throws {
    let seen = Mutex<[String]>([])
    let (server, other) = (try FaultServer(), try FaultServer())
    defer {
      server.stop()
      other.stop()
    }
    @Sendable func note(_ request: FaultServer.Request) -> String {
      let cookie = request.headers["cookie"] ?? "none"
      seen.withLock { $0.append("\(request.path) \(cookie)") }
      return cookie
    }
    let wide = "Set-Cookie: s=1; Path=/; Domain=127.0.0.1; Max-Age=600"
    server.route("/a") { request, connection in
      connection.send(
        note(request) == "s=1"
          ? Self.answer("200 OK", [], "hello") : Self.answer("302 Found", [wide, "Location: /a"]))
    }
    server.route("/away") { request, connection in
      _ = note(request)
      connection.send(Self.answer("302 Found", [wide, "Location: \(other.url("/b"))"]))
    }
    other.route("/b") { request, connection in
      _ = note(request)
      connection.send(Self.answer("302 Found", ["Location: \(server.url("/c"))"]))
    }
    server.route("/c") { request, connection in
      _ = note(request)
      connection.send(Self.answer("200 OK", [], "back"))
    }
    for _ in 0..<2 {
      #expect(try await Self.outcome(server.url("/a")) == "hello")
      #expect(try await Self.outcome(server.url("/away")) == "back")
      let requests = seen.withLock { seen in
        defer { seen = [] }
        return seen
      }
      #expect(requests == ["/a none", "/a s=1", "/away none", "/b none", "/c none"])
    }
  }

  /// The value of Location, with "~" for a byte FC, and the path that is requested.
  private static let locations: [(String, String)] = [
    ("/B~cher.jpg", "/B%FCcher.jpg"), ("/B\u{FC}cher.jpg", "/B%C3%BCcher.jpg"),
    ("/\u{FC}~", "/%C3%BC%FC"), ("/a?q=~", "/a?q=%FC"), ("\\p1.jpg", "/p1.jpg"),
    ("/a\\b?c\\d", "/a/b?c\\d"), ("/a b\tc", "/a%20bc"), ("/a%20%", "/a%20%"),
    ("?\u{FC} x", "/to?%C3%BC%20x"),
  ]

  /// No byte of a Location is lost, and a backslash is a slash.
  @Test(.faults(.n56), arguments: locations)
  func aLocationKeepsItsBytes(_ location: String, _ path: String) async throws {
    let bytes = location.utf8.map { $0 == UInt8(ascii: "~") ? 0xFC : $0 }
    let seen = Mutex<[String]>([])
    let server = try FaultServer()
    defer { server.stop() }
    for route in ["/to", path] {
      server.route(route) { request, connection in
        let isFirst = seen.withLock { seen in
          defer { seen.append(request.path) }
          return seen.isEmpty
        }
        connection.send("HTTP/1.1 \(isFirst ? 302 : 200) X\r\nContent-Length: 0\r\n")
        if isFirst { connection.send(Array("Location: ".utf8) + bytes + Array("\r\n".utf8)) }
        connection.send("\r\n")
      }
    }
    #expect(try await Self.outcome(server.url("/to")) == "")
    #expect(seen.withLock(\.self) == ["/to", path])
  }

  /// A backslash ends the host, as it does for browsers: what is before it is not a user's name.
  @Test(
    .faults(.n56),
    arguments: [
      ("http://h\\@evil.example/a", "http://h/@evil.example/a"),
      ("\\\\i.example\\a", "http://i.example/a"), ("http:\\\\i.example\\a", "http://i.example/a"),
    ])
  func aBackslashEndsTheHost(_ location: String, _ url: String) {
    #expect(URLReference.redirect(to: location, from: "http://h/x") == url)
  }

  /// What a proxy gets is the host by which the request was judged.
  @Test(.faults(.x2)) func aProxyGetsTheHostThatWasJudged() async throws {
    let proxy = try FaultServer([
      "http://images.example/a": { request, connection in
        connection.respond("200 OK", [:], Array((request.headers["host"] ?? "").utf8))
      },
      "http://images.example/to": {
        $1.respond("302 Found", ["Location": "http://①②⑦.0.0.1/latest"])
      },
      "http://images.example/dot": { $1.respond("302 Found", ["Location": "//localhost./"]) },
    ])
    defer { proxy.stop() }
    var settings = FetchSettings(timeout: .seconds(10))
    settings.proxies = ProxySettings { ["http_proxy": proxy.url("")][$0] }
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    func fetch(_ url: String) async -> String {
      let sink = Sink()
      let answer = await fetcher.fetch(
        FetchRequest(url: url, deadline: .seconds(20)), host: "h", into: sink)
      if case .failure(let error) = answer.result { return error.code.rawValue }
      return String(decoding: sink.state.withLock(\.bytes), as: UTF8.self)
    }
    for host in ["images.example", "ＩＭＡＧＥＳ。example.", "im%61ges.example"] {
      #expect(await fetch("http://\(host)/a") == "images.example")
    }
    #expect(await fetch("http://images.example/to") == "address-rejected")
    #expect(await fetch("http://images.example/dot") == "address-rejected")
    #expect(await fetch("http://ü\u{FFFD}/a") == "bad-url")
    #expect(proxy.total == 5)
  }
}
