import TesseraText
import Testing

@testable import TesseraPipelineFile

/// Request headers, hosts, blocks of addresses and the other keys of `fetch` that are not numbers.
@Suite struct HeaderKeyTests {
  private static func fetch(_ keys: String) throws -> PipelineFile.Fetch {
    try KeyRangeTests.decode("fetch: {\(keys)}\n").fetch
  }

  private static func messages(_ keys: String) -> [String] {
    KeyRangeTests.messages("fetch: {\(keys)}\n")
  }

  /// RFC 9110, section 5.6.2.
  @Test func namesAreTokens() throws {
    for value in UInt8(0x20)...0x7E {
      let character = Character(Unicode.Scalar(value))
      let isToken =
        character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character)
      let escaped = "\"\\".contains(character) ? "\\\(character)" : "\(character)"
      let name = "X\(character)"
      #expect(
        Self.messages("headers: {\"X\(escaped)\": a}")
          == (isToken ? [] : ["\"\(name)\" is not a valid header name"]))
    }
    for name in ["é", "X\u{661}", ""] {
      #expect(
        Self.messages("headers: {\"\(name)\": a}") == ["\"\(name)\" is not a valid header name"])
    }
  }

  @Test(arguments: [
    "Accept-Encoding", "connection", "Content-Length", "Host", "host", "If-Modified-Since",
    "IF-NONE-MATCH", "If-Range", "range", "Transfer-Encoding",
  ])
  func someHeadersAreNotTheUsers(_ name: String) {
    #expect(
      Self.messages("headers: {\(name): a}") == [
        "tessera sets the header \"\(name)\" itself; remove it"
      ])
  }

  @Test func headersKeepTheirOrderAndHosts() throws {
    let everywhere = try Self.fetch("headers: {B: \"b c\", A: 1, Accept: x}")
    #expect(
      everywhere.headers == [
        RequestHeader(name: "B", value: "b c"), RequestHeader(name: "A", value: "1"),
        RequestHeader(name: "Accept", value: "x"),
      ])
    #expect(everywhere.hasUnboundHeaders)
    #expect(try !Self.fetch("headers: {A: b}, headers-everywhere: true").hasUnboundHeaders)
    let bound = try Self.fetch("headers: [{Z: z, host: A.Example, B: b}, {host: \"b:8443\", A: a}]")
    #expect(
      bound.headers == [
        RequestHeader(name: "Z", value: "z", host: "a.example"),
        RequestHeader(name: "B", value: "b", host: "a.example"),
        RequestHeader(name: "A", value: "a", host: "b:8443"),
      ])
    #expect(!bound.hasUnboundHeaders)
    #expect(try !Self.fetch("").hasUnboundHeaders)
  }

  @Test(arguments: [
    ("a.example", true), ("A.Example:1", true), ("b\u{FC}cher.example:65535", true),
    ("10.0.0.1:80", true), ("[::1]", true), ("[::1]:8443", true), ("[2001:DB8::1.2.3.4]", true),
    ("a:12345", true), ("a:123456", false), ("a:", false), ("a:x", false), ("a:1:2", false),
    ("a:\u{661}", false), (":80", false), ("[::1", false), ("[]", false), ("[:]", true),
    ("[::1]x", false), ("[::g]", false), ("[::1]:", false), ("a/b", false), ("a@b", false),
    ("a?b", false), ("a#b", false), ("*.a", false), ("a%b", false), ("a]b", false), ("a[b", false),
    ("a b", false), ("a\\\\b", false),
  ])
  func aHostIsExact(_ host: String, _ isAccepted: Bool) {
    let messages = Self.messages("headers: [{host: \"\(host)\", A: b}]")
    let shown = host.replacing("\\\\", with: "\\")
    #expect(
      messages
        == (isAccepted
          ? []
          : [
            "\"fetch.headers.host\" must be a host such as images.example.com or "
              + "images.example.com:8443, found "
              + "\"\(shown)\""
          ]))
  }

  @Test(arguments: [
    (
      "headers: [{A: b}]",
      [
        "each entry of \"fetch.headers\" needs \"host\", a host such as images.example.com or "
          + "images.example.com:8443"
      ]
    ),
    ("headers: [{host: h}]", ["\"fetch.headers\" has no header for the host \"h\""]),
    ("headers: [a]", ["\"fetch.headers\" must be a group of keys, found \"a\""]),
    ("headers: a", ["\"fetch.headers\" must be a group of keys, found \"a\""]),
    ("headers: {A: \"\"}", ["\"fetch.headers.A\" must be a line of text, found \"\""]),
    ("headers: {A: [b]}", ["\"fetch.headers.A\" must be a line of text, found a list"]),
    ("headers: []", []), ("headers: {}", []), ("headers: ~", []),
  ])
  func mistakesOfHeadersAreNamed(_ keys: String, _ messages: [String]) {
    #expect(Self.messages(keys) == messages)
  }

  /// A value that ends the header would begin another one.
  @Test func aValueIsALine() {
    for value in [0x1F, 0x20, 0x7E, 0x7F, 0x80, 0x09, 0x0A, 0x0D] {
      let isLine = value >= 0x20 && value != 0x7F
      let digits = String(value + 0x100, radix: 16).dropFirst()
      let found = Self.messages("user-agent: \"a\\x\(digits)b\"")
      #expect(found.isEmpty == isLine, "\(value)")
    }
  }

  // MARK: Addresses, folders and buckets

  @Test(arguments: [
    ("10.0.0.0/0", true), ("10.0.0.0/32", true), ("10.0.0.0/33", false), ("10.0.0.0/-1", false),
    ("10.0.0.0", false), ("10.0.0.0/", false), ("10.0.0/8", false), ("10.0.0.0/8/8", false),
    ("/8", false), ("::/0", true), ("fd00::/128", true), ("fd00::/129", false), ("fd00::/x", false),
    ("256.0.0.0/8", false), ("10.0.0.0/+8", false), ("::1", false), ("", false), ("a/8", false),
  ])
  func blocksOfAddresses(_ text: String, _ isValid: Bool) {
    #expect(AddressBlock.isValid(text) == isValid)
  }

  @Test func whatIsAllowedIsDivided() throws {
    let fetch = try Self.fetch(
      "allow: [private, \"files:/srv/a\", \"s3:b\", loopback, \"files:c\", \"s3:d/e\", \"::/0\"]")
    #expect(
      fetch.allow == [
        "private", "files:/srv/a", "s3:b", "loopback", "files:c", "s3:d/e", "::/0",
      ])
    #expect(fetch.folders == ["/srv/a", "c"])
    #expect(fetch.buckets == ["b", "d/e"])
    let expected =
      "\"fetch.allow\" must be \"loopback\", \"private\", an address block such as 10.1.0.0/16, a "
      + "folder such as "
      + "files:/srv/images, or a bucket such as s3:photos, found "
    for text in ["files:", "s3:", "Loopback", "10.0.0.0/33"] {
      #expect(Self.messages("allow: \"\(text)\"") == [expected + "\"\(text)\""])
    }
  }

  @Test func pathsAreBelowTheFolderOfTheFile() throws {
    let text =
      "manifest: m\noutput: s3://b/p\nstate: s\nslots: {a: {size: 1x}}\nfetch: {allow: "
      + "\"files:f\"}\n"
    let file = try PipelineFile.decode(Array(text.utf8), path: "d/e/p.yaml") { _ in nil }
    #expect(file.manifest == .file("d/e/m") && file.output == "s3://b/p" && file.state == "d/e/s")
    #expect(file.fetch.folders == ["d/e/f"])
  }

  @Test(arguments: [
    ("rewrite: [{from: a, to: b}, {from: c, to: \"\"}]", []), ("rewrite: []", []),
    ("rewrite: {from: a, to: b}", ["\"fetch.rewrite\" must be a list, found a group of keys"]),
    (
      "rewrite: [{from: a}]",
      ["the key \"fetch.rewrite.to\" is missing; it must be the beginning of a URL"]
    ),
    (
      "rewrite: [{from: \"\", to: b}]",
      ["\"fetch.rewrite.from\" must be the beginning of a URL, found \"\""]
    ),
    (
      "ignore-query: [a, \"\"]",
      ["\"fetch.ignore-query\" must be a list of query parameters' names, found \"\""]
    ),
    (
      "order: oldest",
      ["\"fetch.order\" must be one of \"manifest\", \"newest-first\", found \"oldest\""]
    ),
    (
      "revalidate: when-stal",
      [
        "\"fetch.revalidate\" must be one of \"always\", \"when-stale\", \"never\", found "
          + "\"when-stal\" (did you mean "
          + "\"when-stale\"?)"
      ]
    ),
    ("headers-everywhere: 1", ["\"fetch.headers-everywhere\" must be true or false, found \"1\""]),
  ])
  func otherKeysOfFetch(_ keys: String, _ messages: [String]) {
    #expect(Self.messages(keys) == messages)
  }

  @Test func prefixesAreRewritten() throws {
    #expect(
      try Self.fetch("rewrite: [{to: \"\", from: a}, {from: b, to: c}]").rewrites == [
        .init(from: "a", to: ""), .init(from: "b", to: "c"),
      ])
  }
}
