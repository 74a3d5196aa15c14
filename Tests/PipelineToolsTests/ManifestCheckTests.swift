import Foundation
import TesseraJSON
import TesseraManifest
import TesseraPipeline
import TesseraPipelineFile
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import tessera

/// `check`: every line that a run could not use, or would reject, without its secrets.
@Suite struct ManifestCheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func pipeline(_ manifest: String, fetch: String = "", _ keys: String = "") throws
    -> PipelineFile
  {
    try folder.write(manifest, to: "list")
    let path = try folder.write(
      """
      manifest: list
      output: out
      slots: {card: {size: 10x10}, thumb: {size: 5x5}}
      fetch: {retries: 0\(fetch.isEmpty ? "" : ", ")\(fetch)}
      \(keys)
      """, to: "feed.yaml")
    return try PipelineFile.load(path, manifest: nil, output: nil)
  }

  private func check(
    _ file: PipelineFile, probes: Bool = false
  ) async throws -> (report: CheckReport, messages: [String]) {
    var check = try ManifestCheck(file, probes: probes)
    var messages: [String] = []
    let report = try await check.run { messages.append("\($1): \($2)") }
    return (report, messages)
  }

  @Test func whatDoesNothingIsSaid() async throws {
    let empty = try await check(try pipeline("url,alt\n")).report
    #expect(empty.warnings == ["the manifest has no image"])
    let rows = try await check(
      try pipeline("a,b\n1,\n2,\n", "columns: {url: b, id: a}")
    ).report
    #expect(
      rows.warnings == [
        "the manifest has no image, though it has 2 rows or items; say where it has the URLs (columns)"
      ])
    let host = try await check(
      try pipeline("https://a.test:8443/1\n", fetch: "hosts: [{host: a.test, rate: 1/s}]")
    ).report
    #expect(
      host.warnings.count == 1 && host.warnings[0].contains("there are images at a.test:8443"))
    // A prefix that init wrote, and no person replaced.
    let prefix = "columns: {url: b, id: a, prefix: https://shop.example.com/media}"
    await #expect(throws: TesseraError.self) {
      try await check(try pipeline("a,b\n1,/1.jpg\n", prefix))
    }
    let own = "columns: {url: b, id: a, prefix: https://shop.test/media}"
    #expect(try await check(try pipeline("a,b\n1,/1.jpg\n", own)).report.items == 1)
  }

  @Test func slotsWithoutBoundsAreSaid() async throws {
    func warnings(_ slots: String) async throws -> [String] {
      let file = try folder.write(
        "manifest: list\noutput: out\nslots: {\(slots)}\n", to: "slots.yaml")
      try folder.write("https://example.com/a.jpg\n", to: "list")
      return try await check(try PipelineFile.load(file)).report.warnings
    }
    let bound = "bound it, such as aspect: [1:4, 4:1]"
    #expect(
      try await warnings("a: {size: 9x9}, b: {size: 180x}") == [
        "slot \"b\" has a free side and no \"aspect\": an image of 3 x 900 pixels takes 180 x 54000 points in "
          + "\"b\"; \(bound)"
      ])
    #expect(
      try await warnings("a: {size: x20}, b: {size: 180x}") == [
        "slots \"a\", \"b\" have a free side and no \"aspect\": an image of 900 x 3 pixels takes 6000 x 20 points in "
          + "\"a\"; \(bound)"
      ])
    #expect(try await warnings("a: {size: 9x9}, b: {size: 180x, aspect: [1:9, 9:1]}") == [])
  }

  @Test func everyLineIsChecked() async throws {
    let lines = [
      #"{"id":"a","url":"https://example.com/a.jpg","price":1,"colour":"red"}"#, "nonsense",
      #"{"id":"a","url":"https://example.com/a.jpg","price":2,"colour":"red"}"#,
      #"{"id":"a","url":"https://example.com/b.jpg"}"#,
      #"{"id":"c","url":"https://example.com/c.jpg?token=secret","slots":["thumb","crad"]}"#,
      #"{"id":"d","url":"https://example.com/d.jpg?token=secret","slots":["thumb"],"price":3}"#, "",
    ]
    let found = try await check(try pipeline(lines.joined(separator: "\n")))
    let messages = [
      "not valid JSON at column 1: expected a value, found \"n\"",
      "duplicate id \"a\": line 1 defines it differently",
      "the pipeline has no slot \"crad\" (did you mean \"card\"?)",
    ]
    #expect(found.messages == zip([2, 4, 5], messages).map { "\($0): \($1)" })
    func quoted(_ text: String) -> String { text.replacing("\"", with: "\\\"") }
    #expect(
      text(found.report.json) == """
        {
          "schema": "tessera-check/1",
          "items": 2,
          "repeated": 1,
          "problemCount": 3,
          "badLines": 3,
          "badImages": 0,
          "secrets": 2,
          "imageless": 0,
          "unpublished": 0,
          "encoded": 0,
          "leftOut": {
            "colour": 2,
            "price": 3
          },
          "problems": [
            {
              "line": 2,
              "message": "\(quoted(messages[0]))"
            },
            {
              "line": 4,
              "message": "\(quoted(messages[1]))"
            },
            {
              "line": 5,
              "message": "\(quoted(messages[2]))"
            }
          ]
        }

        """)
  }

  /// What a URL can't have is counted, and a contact is missing only for servers that others run.
  @Test func encodedURLsAndAMissingContactAreNoted() async throws {
    let manifest = "https://example.com/a b.jpg\nhttps://example.com/c.jpg \nhttps://e x/d.jpg\n"
    let found = try await check(try pipeline(manifest))
    #expect(found.report.encoded == 1 && found.report.contactNote == nil)
    #expect(found.messages == ["3: the URL has a blank or a control character in its host"])
    let shop = try await check(try pipeline("https://shop.de/a.jpg\n")).report
    #expect(text(shop.json).contains("\"encoded\": 0,\n  \"contact\": \"missing\",\n"))
    let agent = "user-agent: \"A (+https://example.com/)\""
    let example = try await check(try pipeline("https://shop.de/a.jpg\n", fetch: agent)).report
    #expect(text(example.json).contains("\"contact\": \"example\""))
  }

  /// A password or a token of a URL is in no message, and neither is where `rewrite` leads.
  @Test func whatARunWouldRejectIsShownWithoutSecrets() async throws {
    let manifest = """
      http://me:pw@127.0.0.1/a.jpg?token=secret&w=1
      https://cdn.example.com/b.jpg?token=secret
      file:///none/c.jpg
      https://example.com/d.jpg?token=secret

      """
    let rewrite =
      #"rewrite: [{from: "https://cdn.example.com/", to: "http://10.0.0.1/x?key=k&p="}]"#
    let found = try await check(try pipeline(manifest, fetch: rewrite))
    let hint = "is not on the public internet; if that is meant, add allow:"
    #expect(
      found.messages == [
        "1: http://127.0.0.1/a.jpg?w=1: 127.0.0.1 \(hint) [loopback] to the pipeline's \"fetch\" "
          + "(address-rejected)",
        "2: https://cdn.example.com/b.jpg: 10.0.0.1 \(hint) [private] to the pipeline's \"fetch\" "
          + "(address-rejected)",
        "3: c.jpg: the file is not in an allowed folder; if that is meant, add allow: "
          + "[\"files:/the/folder\"] to the pipeline's \"fetch\" (address-rejected)",
      ])
    #expect(found.report.items == 1 && found.report.badLines == 3 && found.report.badImages == 0)
    #expect(found.report.secrets == 3 && found.report.problemCount == 3)
    for word in ["token", "pw", "key="] { #expect(!text(found.report.json).contains(word)) }
  }

  @Test func aProbeRequestsEachImage() async throws {
    let server = try FaultServer([
      "/a.jpg": { $1.fixture("plain.jpg") }, "/b.png": { $1.fixture("grey.png") },
      "/c.txt": { $1.respond("200 OK", [:], Array("not an image".utf8)) },
    ])
    let cdn = "https://cdn.example.com"
    let manifest = """
      \(server.url("/a.jpg"))
      \(cdn)/gone.jpg?token=secret&w=2
      \(cdn)/b.png?token=secret
      \(cdn)/c.txt
      \(cdn)/a.jpg#2
      file:///none/d.jpg
      other://x/y.jpg

      """
    let keys =
      #"allow: [loopback], rewrite: [{from: "\#(cdn)/", to: "\#(server.url("/"))"}, "#
      + #"{from: "other://", to: "/"}]"#
    let found = try await check(
      try pipeline(manifest, fetch: keys, "accept: [jpeg]\nbase: \"https://example.com/\""),
      probes: true)
    #expect(
      found.messages.filter { !$0.hasPrefix("7") } == [
        "6: d.jpg: the file is not in an allowed folder; if that is meant, add allow: "
          + "[\"files:/the/folder\"] to the pipeline's \"fetch\" (address-rejected)",
        "2: \(cdn)/gone.jpg?w=2: The server answered 404 Not Found (http-status)",
        "3: \(cdn)/b.png: The file is a PNG image; \"accept\" lists jpeg (unsupported-format)",
        "4: \(cdn)/c.txt: The file is text, not an image (not-image)",
      ])
    #expect(found.report.items == 2)
    #expect(found.report.badImages == 3)
    #expect(server.count("/a.jpg") >= 2)
    server.stop()
  }

  /// Images are probed in batches, and each has its own answer.
  @Test(arguments: [256, 257])
  func manyImagesAreProbed(_ count: Int) async throws {
    let bad = [0, 100, 255, 256].filter { $0 < count }
    let png = Data(try Places.bytes("one-pixel.png"))
    let image = "data:image/png;base64," + png.base64EncodedString()
    let lines = (0..<count).map { index in
      "{\"id\":\"\(index)\",\"url\":\"\(bad.contains(index) ? "data:,x" : image)\"}\n"
    }
    let found = try await check(try pipeline(lines.joined()), probes: true)
    #expect(
      found.messages
        == bad.map { "\($0 + 1): data:,: The file is text, not an image (not-image)" })
    #expect(found.report.items == count - bad.count && found.report.badImages == bad.count)
  }

  @Test func withoutAProbeNothingIsFetched() async throws {
    let server = try FaultServer([
      "/list": { $1.respond("200 OK", [:], Array("data:,x\nnone\n".utf8)) }
    ])
    var file = try pipeline("", fetch: "allow: [loopback]")
    let end = "check does not use the network; --probe lets it, and probes each image, too"
    for (manifest, name): (PipelineFile.Manifest, String) in [
      (.url("https://me:pw@example.com/list?token=secret"), "https://example.com/list"),
      (.object("s3://bucket/list"), "s3://bucket/list"),
    ] {
      file.manifest = manifest
      do {
        _ = try ManifestCheck(file, probes: false)
        Issue.record("it may be fetched")
      } catch {
        #expect("\(error)" == "the manifest \"\(name)\": \(end)")
      }
    }
    file.manifest = .url(server.url("/list"))
    let found = try await check(file, probes: true)
    #expect(found.report.badLines == 1 && found.report.badImages == 1)
    #expect(server.count("/list") == 1)
    server.stop()
  }

  @Test func theReportListsTenThousandProblems() {
    var report = CheckReport()
    func listed() -> Int { text(report.json).split(separator: "\"line\": ").count - 1 }
    for line in 1...9_999 {
      report.add(ManifestProblem(line: line, message: "m"), isProbed: line % 2 == 0)
    }
    #expect(listed() == 9_999)
    for _ in 0..<2 { report.add(ManifestProblem(line: 1, message: "m"), isProbed: true) }
    #expect(listed() == 10_000)
    #expect(report.badLines == 5_000 && report.badImages == 5_001 && report.problemCount == 10_001)
  }
}
