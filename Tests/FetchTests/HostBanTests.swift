import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraNet

/// When a host is taken for one that bans.
@Suite struct HostBanTests {
  private static func answers(_ text: String) -> HostAnswers {
    // "20. 5x": twenty good answers, then five that are rejections.
    text.split(separator: " ").reduce(into: HostAnswers()) { answers, part in
      for _ in 0..<(Int(part.dropLast()) ?? 0) { answers.add(isRejected: part.last == "x") }
    }
  }

  @Test(
    .faults(.n51),
    arguments: [
      ("4x", false), ("5x", true), ("1. 5x", false), ("1. 9x", true), ("5x 1.", false),
      ("9x 1.", true),
      ("64. 64x", true), ("10000. 57x", false), ("10000. 58x", true), ("10000x 6.", true),
      ("10000x 7.", false), ("64x 64.", false), ("100.", false), ("0.", false),
    ])
  func theLastAnswersDecide(_ text: String, _ isBan: Bool) {
    #expect(Self.answers(text).isBan == isBan)
  }

  private static func result(_ status: Int, _ host: String) -> FetchResult {
    let response = FetchResponse(
      ending: .complete, url: "", place: "", leftOrigin: false, validators: nil, bytes: 0)
    return FetchResult(
      result: status == 200
        ? .success(response) : .failure(FetchError(.httpStatus, "x", status: status)),
      begun: nil, bytes: 0, requests: 1, time: .zero, answeredBy: host)
  }

  /// A rate or a header for a host that no request goes to does nothing: the name is mistyped, or the port is missing.
  @Test func settingsOfOtherPortsAreNoticed() {
    var tally = HostTally()
    for host in ["a:8443", "b", "[::1]:80", "c"] { tally.add(Self.result(200, host)) }
    let named = ["a", "b:8080", "[::1]", "d"].map { HostSettings(host: $0) }
    let header = RequestHeader(name: "X", value: "1", host: "c:1")
    let clauses = tally.otherPorts(named, [header])
    #expect(
      clauses.map { $0.split(separator: ",")[0] }
        == ["[::1]:80", "a:8443", "b", "c"].map { "requests went to \($0)" })
    #expect(clauses[1].hasSuffix("name the host as a:8443"))
    #expect(
      tally.otherPorts(["a:8443", "b", "[::1]:80", "c"].map { HostSettings(host: $0) }, []).isEmpty)
  }

  @Test func hostsWithoutAnImageAreNamed() {
    var hosts = NamedHosts(
      ["images.example", "b.example:8443", "c.example"].map { HostSettings(host: $0) },
      [RequestHeader(name: "X", value: "1", host: "d.example")])
    for url in [
      "https://images.example:8443/1", "https://b.example:8443/1", "https://c.example/1", "data:,",
    ] { hosts.add(url) }
    let there =
      "; there are images at images.example:8443, b.example:8443, c.example; leave it if redirects lead there"
    #expect(
      hosts.warnings
        == ["d.example", "images.example"].map {
          "no image is at \"\($0)\", which the pipeline has settings for (fetch.hosts, fetch.headers)"
            + ($0 == "d.example" ? " (did you mean \"c.example\"?)" : "") + there
        })
    #expect(NamedHosts([], []).warnings.isEmpty)
  }

  @Test func theAnswersOfAHostAreCounted() {
    var tally = HostTally()
    for _ in 0..<5 {
      tally.add(Self.result(403, "a"))
      tally.add(Self.result(429, "b:8443"))
      tally.add(Self.result(429, "b:8443"))
      for status in [404, 500, 200] { tally.add(Self.result(status, "c")) }
      tally.add(Self.result(0, ""))
    }
    #expect(
      tally.bans == [
        HostBan(host: "b:8443", answers: 10, rejected: 10),
        HostBan(host: "a", answers: 5, rejected: 5),
      ])
    #expect(!tally.hasPublicHost)
    tally.add(Self.result(200, "images.shop.de"))
    #expect(tally.hasPublicHost)
  }

  /// Memory does not grow with the hosts, and one that rejects is not forgotten for others.
  @Test func hostsAreBounded() {
    var tally = HostTally()
    for _ in 0..<5 { tally.add(Self.result(403, "a")) }
    for number in 0..<3_000 { tally.add(Self.result(200, "h\(number)")) }
    #expect(tally.bans.map(\.host) == ["a"])
    for number in 0..<3_000 { tally.add(Self.result(403, "x\(number)")) }
    for _ in 0..<5 { tally.add(Self.result(403, "late")) }
    #expect(tally.bans.map(\.host) == ["a"])
  }

  @Test func aBanIsTold() {
    #expect(
      HostBan(host: "h", answers: 9, rejected: 9).clause
        == "h answered all 9 requests with 403 or 429")
    let ban = HostBan(host: "h", answers: 90, rejected: 9)
    #expect(
      ban.clause == "h answered 9 of 90 requests with 403 or 429, the last ones nearly all")
    #expect(ban.remedy.contains("(fetch.hosts: [{host: h, rate: 1/s}])"))
  }

  @Test(arguments: [
    ("https://shop.de/a", true), ("http://8.8.8.8/", true), ("http://127.0.0.1:81/", false),
    ("http://10.0.0.1/", false), ("http://localhost/", false), ("http://images/", false),
    ("https://a.example.com/", false), ("https://h.example/", false),
    ("https://h.internal/", false),
    ("http://[::1]/", false), ("http://0x7f000001/", false), ("file:///a", false),
    ("s3://b/k", false), ("", false),
  ])
  func aPublicHostIsSomebodysServer(_ url: String, _ isPublic: Bool) {
    #expect(AddressPolicy.isPublic(url) == isPublic)
  }
}
