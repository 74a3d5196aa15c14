import TesseraText
import Testing

@testable import TesseraPipelineFile

/// `fetch.rate` and `fetch.hosts`.
@Suite struct HostKeyTests {
  private static func fetch(_ keys: String) throws -> PipelineFile.Fetch {
    try KeyRangeTests.decode("fetch: {\(keys)}\n").fetch
  }

  private static func messages(_ keys: String) -> [String] {
    KeyRangeTests.messages("fetch: {\(keys)}\n")
  }

  @Test(
    arguments: [
      ("1/s", 1, .second), ("999999/m", 999_999, .minute), ("30/h", 30, .hour),
      ("0/s", nil, .second),
      ("05/s", nil, .second), ("1000000/s", nil, .second), ("-1/s", nil, .second),
      ("+1/s", nil, .second),
      ("1.5/s", nil, .second), ("5", nil, .second), ("5/", nil, .second), ("/s", nil, .second),
      ("5/d", nil, .second), ("5 /s", nil, .second), ("5/s/s", nil, .second),
      ("\u{665}/s", nil, .second),
      ("99999999999999999999/s", nil, .second),
    ] as [(String, Int?, RequestRate.Unit)])
  func aRateIsANumberInATime(_ text: String, _ requests: Int?, _ unit: RequestRate.Unit) throws {
    guard let requests else {
      let expected =
        "must be a number of requests in a second, a minute or an hour, such as 5/s, 30/m or 600/h, found"
      #expect(Self.messages("rate: \"\(text)\"") == ["\"fetch.rate\" \(expected) \"\(text)\""])
      #expect(
        Self.messages("hosts: [{host: h, rate: \"\(text)\"}]")
          == ["\"fetch.hosts.rate\" \(expected) \"\(text)\""])
      return
    }
    let rate = RequestRate(requests: requests, unit: unit)
    #expect(try Self.fetch("rate: \(text)").rate == rate && rate.text == text)
    #expect(try Self.fetch("hosts: [{host: h, rate: \(text)}]").hosts.first?.rate == rate)
    #expect(rate.interval * requests <= .seconds(3_600))
  }

  @Test func intervalsFollow() {
    #expect(RequestRate("5/s")?.interval == .milliseconds(200))
    #expect(RequestRate("30/m")?.interval == .seconds(2))
    #expect(RequestRate("600/h")?.interval == .seconds(6))
  }

  @Test func aHostHasTheSettingsThatAreNamed() throws {
    let fetch = try Self.fetch(
      """
      hosts: [{host: "Images.Example:8443", per-host: 2, rate: 5/s, timeout: 30s,
      headers: {B: b, A: 1}, retries: 1}, {host: auto.example, per-host: auto}, {host: z, retries: 0}]
      """)
    let host = "images.example:8443"
    #expect(
      fetch.hosts == [
        HostSettings(
          host: host, perHost: 2, rate: RequestRate(requests: 5, unit: .second),
          timeout: .seconds(30),
          headers: [
            RequestHeader(name: "B", value: "b", host: host),
            RequestHeader(name: "A", value: "1", host: host),
          ], retries: 1),
        HostSettings(host: "auto.example", perHost: .some(nil)),
        HostSettings(host: "z", retries: 0),
      ])
    #expect(fetch.hosts[2].perHost == nil && fetch.hosts[1].perHost != nil)
    // They are bound, so that the manifest may name other hosts.
    #expect(!fetch.hasUnboundHeaders)
    #expect(try Self.fetch("").hosts.isEmpty && Self.fetch("").rate == nil)
  }

  private static let host =
    "a host such as images.example.com or images.example.com:8443"

  @Test(arguments: [
    (
      "hosts: [{host: h, rate: 1/s}, {host: H, retries: 1}]",
      ["\"fetch.hosts\" names the host \"h\" twice; put all that is for it into one entry"]
    ),
    ("hosts: [{host: h, rate: 1/s}, {host: \"h:80\", retries: 1}]", []),
    ("hosts: [{host: h}]", ["\"fetch.hosts\" has no settings for the host \"h\""]),
    ("hosts: [{rate: 1/s}]", ["the key \"fetch.hosts.host\" is missing; it must be \(host)"]),
    (
      "hosts: [{host: \"*.h\", rate: 1/s}]", ["\"fetch.hosts.host\" must be \(host), found \"*.h\""]
    ),
    ("hosts: {host: h}", ["\"fetch.hosts\" must be a list, found a group of keys"]),
    ("hosts: h", ["\"fetch.hosts\" must be a list, found \"h\""]),
    (
      "hosts: [h]",
      [
        "\"fetch.hosts\" must be a group of keys, found \"h\"",
        "the key \"fetch.hosts.host\" is missing; it must be \(host)",
      ]
    ),
    (
      "hosts: [{host: h, rates: 1/s}]",
      ["unknown key \"rates\" in \"fetch.hosts\"; did you mean \"rate\"?"]
    ),
    (
      "hosts: [{host: h, per-host: 0}]",
      ["\"fetch.hosts.per-host\" must be \"auto\" or a whole number from 1 to 1024, found \"0\""]
    ),
    (
      "hosts: [{host: h, retries: 21}]",
      ["\"fetch.hosts.retries\" must be a whole number from 0 to 20, found \"21\""]
    ),
    (
      "hosts: [{host: h, headers: {Host: a}}]",
      ["tessera sets the header \"Host\" itself; remove it"]
    ),
    (
      "hosts: [{host: h, headers: {A: \"a\\nb\"}}]",
      ["\"fetch.hosts.headers.A\" must be a line of text, found \"a\nb\""]
    ),
    (
      "hosts: [{host: h, headers: [{host: h, A: b}]}]",
      ["\"fetch.hosts.headers\" must be a group of keys, found a list"]
    ),
    ("hosts: []", []),
  ])
  func mistakesAreNamed(_ keys: String, _ messages: [String]) {
    #expect(Self.messages(keys) == messages)
  }

  /// What a server is sent decides about what it sends; how often and how soon does not.
  @Test func onlyHeadersAreInTheFingerprint() throws {
    func shape(_ keys: String) throws -> String {
      try KeyRangeTests.decode("fetch: {\(keys)}\n").shape([.acceptance])
    }
    let plain = try shape("")
    #expect(
      try shape("rate: 5/s, hosts: [{host: h, per-host: 2, rate: 1/s, timeout: 1s, retries: 1}]")
        == plain)
    let texts = try [
      "host: h, headers: {A: b}", "host: i, headers: {A: b}", "host: h, headers: {B: b}",
      "host: h, headers: {A: c}",
    ].map {
      try shape("hosts: [{\($0)}]")
    }
    #expect(Set(texts + [plain]).count == 5)
  }
}
