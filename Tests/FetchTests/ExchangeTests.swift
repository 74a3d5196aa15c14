import TesseraNet
import TesseraTestSupport
import Testing

/// Receives bodies, and keeps nothing of them.
private final class Sink: BodyReceiving {
  func receive(_ bytes: RawSpan) -> BodyVerdict { .more }
}

/// What ends an exchange: its headers may be too many, or already say everything.
@Suite struct ExchangeTests {
  private static func fetch(_ request: FetchRequest) async throws -> FetchResult {
    let fetcher = try Fetcher(
      FetchSettings(timeout: .seconds(10), addresses: AddressPolicy(allow: ["loopback"])))
    defer { fetcher.close() }
    return await fetcher.fetch(request, host: "h", into: Sink())
  }

  /// All headers of an exchange share one budget, and just as many are accepted.
  @Test(.faults(.n33, .n45), arguments: [(1, "ok"), (4, "ok"), (5, "too-large")])
  func headersShareOneBudget(_ parts: Int, _ expected: String) async throws {
    // 50 kB each: a redirect, an interim response, the headers, and trailers.
    let part = String(repeating: "X-Filler: \(String(repeating: "y", count: 988))\r\n", count: 50)
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") {
      $1.send(
        "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\(parts > 1 ? part : "")\r\n")
    }
    server.route("/b") { _, connection in
      if parts > 2 { connection.send("HTTP/1.1 103 Early Hints\r\n\(part)\r\n") }
      connection.send(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\(parts > 3 ? part : "")\r\n")
      let trailers = parts > 4 ? part + part + part : part
      connection.send("5\r\nhello\r\n0\r\n\(trailers)\r\n")
    }
    let answer = try await Self.fetch(
      FetchRequest(url: server.url("/a"), deadline: .seconds(20)))
    switch answer.result {
    case .success(let response):
      #expect(expected == "ok")
      #expect(response.bytes == 5)
    case .failure(let error):
      #expect(error.code.rawValue == expected)
      #expect(error.message == "the server's headers exceed 262144 bytes")
      #expect(!error.isRetryable)
    }
  }

  /// A pause that the server requests is known before its page has arrived.
  @Test func theStatusDecidesBeforeTheBody() async throws {
    let server = try FaultServer([
      "/a": { _, connection in
        connection.send("HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 9\r\n\r\n")
        connection.hang()
      }
    ])
    defer { server.stop() }
    let answer = try await Self.fetch(
      FetchRequest(url: server.url("/a"), deadline: .seconds(20)))
    let expected = FetchError(
      .httpStatus, "the server answered 429 Too Many Requests", isRetryable: true, status: 429,
      retryAfter: .seconds(7))
    #expect(throws: expected) { try answer.result.get() }
  }

  /// A short error page is read to its end: a dead link does not cost the next request a connection.
  @Test func aShortErrorPageKeepsTheConnection() async throws {
    let server = try FaultServer([
      "/a": { _, connection in
        connection.send("HTTP/1.1 404 Gone\r\nContent-Length: 9\r\n\r\nnot here\n")
        guard connection.nextRequest() else { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
      }
    ])
    defer { server.stop() }
    let fetcher = try Fetcher(
      FetchSettings(timeout: .seconds(10), addresses: AddressPolicy(allow: ["loopback"])))
    defer { fetcher.close() }
    let request = FetchRequest(url: server.url("/a"), deadline: .seconds(20))
    let first = await fetcher.fetch(request, host: "h", into: Sink())
    #expect(throws: FetchError.self) { try first.result.get() }
    let second = await fetcher.fetch(request, host: "h", into: Sink())
    #expect(try second.result.get().bytes == 5)
    #expect(server.connections == 1)
  }

  /// A page that ends early, or is longer than announced as short, changes nothing about the status.
  @Test(arguments: ["Content-Length: 900", "Content-Length: 90000", "Transfer-Encoding: chunked"])
  func aCutOffErrorPageLeavesItsStatus(_ header: String) async throws {
    let server = try FaultServer([
      "/a": { _, connection in
        connection.send("HTTP/1.1 404 Gone\r\n\(header)\r\n\r\n5\r\nhello")
      }
    ])
    defer { server.stop() }
    let answer = try await Self.fetch(
      FetchRequest(url: server.url("/a"), deadline: .seconds(20)))
    #expect(throws: FetchError(.httpStatus, "the server answered 404 Not Found", status: 404)) {
      try answer.result.get()
    }
  }
}
