import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// What ends an exchange with a server before its body, in whole runs.
@Suite struct ExchangeTests {
  /// Headers without an end, wherever they are: memory does not grow with them (N33, N45).
  @Test(.faults(.n33, .n45), arguments: ["trailers", "interim responses", "headers", "redirects"])
  func endlessHeadersNeedNoMemory(_ kind: String) async throws {
    let plain = try Places.bytes("plain.jpg")
    let line = "X-Filler: \(String(repeating: "y", count: 2_000))\r\n"
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { request, connection in
      // 200 MB: no end would keep the code of before busy until its deadline.
      func flood(_ text: String) {
        let block = Array(String(repeating: text, count: 50).utf8)
        var rest = 200_000_000
        while rest > 0, connection.send(block) { rest -= block.count }
      }
      switch kind {
      case "trailers":
        connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.send("\(String(plain.count, radix: 16))\r\n")
        connection.send(plain)
        connection.send("\r\n0\r\n")
        flood(line)
        connection.send("\r\n")
      case "interim responses":
        flood("HTTP/1.1 103 Early Hints\r\n\(line)\r\n")
        connection.fixture("plain.jpg")
      case "headers":
        connection.send("HTTP/1.1 200 OK\r\n")
        flood(line)
        connection.send("Content-Length: \(plain.count)\r\n\r\n")
        connection.send(plain)
      default:
        // Each response is of a common size, and all of them together are not.
        connection.send("HTTP/1.1 302 Found\r\nLocation: /a?\(request.before)\r\n")
        connection.send(String(repeating: line, count: 25))
        connection.send("Content-Length: 0\r\n\r\n")
      }
    }
    let fixture = try RunFixture(
      manifest: server.url("/a") + "\n",
      keys: "fetch: {allow: loopback, retries: 0, redirects: 20}")
    #expect(try await fixture.run().status == 1)
    let error = try fixture.catalog.images[0].error
    #expect(error?.code == "too-large")
    #expect(error?.message == "The server's headers exceed 262144 bytes.")
    #expect(error?.retryable == false)
    #expect(try fixture.report["peakMemoryBytes"] ?? .max < 100_000_000)
  }

  /// The status of an error decides, although its body never comes (N47).
  @Test(
    .faults(.n21, .n47),
    arguments: [
      ("404 Not Found", false), ("410 Gone", false), ("403 Forbidden", false),
      ("503 Service Unavailable", true), ("302 Found", false),
    ])
  func theStatusDecidesBeforeTheBody(_ status: String, _ isRetryable: Bool) async throws {
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { _, connection in
      connection.send("HTTP/1.1 \(status)\r\nContent-Length: 5000\r\n\r\n")
      connection.hang()
    }
    let fixture = try RunFixture(
      manifest: server.url("/a") + "\n", keys: "fetch: {allow: loopback, deadline: 4s}")
    #expect(try await fixture.run().status == 1)
    let error = try fixture.catalog.images[0].error
    #expect(error?.code == (status.hasPrefix("302") ? "redirect" : "http-status"))
    #expect(error?.retryable == isRetryable)
    if !isRetryable { #expect(server.total == 1) }
  }

  /// What was taken down is not shown again: not even as stale.
  @Test(
    .faults(.n29), arguments: ["404 Not Found", "410 Gone", "451 Unavailable For Legal Reasons"])
  func aTakedownEndsTheItem(_ status: String) async throws {
    let isGone = Mutex(false)
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { _, connection in
      isGone.withLock(\.self)
        ? connection.respond(status, [:], Array("Sorry".utf8)) : connection.fixture("plain.jpg")
    }
    let fixture = try RunFixture(manifest: #"{"id":"a","url":"\#(server.url("/a"))"}"# + "\n")
    #expect(try await fixture.run().status == 0)
    isGone.withLock { $0 = true }
    for _ in 0..<2 {
      #expect(try await fixture.run("--allow-loss").status == 1)
      #expect(try fixture.catalog.outline == ["a failed 240x160 jpeg [http-status]"])
    }
    isGone.withLock { $0 = false }
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["decodes"] == 0)
  }
}
