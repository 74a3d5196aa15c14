import Synchronization
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraNet

/// Settings that are for one host only.
@Suite struct HostRulesTests {
  /// Hosts that have settings, a URL, and whose settings are those of the URL.
  @Test(
    .faults(.x2),
    arguments: [
      ("a.example", "https://a.example/1", "a.example"),
      ("a.example", "HTTP://A.Example:80/", "a.example"),
      ("a.example", "https://a.example:443/1", "a.example"),
      ("a.example", "https://a.example:8443/1", nil),
      ("a.example", "https://b.a.example/", nil),
      ("a.example", "https://u:p@a.example/", "a.example"),
      ("a.example:443", "https://a.example/", "a.example:443"),
      ("a.example:443", "http://a.example:443/", nil),
      ("a.example:80", "http://a.example/", "a.example:80"),
      ("a.example:80", "https://a.example/", nil),
      // The one with the port takes precedence.
      ("a.example a.example:443", "https://a.example/", "a.example:443"),
      ("a.example a.example:443", "http://a.example/", "a.example"),
      ("[::1]:81", "http://[::1]:81/", "[::1]:81"),
      // Whatever the spelling, one host has one rate.
      ("a.example", "http://Ａ.EXAMPLE./1", "a.example"),
      ("a.example", "http://a。ex%61mple/1", "a.example"),
      ("192.0.2.1:81", "http://①⑨②.0.2.1:81/", "192.0.2.1:81"),
      ("192.0.2.1", "http://3221225985/", "192.0.2.1"),
      ("192.0.2.1", "http://[::ffff:c000:201]/", "192.0.2.1"),
      ("b", "s3://b/key", nil), ("", "file:///a", nil), ("", "data:,a", nil),
    ] as [(String, String, String?)])
  func aHostIsWhatRequestsGoTo(_ hosts: String, _ url: String, _ name: String?) {
    let rules = HostRules(hosts.split(separator: " ").map { HostSettings(host: String($0)) })
    #expect(rules.name(at: url) == name)
    #expect(rules.settings(at: url)?.host == name)
  }

  /// What a pipeline writes is a host in any spelling, too.
  @Test(
    .faults(.x2),
    arguments: [
      ("bücher.example", "https://xn--bcher-kva.example/"), ("A.example.", "http://a.example/"),
      ("ａ.example:81", "http://a.example:81/"), ("0x7f.1", "http://127.0.0.1/"),
      ("[0:0::1]:81", "http://[::1]:81/"),
    ])
  func aHostMayBeWrittenInAnyWay(_ host: String, _ url: String) {
    let rules = HostRules([HostSettings(host: host, perHost: 3)])
    #expect(rules.settings(at: url)?.perHost == 3)
    #expect(RequestHeader(name: "X-Key", value: "k", host: host).isFor(Origin(url)))
    var named = NamedHosts([HostSettings(host: host)], [])
    #expect(named.warnings.count == 1)
    named.add(url)
    #expect(named.warnings == [])
    #expect(SourceHost.name(of: url) == SourceHost.named(host))
  }

  @Test func theMostRequestsAtATimeAreThoseOfAnyHost() {
    func most(_ perHost: Int?, _ hosts: [Int??]) -> Int? {
      var settings = FetchSettings(perHost: perHost)
      settings.hosts = HostRules(
        hosts.enumerated().map { HostSettings(host: "h\($0)", perHost: $1) })
      return settings.mostPerHost
    }
    #expect(most(6, []) == 6 && most(6, [nil]) == 6 && most(6, [2, 9]) == 9 && most(6, [2]) == 6)
    #expect(most(nil, [2]) == nil && most(6, [2, .some(nil)]) == nil)
  }

  @Test func aHostMayHaveItsOwnRetries() {
    let policy = RetryPolicy(
      retries: 4, deadline: .seconds(9),
      hosts: HostRules([HostSettings(host: "a", retries: 1), HostSettings(host: "b", perHost: 1)]))
    #expect(policy.at("http://a/1").retries == 1 && policy.at("http://a/1").deadline == .seconds(9))
    #expect(policy.at("http://b/1").retries == 4 && policy.at("http://c/1").retries == 4)
  }

  // MARK: Requests

  private final class Sink: BodyReceiving {
    func receive(_ bytes: RawSpan) -> BodyVerdict { .more }
  }

  private static func fetch(
    _ url: String, _ hosts: [HostSettings], _ change: (inout FetchSettings) -> Void = { _ in }
  ) async throws -> FetchResult {
    var settings = FetchSettings(
      timeout: .seconds(20), addresses: AddressPolicy(allow: ["loopback"]))
    settings.hosts = HostRules(hosts)
    change(&settings)
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    return await fetcher.fetch(
      FetchRequest(url: url, deadline: .seconds(30)), host: SourceURL.hostAsWritten(of: url),
      into: Sink())
  }

  private static func error(_ result: FetchResult) -> FetchError? {
    if case .failure(let error) = result.result { error } else { nil }
  }

