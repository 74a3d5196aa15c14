import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// How a URL is reached, hop by hop.
@Suite struct RouteTraceTests {
  private static func follow(
    _ url: String, allow: [String] = ["loopback"], proxies: [String: String] = [:],
    redirects: Int = 5
  ) async -> RouteTrace {
    var settings = FetchSettings(
      timeout: .seconds(10), redirects: redirects, addresses: AddressPolicy(allow: allow))
    settings.proxies = ProxySettings { proxies[$0] }
    settings.ignoredQuery = ["drop"]
    return await RouteTrace.follow(url, settings)
  }

  @Test func eachHopIsReported() async throws {
    let server = try FaultServer([
      "/1": { $1.respond("302 Found", ["Location": "/2?token=x&drop=1&v=2"]) },
      "/2": {
        $1.respond(
          "200 OK", ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Age": "20"], Array("hello".utf8))
      },
    ])
    defer { server.stop() }
    let trace = await Self.follow(server.url("/1"))
    #expect(trace.host == "127.0.0.1")
    #expect(trace.addresses == ["127.0.0.1"])
    #expect(trace.error == nil && trace.distrust == nil && trace.permission == nil)
    #expect(trace.hops.map(\.url) == [server.url("/1"), server.url("/2?v=2")])
    #expect(trace.hops.map(\.status) == [302, 200])
    #expect(trace.hops.map(\.address) == ["127.0.0.1", "127.0.0.1"])
    // A cache's answer is as old as it says.
    #expect(trace.hops.map(\.serverTime) == [nil, 784_111_797])
    #expect(trace.hops.allSatisfy { $0.obstacle == nil && $0.tls == nil && !$0.isProxied })
    #expect(trace.hops.allSatisfy { $0.seconds > 0 && $0.seconds < 10 })
  }

  @Test func theLastHopMayFail() async throws {
    let server = try FaultServer(["/1": { $1.respond("302 Found", ["Location": "/1"]) }])
    let missing = await Self.follow(server.url("/none"))
    #expect(
      missing.error == FetchError(.httpStatus, "the server answered 404 Not Found", status: 404))
    #expect(missing.hops.map(\.status) == [404])
    let loop = await Self.follow(server.url("/1"), redirects: 1)
    #expect(loop.error == FetchError(.redirect, "more than 1 redirects"))
    #expect(loop.hops.map(\.status) == [302, 302])
    server.stop()
    let closed = await Self.follow(server.url("/1"))
    #expect(
      closed.error
        == FetchError(.network, "the connection failed: Connection refused", isRetryable: true))
    #expect(closed.hops.map(\.obstacle) == ["Connection refused"])
    #expect(closed.hops.map(\.address) == [nil])
    #expect(closed.hops.map(\.status) == [0])
  }

  @Test(arguments: [
    ("http://127.0.0.1:1/", [], "loopback"), ("http://[::1]:1/", ["private"], "loopback"),
    ("http://10.0.0.1:1/", ["loopback"], "private"),
  ])
  func anAddressMayNeedPermission(_ url: String, _ allow: [String], _ permission: String) async {
    let trace = await Self.follow(url, allow: allow)
    #expect(trace.error?.code == .addressRejected)
    #expect(trace.permission == permission)
    #expect(trace.hops.map(\.status) == [0])
  }

  /// A proxy looks for the name itself.
  @Test func aProxyIsReported() async throws {
    let proxy = try FaultServer(["http://images.example/a": { $1.respond() }])
    defer { proxy.stop() }
    let trace = await Self.follow(
      "http://images.example/a", allow: [], proxies: ["http_proxy": proxy.url("")])
    #expect(trace.host == "images.example")
    #expect(trace.addresses == [])
    #expect(trace.error == nil)
    #expect(trace.hops.map(\.isProxied) == [true])
    #expect(trace.hops.map(\.status) == [200])
    let rejected = await Self.follow(
      "http://10.0.0.1/a", allow: [], proxies: ["http_proxy": proxy.url("")])
    #expect(rejected.error?.code == .addressRejected)
    #expect(rejected.hops.isEmpty && rejected.permission == nil)
  }

  /// Behind the proxy no TLS follows.
  @Test func aHandshakeMayFail() async throws {
    let proxy = try FaultServer([
      "secure.example:443": {
        $1.send("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n")
      }
    ])
    defer { proxy.stop() }
    let trace = await Self.follow(
      "https://secure.example/a", allow: [], proxies: ["https_proxy": proxy.url("")])
    #expect(trace.error?.code == .tls)
    #expect(trace.hops.map(\.url) == ["https://secure.example/a"])
    #expect(trace.hops.map(\.isProxied) == [true])
    #expect(trace.hops.map(\.tls) == [nil])
    #expect(trace.hops.map(\.status) == [0])
  }

  @Test func namesHaveAddresses() {
    func texts(_ host: String) -> [String] { Resolver.addresses(of: host).map { "\($0)" } }
    #expect(texts("127.0.0.1") == ["127.0.0.1"])
    #expect(texts("[::1]") == ["::1"])
    #expect(texts("::1") == ["::1"])
    let local = texts("localhost")
    #expect(!local.isEmpty && Set(local).isSubset(of: ["127.0.0.1", "::1"]))
    #expect(Set(local).count == local.count)
    #expect(texts("no such name") == [])
  }

  @Test func aHopHasDefaults() {
    let hop = RouteTrace.Hop(url: "u", address: "a", status: 200, seconds: 0.5)
    #expect(hop.obstacle == nil && hop.tls == nil && hop.serverTime == nil && !hop.isProxied)
    let tls = RouteTrace.TLS(version: "TLSv1.3", issuer: "i", end: 5)
    let full = RouteTrace.Hop(
      url: "u", address: nil, obstacle: "o", isProxied: true, status: 7, seconds: 2, tls: tls,
      serverTime: 9)
    #expect(full.tls == tls && full.serverTime == 9 && full.isProxied && full.obstacle == "o")
    #expect(full.status == 7 && full.seconds == 2 && full.address == nil && full.url == "u")
  }
}
