import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Receives bodies, and keeps nothing of them.
private final class Sink: BodyReceiving {
  func receive(_ bytes: RawSpan) -> BodyVerdict { .more }
}

/// What the hops of a redirect have in common, and what belongs to each of them.
@Suite struct RedirectTests {
  private static func fetch(
    _ request: FetchRequest, ignoring parameters: [String] = []
  ) async throws -> FetchResult {
    var settings = FetchSettings(
      timeout: .seconds(10), addresses: AddressPolicy(allow: ["loopback"]))
    settings.ignoredQuery = parameters
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    return await fetcher.fetch(request, host: "h", into: Sink())
  }

  /// A conditional request for `/1`, which redirects to `/2`, and that to the target. Where the
  /// validators are from, whether the target knows them, which paths then got them, and the outcome.
  @Test(
    .faults(.n44),
    arguments: [
      ("/image", "/image", true, ["/image"], "304"),
      ("/image", "/image", false, ["/image"], "200"),
      ("/image", "/other", true, [], "200"),
      ("/image", "/1", true, ["/1"], "200"),
      // Another signature, or another ignored parameter: still the same place.
      ("/image?v=1&sig=x&sv=1", "/image?v=1&sig=y&sv=1", true, ["/image"], "304"),
      ("/image?v=1&token=x", "/image?token=y&v=1#part", true, ["/image"], "304"),
      ("/image?v=1", "/image?v=2", true, [], "200"),
    ])
  func validatorsAreSentToTheirPlaceOnly(
    _ target: String, _ place: String, _ isKnown: Bool, _ expected: [String], _ outcome: String
  ) async throws {
    let conditional = Mutex<[String]>([])
    let server = try FaultServer()
    defer { server.stop() }
    @Sendable func isConditional(_ request: FaultServer.Request) -> Bool {
      guard
        request.headers["if-none-match"] == "\"1\"",
        request.headers["if-modified-since"] == "Mon, 01 Jun 2026 10:00:00 GMT"
      else { return false }
      conditional.withLock { $0.append(String(request.path.prefix { $0 != "?" })) }
      return true
    }
    for (path, next) in [("/1", "/2"), ("/2", target)] {
      server.route(path) { request, connection in
        _ = isConditional(request)
        connection.respond("302 Found", ["Location": next])
      }
    }
    server.route("/image") { request, connection in
      connection.respond(
        isConditional(request) && isKnown ? "304 Not Modified" : "200 OK", ["ETag": "\"1\""])
    }
    let validators = Validators(etag: "\"1\"", lastModified: "Mon, 01 Jun 2026 10:00:00 GMT")
    let response = try await Self.fetch(
      FetchRequest(
        url: server.url("/1"), condition: Condition(validators, at: server.url(place)),
        deadline: .seconds(20)), ignoring: ["token"]
    ).result.get()
    #expect(conditional.withLock(\.self) == expected)
    #expect((response.ending == .notModified ? "304" : "200") == outcome)
    #expect(response.url == server.url(target))
  }

  /// A 304 to a hop that got no validators is an error like any 304 to an unconditional request.
  @Test(.faults(.n30), arguments: ["/1", "/image"])
  func aHopWithoutValidatorsMustNotAnswer304(_ path: String) async throws {
    let server = try FaultServer([
      "/1": { $1.respond("302 Found", ["Location": "/image"]) },
      "/image": { $1.respond("200 OK") },
    ])
    defer { server.stop() }
    server.route(path) { $1.respond("304 Not Modified") }
    let place = server.url(path == "/1" ? "/image" : "/1")
    let result = try await Self.fetch(
      FetchRequest(
        url: server.url("/1"),
        condition: Condition(Validators(etag: "\"1\"", lastModified: nil), at: place),
        deadline: .seconds(20)))
    #expect(throws: FetchError(.httpStatus, "the server answered 304 Not Modified", status: 304)) {
      try result.result.get()
    }
  }

  /// The lifetime of each hop is reported; which of them counts is the cache's decision.
  @Test(.faults(.n43)) func eachHopStatesItsFreshness() async throws {
    let server = try FaultServer([
      "/1": {
        $1.respond("301 Moved Permanently", ["Location": "/2", "Cache-Control": "max-age=9"])
      },
      "/2": { $1.respond("302 Found", ["Location": "/3"]) },
      "/3": {
        $1.respond(
          "307 Temporary Redirect", ["Location": "/4", "Cache-Control": "no-store"],
          Array("Moved".utf8))
      },
      "/4": { $1.respond("200 OK", ["Cache-Control": "max-age=60"]) },
    ])
    defer { server.stop() }
    let response = try await Self.fetch(
      FetchRequest(url: server.url("/1"), deadline: .seconds(20))
    ).result.get()
    #expect(response.redirectFreshness == [.seconds(9), nil, .zero])
    #expect(response.freshness == .seconds(60))
    let direct = try await Self.fetch(
      FetchRequest(url: server.url("/4"), deadline: .seconds(20))
    ).result.get()
    #expect(direct.redirectFreshness == [])
  }

  /// A validator with a control character is none, neither when it arrives nor when it is sent.
  @Test(
    .faults(.n48),
    arguments: [
      ("\"1\"", "\"1\""), ("W/\"a b\u{E9}\"", "W/\"a b\u{E9}\""), ("\"1\rX: 2\"", nil),
      ("\"1\r\nX: 2\"", nil), ("\"\u{0}\"", nil), ("\"\u{1F}\"", nil), ("\"\u{7F}\"", nil),
      ("\"a\tb\"", nil), ("\"\u{FFFD}\"", nil),
    ] as [(String, String?)])
  func controlCharactersMakeAValidatorUnusable(_ text: String, _ usable: String?) {
    let date = "Mon, 01 Jun 2026 10:00:00 GMT"
    #expect(Validators(etag: text, lastModified: nil)?.etag == usable)
    #expect(Validators(etag: nil, lastModified: text)?.lastModified == usable)
    #expect(Validators(etag: text, lastModified: date)?.lastModified == date)
  }
}
