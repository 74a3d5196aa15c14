import Foundation
import Synchronization
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraNet

/// What a request sends, and what of its response counts.
@Suite struct TransferTests {
  private final class Sink: BodyReceiving {
    let state = Mutex((extent: BodyExtent?.none, bytes: 0))
    private let verdict: BodyVerdict
    private let first: BodyVerdict

    init(_ verdict: BodyVerdict = .more, first: BodyVerdict = .more) {
      (self.verdict, self.first) = (verdict, first)
    }

    func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
      state.withLock { $0.extent = extent }
      return first
    }

    func receive(_ bytes: RawSpan) -> BodyVerdict {
      state.withLock { $0.bytes += bytes.byteCount }
      return verdict
    }
  }

  private static func fetch(
    _ url: String, into sink: Sink = Sink(),
    settings change: (inout FetchSettings) -> Void = { _ in },
    _ request: (inout FetchRequest) -> Void = { _ in }
  ) async throws -> FetchResult {
    var settings = FetchSettings(
      timeout: .seconds(10), addresses: AddressPolicy(allow: ["loopback"]))
    change(&settings)
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    var asked = FetchRequest(url: url, deadline: .seconds(20))
    request(&asked)
    return await fetcher.fetch(asked, host: "h", into: sink)
  }

  /// The headers of a request, as the server sees them.
  private static func headers(
    of request: (inout FetchRequest) -> Void = { _ in },
    settings change: (inout FetchSettings) -> Void = { _ in }
  ) async throws -> [String: String] {
    let seen = Mutex<[String: String]>([:])
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { request, connection in
      seen.withLock { $0 = request.headers }
      connection.respond()
    }
    _ = try await fetch(server.url("/a"), settings: change, request)
    return seen.withLock { $0 }
  }

  @Test func aPlainRequestOffersEveryEncoding() async throws {
    let headers = try await Self.headers(settings: { $0.userAgent = "Test/1" })
    #expect(headers["user-agent"] == "Test/1")
    #expect(headers["accept-encoding"]?.contains("gzip") == true)
    for name in ["range", "if-range", "if-none-match", "if-modified-since", "authorization"] {
      #expect(headers[name] == nil)
    }
  }

  @Test func aRequestForAPartOffersNoCompression() async throws {
    let part = try await Self.headers(of: { ($0.range, $0.ifRange) = (5..<9, "\"1\"") })
    #expect(part["range"] == "bytes=5-8")
    #expect(part["if-range"] == "\"1\"")
    #expect(part["accept-encoding"] == "identity")
    // A version belongs to a range.
    let whole = try await Self.headers(of: { ($0.ifRange, $0.isForBeginning) = ("\"1\"", true) })
    #expect(whole["if-range"] == nil)
    #expect(whole["accept-encoding"] == "identity")
  }

  @Test(arguments: [false, true])
  func configuredHeadersStayInTheirOrigin(_ leftOrigin: Bool) async throws {
    let headers = try await Self.headers(
      of: { $0.leftOrigin = leftOrigin },
      settings: {
        $0.headers = [
          RequestHeader(name: "X-A", value: "1"),
          RequestHeader(name: "X-B", value: "2", host: "other.example"),
        ]
      })
    #expect(headers["x-a"] == (leftOrigin ? nil : "1"))
    #expect(headers["x-b"] == nil)
  }

  /// 500 characters of the owner's wishes are kept, and the whole response is described.
  @Test func aResponseIsDescribed() async throws {
    let robots = String(repeating: "r", count: 501)
    let server = try FaultServer([
      "/1": { $1.respond("302 Found", ["Location": "/a?token=x&v=1#f"]) },
      "/a": {
        $1.respond(
          "200 OK",
          [
            "X-Robots-Tag": robots, "ETag": "\"1\"", "Last-Modified": "then",
            "Cache-Control": "max-age=60",
          ], Array("hello".utf8))
      },
    ])
    defer { server.stop() }
    let sink = Sink()
    let result = try await Self.fetch(server.url("/1"), into: sink)
    let response = try result.result.get()
    #expect(response.ending == .complete)
    #expect(response.url == server.url("/a?token=x&v=1#f"))
    #expect(response.place == server.url("/a?v=1"))
    #expect(!response.leftOrigin)
    #expect(response.validators == Validators(etag: "\"1\"", lastModified: "then"))
    #expect(response.freshness == .seconds(60))
    #expect(response.redirectFreshness == [nil])
    #expect(response.robots == String(robots.dropLast()))
    #expect(result.begun?.place == response.place)
    #expect(
      [result.bytes, response.bytes, sink.state.withLock { $0.bytes }] == [5, 5, 5] as [Int])
    #expect(result.requests == 2)
    #expect(sink.state.withLock { $0.extent } == .whole(length: 5))
  }

  @Test func aReceiverDecides() async throws {
    let server = try FaultServer(["/a": { $1.respond("200 OK", [:], Array("hello".utf8)) }])
    defer { server.stop() }
    for (sink, bytes) in [(Sink(.enough), 5), (Sink(first: .enough), 0)] {
      let response = try await Self.fetch(server.url("/a"), into: sink).result.get()
      #expect(response.ending == .stopped)
      #expect(response.bytes == bytes)
    }
    for (sink, error) in [
      (Sink(.failed("full")), FetchError(.local, "full")), (Sink(first: .noRoom), .noRoom),
      (Sink(.noRoom), .noRoom), (Sink(first: .failed("no")), FetchError(.local, "no")),
    ] {
      let result = try await Self.fetch(server.url("/a"), into: sink)
      #expect(throws: error) { try result.result.get() }
      #expect(result.begun?.ending == .stopped)
    }
  }

  /// With and without an announced length.
  @Test(arguments: [true, false])
  func aBodyMayBeAsLongAsTheLimit(_ isAnnounced: Bool) async throws {
    let server = try FaultServer()
    defer { server.stop() }
    for (count, isAccepted) in [(999, true), (1_000, true), (1_001, false)] {
      server.route("/\(count)") { _, connection in
        let body = [UInt8](repeating: 1, count: count)
        guard !isAnnounced else { return connection.respond("200 OK", [:], body) }
        connection.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + body)
      }
      let result = try await Self.fetch(
        server.url("/\(count)"), settings: { $0.maximumBytes = 1_000 })
      if isAccepted {
        #expect(try result.result.get().bytes == count)
      } else {
        #expect(
          throws: FetchError(.tooLarge, "the file is larger than 1000 bytes (max-bytes)")
        ) { try result.result.get() }
      }
    }
  }

  /// As many redirects as are permitted, and what their targets may be.
  @Test func redirectsAreLimited() async throws {
    let server = try FaultServer(["/a": { $1.respond() }, "/none": { $1.respond("302 Found") }])
    defer { server.stop() }
    for number in 1...3 {
      server.route("/\(number)") {
        $1.respond("302 Found", ["Location": number == 1 ? "/a" : "/\(number - 1)"])
      }
    }
    server.route("/ftp") { $1.respond("302 Found", ["Location": "ftp://h/"]) }
    func fetch(_ path: String) async throws -> FetchResult {
      try await Self.fetch(server.url(path), settings: { $0.redirects = 2 })
    }
    let two = try await fetch("/2")
    #expect(try two.result.get().redirectFreshness == [nil, nil])
    #expect(two.requests == 3)
    for (path, message) in [
      ("/3", "more than 2 redirects"),
      ("/none", "the server answered 302 without a valid Location"),
      ("/ftp", "the redirect does not lead to an http(s) URL"),
    ] {
      let result = try await fetch(path)
      #expect(throws: FetchError(.redirect, message)) { try result.result.get() }
    }
  }

  @Test func anotherOriginIsNoticed() async throws {
    let other = try FaultServer(["/a": { $1.respond() }])
    let server = try FaultServer()
    defer {
      server.stop()
      other.stop()
    }
    let target = other.url("/a")
    server.route("/1") { $1.respond("302 Found", ["Location": target]) }
    let response = try await Self.fetch(server.url("/1")).result.get()
    #expect(response.leftOrigin)
    let rejected = try await Self.fetch(
      server.url("/1"),
      settings: { $0.addresses = AddressPolicy() })
    #expect(
      throws: FetchError(
        .addressRejected,
        "127.0.0.1 is not on the public internet; if that is meant, add allow: [loopback] to the "
          + "pipeline's \"fetch\"")
    ) { try rejected.result.get() }
    #expect(rejected.requests == 0)
  }
}