  /// One of each name is sent, however the names are written.
  @Test func aHeaderOfAHostTakesThePlaceOfOthers() throws {
    var settings = FetchSettings()
    settings.headers = ["X-Key", "X-All"].map { RequestHeader(name: $0, value: "all") }
    settings.hosts = HostRules([
      HostSettings(host: "h", headers: [RequestHeader(name: "x-KEY", value: "own", host: "h")])
    ])
    func lines(_ url: String, leftOrigin: Bool = false) throws -> [String] {
      var request = FetchRequest(url: url, deadline: .seconds(1))
      request.leftOrigin = leftOrigin
      return try #require(Transfer(1, request, settings: settings, receiver: Sink()))
        .configuredHeaders
    }
    #expect(try lines("http://h/a") == ["X-All: all", "x-KEY: own"])
    #expect(try lines("http://i/a") == ["X-Key: all", "X-All: all"])
    #expect(try lines("http://h/a", leftOrigin: true).isEmpty)
  }

  /// Its own headers win over those of all hosts, whatever the case of their names, and no other host gets them.
  @Test func headersAreForTheirHostOnly() async throws {
    let seen = Mutex<[String]>([])
    let note: FaultServer.Route = { request, connection in
      seen.withLock {
        $0.append(
          ["x-key", "x-all", "x-own"].map { request.headers[$0] ?? "-" }.joined(separator: " "))
      }
      connection.respond()
    }
    let other = try FaultServer(["/a": note])
    let server = try FaultServer([
      "/a": note, "/r": { $1.respond("302 Found", ["Location": other.url("/a")]) },
    ])
    defer {
      server.stop()
      other.stop()
    }
    let name = "127.0.0.1:\(server.port)"
    let hosts = [
      HostSettings(
        host: name,
        headers: [
          RequestHeader(name: "x-KEY", value: "own", host: name),
          RequestHeader(name: "X-Own", value: "1", host: name),
        ]),
      HostSettings(
        host: "127.0.0.1:\(other.port)",
        headers: [RequestHeader(name: "X-Key", value: "other", host: "127.0.0.1:\(other.port)")]),
    ]
    func headers(_ settings: inout FetchSettings) {
      settings.headers = [
        RequestHeader(name: "X-Key", value: "all"), RequestHeader(name: "X-All", value: "2"),
      ]
    }
    for url in [server.url("/a"), other.url("/a"), server.url("/r")] {
      #expect(Self.error(try await Self.fetch(url, hosts, headers)) == nil)
    }
    // The other host's own headers are not sent after a redirect either: who redirects chose the URL.
    #expect(seen.withLock { $0 } == ["own 2 1", "other 2 -", "- - -"])
  }

  /// The time limit is that of the host which answers late, also behind a redirect.
  @Test func aTimeoutIsThatOfItsHost() async throws {
    let late = try FaultServer([
      "/a": { _, connection in
        connection.pause(1.5)
        connection.respond()
      }
    ])
    let origin = try FaultServer(["/r": { $1.respond("302 Found", ["Location": late.url("/a")]) }])
    defer {
      origin.stop()
      late.stop()
    }
    let hosts = [HostSettings(host: "127.0.0.1:\(late.port)", timeout: .milliseconds(300))]
    for url in [late.url("/a"), origin.url("/r")] {
      #expect(
        Self.error(try await Self.fetch(url, hosts))
          == FetchError(.timeout, "the server did not respond within 300 ms", isRetryable: true))
    }
    let patient = [HostSettings(host: "127.0.0.1:\(late.port)", timeout: .seconds(20))]
    let result = try await Self.fetch(late.url("/a"), patient) { $0.timeout = .milliseconds(300) }
    #expect(Self.error(result) == nil)
  }

  /// Of one host at most as many transfers as it may have, those that redirects lead to included.
  @Test func aHostHasItsOwnNumberOfTransfers() async throws {
    let inFlight = Mutex((now: 0, most: 0))
    let server = try FaultServer([
      "/a": { _, connection in
        inFlight.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        connection.pause(0.05)
        inFlight.withLock { $0.now -= 1 }
        connection.respond()
      }
    ])
    let origin = try FaultServer([
      "/r": { $1.respond("302 Found", ["Location": server.url("/a")]) }
    ])
    defer {
      origin.stop()
      server.stop()
    }
    for (perHost, most) in [(2, 2), (9, 9)] {
      inFlight.withLock { $0 = (0, 0) }
      var settings = FetchSettings(
        concurrency: 40, perHost: 6, timeout: .seconds(20),
        addresses: AddressPolicy(allow: ["loopback"]))
      settings.hosts = HostRules([HostSettings(host: "127.0.0.1:\(server.port)", perHost: perHost)])
      let fetcher = try Fetcher(settings)
      defer { fetcher.close() }
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<40 {
          group.addTask {
            let url = perHost == 2 && index % 2 == 0 ? origin.url("/r") : server.url("/a")
            let result = await fetcher.fetch(
              FetchRequest(url: url, deadline: .seconds(60)),
              host: SourceURL.hostAsWritten(of: url),
              into: Sink())
            #expect(Self.error(result) == nil)
          }
        }
      }
      #expect(inFlight.withLock { $0.most } == most)
    }
  }
}
