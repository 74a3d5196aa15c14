import Foundation
import TesseraNet
import TesseraTestSupport
import Testing

@testable import tessera

/// A request that `doctor` sends, and its limits.
@Suite struct RouteTests {
  private static func findings(_ hop: RouteTrace.Hop) -> [HealthCheck] {
    RouteChecks(
      "http://a/", RouteTrace(host: "a", addresses: [], hops: [hop]), now: 0, patience: 15
    ).findings
  }

  private static func hop(
    _ seconds: Double, address: String? = nil, isProxied: Bool = false, obstacle: String? = nil
  ) -> RouteTrace.Hop {
    var hop = RouteTrace.Hop(
      url: "http://a/", address: address, isProxied: isProxied, status: 200, seconds: seconds)
    hop.obstacle = obstacle
    return hop
  }

  @Test(
    arguments: [
      (hop(0.0126, address: "192.0.2.1"), "200, 192.0.2.1, 13 ms: http://a/", true),
      (hop(15, address: "192.0.2.1", isProxied: true), "200, the proxy, 15000 ms: http://a/", true),
      (hop(15.1), "200, no connection, 15100 ms: http://a/", false),
      (hop(0, obstacle: "Connection refused"), "200, connection refused, 0 ms: http://a/", true),
    ])
  func aHopIsALine(_ hop: RouteTrace.Hop, _ value: String, _ isWell: Bool) {
    let findings = Self.findings(hop)
    #expect(findings.map(\.value) == [value])
    #expect((findings[0].problem == nil) == isWell && (findings[0].fix == nil) == isWell)
  }

  @Test func theAnswerIsWaitedForAsARunWould() {
    let finding = Self.findings(Self.hop(20.44))[0]
    #expect(finding.problem == "the answer took 20.4 s, and a run waits 15 s for one")
    #expect(
      finding.fix
        == "fetch: {timeout: 40s} in the pipeline file, if the server is always so slow")
    #expect(
      RouteChecks("http://a/", RouteTrace(host: "a", addresses: [], hops: []), now: 0).patience
        == 15)
  }

  /// Only the last hop can have failed.
  @Test func theLastHopFailed() {
    let trace = RouteTrace(
      host: "a", addresses: ["192.0.2.1", "192.0.2.2"], hops: [Self.hop(0), Self.hop(0)],
      error: FetchError(.network, "no answer"))
    let findings = RouteChecks("http://a/", trace, now: 0).findings
    #expect(findings.map(\.kind) == [.names, .request, .request])
    #expect(findings[0].value == "a: 192.0.2.1 192.0.2.2")
    #expect(findings.map { $0.problem == nil } == [true, true, false])
    #expect(
      findings[2].fix
        == "the firewall, or https_proxy=URL; fetch: {timeout: 30s} if the server is slow")
  }

  @Test(arguments: [(401, true), (403, true), (402, false), (404, false)])
  func aServerMayAskForAKey(_ status: Int, _ isKey: Bool) {
    let trace = RouteTrace(
      host: "a", addresses: [], hops: [],
      error: FetchError(.httpStatus, "it answered", status: status))
    let finding = RouteChecks("http://a/", trace, now: 0).findings[0]
    #expect(finding.fix?.hasPrefix("fetch: {headers: [{host: a, ") == isKey)
    #expect(finding.value == "not sent")
  }

  @Test func aRequestIsTraced() async throws {
    let server = try FaultServer(["/a.jpg": { $1.fixture("plain.jpg") }])
    let url = server.url("/a.jpg")
    let secret = url.replacing("http://", with: "http://me:pw@") + "?token=secret"
    let checks = await RouteChecks.examine(
      secret, FetchSettings(timeout: .seconds(7), addresses: AddressPolicy(allow: ["loopback"])))
    #expect(checks.url == url && checks.patience == 7)
    #expect(abs(checks.now - Date().timeIntervalSince1970) < 600)
    #expect(
      checks.findings.contains { $0.kind == .request && $0.value.hasPrefix("200, 127.0.0.1, ") })
    #expect(Self.areWell(checks.findings), "\(checks.findings)")
    let closed = await RouteChecks.examine(url, FetchSettings())
    #expect(!Self.areWell(closed.findings))
    server.stop()
  }

  private static func areWell(_ findings: [HealthCheck]) -> Bool {
    findings.allSatisfy { $0.problem == nil }
  }
}
