import Foundation
import TesseraJSON
import TesseraTestSupport
import Testing

@testable import tessera

/// The page that shows an output.
@Suite struct GalleryPageTests {
  private let small: SmallOutput

  init() throws { small = try SmallOutput() }

  /// Writes the page, and returns its data. All around them is the page in the sources.
  private func data(limit: Int = 10) async throws -> (text: String, report: GalleryReport) {
    let report = try await Gallery(small.root, limit: limit).write()
    let source = try String(
      contentsOf: Places.root.appending(path: "Sources/Command/Gallery/gallery.html"),
      encoding: .utf8)
    let parts = source.components(separatedBy: ">CATALOG<")
    let page = try small.text("gallery.html")
    try #require(parts.count == 2)
    #expect(page.hasPrefix(parts[0] + ">") && page.hasSuffix("<" + parts[1]))
    return (
      String(page.dropFirst(parts[0].count + 1).dropLast(parts[1].count + 1)), report
    )
  }

  private static let lines = [
    #"{"id":"a","url":"u","status":"ok","variants":[],"slots":{},"extra":{"n":1.50,"x":"</script>"}}"#,
    #"{"id":"b","url":"u","status":"failed"}"#, #"{"id":"c","url":"u","status":"ok"}"#,
    #"{"id":"d","url":"u","status":"pending"}"#, #"{"id":"e","url":"u","status":"stale"}"#,
  ]

  /// The data of the page: the images as they were written, the head, and the sums over all images.
  private func expected(_ shown: Int, files: Int = 0, bytes: Int = 0) throws -> String {
    let head =
      #"{"digest":"\#(try small.digest())","# + SmallOutput.head().dropFirst().dropLast()
      + #","count":5}"#
    let images = Self.lines.prefix(shown).joined(separator: ",").replacing("<", with: "\\u003c")
    return
      #"{"images":[\#(images)],"head":\#(head),"totals":{"images":5,"statuses":{"ok":2,"stale":1,"#
      + #""failed":1,"pending":1},"files":\#(files),"bytes":\#(bytes)}}"#
  }

  @Test(arguments: [0, 1, 4, 5, 6])
  func theFirstImagesAreOnThePage(_ limit: Int) async throws {
    try await small.publish(Self.lines)
    let (text, report) = try await data(limit: limit)
    #expect(text == (try expected(min(limit, 5))))
    #expect(
      String(decoding: report.json, as: UTF8.self) == """
        {
          "schema": "tessera-gallery/1",
          "path": "\(small.root)/gallery.html",
          "images": 5,
          "shown": \(min(limit, 5))
        }

        """)
  }

  /// Of the images after the first ones, those are on the page that have changed.
  @Test(arguments: [
    (1, #"{"0":["status"],"1":[]}"#, "a new"),
    (2, #"{"0":["status"],"2":[],"3":["alt"]}"#, "a b new d"),
    (9, #"{"0":["status"],"3":[],"4":["alt"]}"#, "a b c new d"),
  ])
  func whatHasChangedIsMarked(_ limit: Int, _ marks: String, _ shown: String) async throws {
    func line(_ id: String, _ status: String = "ok", _ more: String = "") -> String {
      SmallOutput.line(id, status: status, more: more)
    }
    try await small.publish(["a", "b", "gone", "d", "c", "too"].map { line($0) }, now: 100)
    try await small.publish(
      [line("a", "stale"), line("b"), line("c"), line("new"), line("d", "ok", #","alt":"x""#)],
      now: 200)
    let (text, report) = try await data(limit: limit)
    let changes = try #require(report.changes)
    #expect((changes.added, changes.changed, changes.removed) == (1, 2, 2))
    #expect(changes.since == "1970-01-01T00:03:20Z")
    #expect(
      text.hasSuffix(
        #","changes":{"since":"\#(changes.since)","added":1,"changed":2,"removed":2},"marks":\#(marks)}"#
      ),
      "\(text)")
    let images = try JSONParser.parse(Array(text.utf8))["images"]?.arrayValue ?? []
    #expect(images.compactMap { $0["id"]?.stringValue }.joined(separator: " ") == shown)
    #expect(report.shown == images.count)
    // Nothing of those that are gone is on the page, which may be as public as the catalog.
    #expect(!text.contains("gone") && !text.contains("too"))
  }

  /// A damaged catalog may state any sizes.
  @Test(arguments: [
    (3, 4, 7), (-3, 4, 4), (Int.max, 4, Int.max), (Int.max - 4, 4, Int.max), (0, 0, 0),
  ])
  func sizesAreAddedUp(_ one: Int, _ other: Int, _ sum: Int) async throws {
    func line(_ bytes: Int, _ id: String, _ more: String = "") -> String {
      #"{"id":"\#(id)","url":"u","status":"ok","source":"\#(SmallOutput.source(id))","#
        + #""variants":[{"width":8,"height":8,"bytes":[\#(bytes)]\#(more)}],"slots":{}}"#
    }
    try await small.publish([
      line(one, "a", #","original":{"url":"https://a","type":"image/gif"}"#), line(other, "b"),
    ])
    let text = try await data(limit: 0).text
    #expect(text.hasSuffix(#""files":3,"bytes":\#(sum)}}"#), "\(text)")
  }

  @Test func thePageNeedsAnOutput() async throws {
    #expect(
      await sentence { try await Gallery(small.root, limit: 1).write() }
        == "\"\(small.root)\" holds no catalog yet: no run has come to its end; run again, which goes on where the last one was stopped"
    )
    let none = small.folder.path("none")
    #expect(
      await sentence { try await Gallery(none, limit: 1).write() }
        == "there is no file or folder \"\(none)\"; it must be the output of a run")
    try await small.publish(Self.lines)
    let file = "\(small.root)/catalog.json"
    #expect(
      await sentence { try await Gallery(file, limit: 1).write() }
        == "\"\(file)\" holds no catalog.json; it must be the output of a run")
    // A damaged catalog leaves no page behind.
    try small.write(
      try small.text("catalog.json").replacing("\"stale\"", with: "\"x\""), to: "catalog.json")
    #expect(await sentence { try await Gallery(small.root, limit: 1).write() } != "no error")
    #expect(!small.has("gallery.html"))
  }

  @Test func aSlotNamesFilesThatAreThere() async throws {
    let file = try small.make("a")
    func line(_ index: Int) -> String {
      SmallOutput.line("a", [file]).replacing(
        #""slots":{}"#, with: #""slots":{"s":{"width":1,"height":1,"variants":[0,\#(index)]}}"#)
    }
    try await small.publish([line(0)])
    #expect(try await data().report.shown == 1)
    try await small.publish([line(1)])
    #expect(
      await sentence { try await data() }
        == "\"\(small.root)/catalog.json\": slot \"s\" of \"a\" names a file that is not there; the catalog "
        + "is damaged, run again to regenerate it")
  }
}
