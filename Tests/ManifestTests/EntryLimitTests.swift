import TesseraCatalog
import TesseraTestSupport
import Testing

@testable import TesseraManifest

/// What an entry may hold, from both sides of every limit.
@Suite struct EntryLimitTests {
  /// The message about an entry; nil if it is accepted.
  private static func problem(_ entry: ManifestEntry, hasBase: Bool = false) -> String? {
    do throws(ManifestProblem) {
      let checked = try entry.checked(hasBase: hasBase)
      #expect(checked == entry)
      return nil
    } catch {
      #expect(error.line == entry.line)
      return error.message
    }
  }

  private static func entry(
    id: String = "a", url: String = "https://a/1", focus: CatalogFocus? = nil, alt: String? = nil
  ) -> ManifestEntry {
    ManifestEntry(line: 7, id: id, url: url, focus: focus, alt: alt)
  }

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test func idsHaveAtMost1024Bytes() {
    #expect(Self.problem(Self.entry(id: "")) == "the id is empty")
    expectMost(1_024) { Self.problem(Self.entry(id: Self.text($0))) == nil }
    expectMost(512) { Self.problem(Self.entry(id: String(repeating: "é", count: $0))) == nil }
    #expect(
      Self.problem(Self.entry(id: Self.text(1_025)))
        == "the id is 1025 bytes long; at most 1024 are allowed")
  }

  @Test func urlsHaveAtMost8192Bytes() {
    #expect(Self.problem(Self.entry(url: "")) == "the URL is empty")
    let start = "https://a/"
    expectMost(8_192) {
      Self.problem(Self.entry(url: start + Self.text($0 - start.utf8.count))) == nil
    }
    #expect(
      Self.problem(Self.entry(url: start + Self.text(8_183)))
        == "the URL is 8193 bytes long; at most 8192 are allowed")
    // It contains the image.
    #expect(Self.problem(Self.entry(url: "data:image/png;base64," + Self.text(100_000))) == nil)
    #expect(
      Self.problem(Self.entry(url: "file:///" + Self.text(8_185)))
        == "the URL is 8193 bytes long; at most 8192 are allowed")
  }

  @Test func descriptionsHaveAtMost8192Bytes() {
    #expect(Self.problem(Self.entry(alt: "")) == nil)
    expectMost(8_192) { Self.problem(Self.entry(alt: Self.text($0))) == nil }
    expectMost(4_096) { Self.problem(Self.entry(alt: String(repeating: "é", count: $0))) == nil }
    #expect(
      Self.problem(Self.entry(alt: Self.text(8_193)))
        == "the alt text is 8193 bytes long; at most 8192 are allowed")
  }

  @Test(
    arguments: [
      (0, 0, true), (1, 1, true), (0.5, 0.25, true), (-0.001, 0.5, false), (1.001, 0.5, false),
      (0.5, -0.001, false), (0.5, 1.001, false), (2, 0.5, false), (0.5, 2, false),
      (.nan, 0.5, false), (0.5, .infinity, false),
    ] as [(Double, Double, Bool)])
  func aFocusIsInTheImage(_ x: Double, _ y: Double, _ isAccepted: Bool) {
    #expect(
      Self.problem(Self.entry(focus: .init(x: x, y: y)))
        == (isAccepted ? nil : "the focus must be two numbers from 0 to 1, such as [0.5, 0.3]"))
  }

  /// Cc of Unicode: C0, DEL and C1.
  @Test func idsHaveNoControlCharacters() throws {
    for value in UInt32(0)...0x100 {
      let scalar = try #require(Unicode.Scalar(value))
      let isControl = value < 0x20 || (0x7F...0x9F).contains(value)
      let problem = Self.problem(Self.entry(id: "a\(scalar)b"))
      #expect(
        problem == (isControl ? "the id has a control character in it" : nil), "U+\(value)")
    }
  }

  /// From `!` to `~`, and what is beyond ASCII; what is behind the host is encoded before.
  @Test func hostsHaveNoBlanks() throws {
    for value in UInt32(0)...0x100 {
      let scalar = try #require(Unicode.Scalar(value))
      let isBlank = value <= 0x20 || value == 0x7F
      let problem = Self.problem(Self.entry(url: "https://a\(scalar)2/1"))
      #expect(
        problem == (isBlank ? "the URL has a blank or a control character in its host" : nil),
        "U+\(value)")
    }
    #expect(Self.problem(Self.entry(url: "data:image/png; x,a b")) == nil)
    #expect(Self.problem(Self.entry(url: "data:,a\u{1}")) != nil)
  }

  private static func place(_ found: String?) -> String {
    "the URL must begin with http:// or https:// and name a host, or be a file:, data: or s3: URL"
      + (found.map { ", found \"\($0)\"" } ?? "")
  }

  @Test(
    arguments: [
      ("https://a/1", nil, nil), ("file:///a", nil, nil), ("s3://b/a", nil, nil),
      ("s3:///a?b", place("s3:///a"), place("s3:///a")),
      ("ftp://a/1#b", place("ftp://a/1"), place("ftp://a/1")),
      ("1.jpg", place("1.jpg") + "; relative ones need a \"base\" in the pipeline", place("1.jpg")),
      (
        "//a/1.jpg", place("//a/1.jpg") + "; relative ones need a \"base\" in the pipeline",
        place("//a/1.jpg")
      ),
      (
        "/a/1.jpg",
        place("/a/1.jpg") + "; relative ones need a \"base\" in the pipeline, "
          + "and a file of this machine \"file://\" before its path", place("/a/1.jpg")
      ),
      // What may be a secret is not shown.
      ("ftp://a:b@c/1", place(nil), place(nil)),
      (
        String(repeating: "x", count: 99) + "://",
        place(String(repeating: "x", count: 59) + "…"),
        place(String(repeating: "x", count: 59) + "…")
      ),
    ] as [(String, String?, String?)])
  func urlsAreAbsolute(_ url: String, _ message: String?, _ messageWithBase: String?) {
    #expect(Self.problem(Self.entry(url: url)) == message)
    #expect(Self.problem(Self.entry(url: url), hasBase: true) == messageWithBase)
  }

  // MARK: The text of an entry

  @Test func theContentIsOneText() {
    var entry = ManifestEntry(line: 1, id: "a", url: "https://a/1?sig=x&sv=1")
    #expect(entry.content == #"["a","https://a/1",null,"",null]"#)
    entry.slots = ["s", "t"]
    entry.focus = .init(x: 0.5, y: 0.25)
    entry.extra = #"{"n":1.10}"#
    #expect(entry.content == #"["a","https://a/1",["s","t"],"0.5 0.25",{"n":1.10}]"#)
    entry.extra = "null"
    entry.alt = "b"
    #expect(entry.content == #"["a","https://a/1",["s","t"],"0.5 0.25",null,null,{"alt":"b"}]"#)
  }

  @Test func anEntryWithoutAnIDKnowsIt() {
    #expect(ManifestEntry(line: 1, id: nil, url: "u").hasNoID)
    #expect(ManifestEntry(line: 1, id: nil, url: "u").id == "")
    #expect(!ManifestEntry(line: 1, id: "", url: "u").hasNoID)
  }
}
