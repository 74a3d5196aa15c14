import Foundation
import TesseraJSON
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// Earlier catalogs that become the current one again.
@Suite struct RollbackTests {
  private let small: SmallOutput

  init() throws { small = try SmallOutput() }

  private func rollback(to number: Int = 1, now: Double = 400) async throws -> RollbackReport {
    try await Rollback(small.root, now: now).run(to: number)
  }

  /// Three catalogs, replaced at 200 and 300. Returns their texts, the oldest first.
  private func history(hasScreen: Bool = false) async throws -> [String] {
    var texts: [String] = []
    for (number, id) in ["a", "b", "c"].enumerated() {
      let lines = [
        SmallOutput.line(id, [try small.make(id)], isCard: true),
        SmallOutput.line("x", status: "failed", isCard: true),
      ]
      try await small.publish(
        lines, screens: hasScreen ? [SmallOutput.feed] : [], now: Double(number + 1) * 100)
      texts.append(try small.text("catalog.json"))
    }
    return texts
  }

  private static func digest(_ text: String) -> String {
    String(text.firstMatch(of: /"digest":"([0-9a-f]{64})"/)?.output.1 ?? "")
  }

  private static func path(_ text: String, _ end: String = "json") -> String {
    ".tessera/catalogs/\(digest(text).prefix(32)).\(end)"
  }

  private static func entry(
    _ number: Int, _ time: String, _ text: String, counts: String = ""
  ) -> String {
    """
    {
      "number": \(number),
      "replaced": "1970-01-01T00:\(time)Z",
      "images": 2,\(counts)
      "bytes": \(text.utf8.count),
      "digest": "\(digest(text))",
      "path": "\(path(text))"
    }
    """
  }

  /// How many of its images have which status.
  private static func counts(_ text: String) -> String {
    let statuses = Dictionary(grouping: text.matches(of: /"status":"(\w+)"/).map { String($0.1) }) {
      $0
    }
    let members = statuses.sorted { $0.key < $1.key }.map { "    \"\($0.key)\": \($0.value.count)" }
    return "\n  \"counts\": {\n\(members.joined(separator: ",\n"))\n  },"
  }

  private static func indented(_ text: String, _ count: Int) -> String {
    text.replacing("\n", with: "\n" + String(repeating: " ", count: count))
  }

  @Test func theListHasTheNewestFirst() async throws {
    let texts = try await history(hasScreen: true)
    let list = try await Rollback(small.root, now: 250).list()
    #expect(
      String(decoding: list.json, as: UTF8.self) == """
        {
          "schema": "tessera-rollback-list/1",
          "catalogs": [
            \(Self.indented(Self.entry(1, "05:00", texts[1], counts: Self.counts(texts[1])), 4)),
            \(Self.indented(Self.entry(2, "03:20", texts[0], counts: Self.counts(texts[0])), 4))
          ]
        }

        """)
    // The clock may have been set back.
    #expect(list.catalogs.map(\.age) == [0, 50])
    let none = try SmallOutput()
    #expect(
      String(decoding: try await Rollback(none.root).list().json, as: UTF8.self)
        == "{\n  \"schema\": \"tessera-rollback-list/1\",\n  \"catalogs\": []\n}\n")
  }

  @Test(arguments: [1, 2])
  func aCatalogBecomesTheCurrentOne(_ number: Int) async throws {
    let texts = try await history()
    try small.write("left", to: ".tessera/staging/left")
    let report = try await rollback(to: number)
    let text = texts[2 - number]
    #expect(try small.text("catalog.json") == text)
    #expect(
      String(decoding: report.json, as: UTF8.self) == """
        {
          "schema": "tessera-rollback/1",
          "catalog": \(Self.indented(Self.entry(number, number == 1 ? "05:00" : "03:20", text), 2)),
          "images": 2,
          "counts": {
            "failed": 1,
            "ok": 1
          },
          "files": 1
        }

        """)
    #expect(report.hasReplaced && report.catalog.age == (number == 1 ? 100 : 200))
    #expect(!small.has(".tessera/staging/left"))
    // The one that was current is kept, and is the first now.
    let rest = try await Rollback(small.root, now: 400).list().catalogs
    #expect(rest.map(\.digest) == [2, number == 1 ? 0 : 1].map { Self.digest(texts[$0]) })
    #expect(try await rollback().catalog.digest == Self.digest(texts[2]))
    #expect(try small.text("catalog.json") == texts[2])
  }

  @Test func theCurrentCatalogMayBeMissing() async throws {
    let texts = try await history(hasScreen: true)
    try small.remove("catalog.json")
    let report = try await rollback(to: 2)
    #expect(!report.hasReplaced && report.files == 2)
    #expect(try small.text("catalog.json") == texts[0])
    #expect(try small.text("screens/feed/first.json").contains(Self.digest(texts[0])))
  }

  @Test func thereHasToBeSuchACatalog() async throws {
    let none =
      "\"\(small.root)\" keeps no earlier catalog; a run keeps the one that it replaces (keep-catalogs)"
    #expect(await sentence { try await rollback() } == none)
    try await small.publish([SmallOutput.line("a")])
    #expect(await sentence { try await rollback() } == none)
    try await small.publish([SmallOutput.line("b")])
    let shown = "tessera rollback --list \(small.root) shows them"
    #expect(
      await sentence { try await rollback(to: 2) }
        == "\"\(small.root)\" keeps 1 earlier catalog, not 2; \(shown)")
    try await small.publish([SmallOutput.line("c")])
    #expect(
      await sentence { try await rollback(to: 3) }
        == "\"\(small.root)\" keeps 2 earlier catalogs, not 3; \(shown)")
    #expect(try await rollback(to: 2).images == 1)
    // A folder that is not an output gets no lock.
    let folder = try TemporaryFolder()
    _ = await sentence { try await Rollback(folder.url.path).run(to: 1) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  @Test func anOutputThatARunHoldsIsBusy() async throws {
    _ = try await history()
    let held = try await OpenOutput(small.root).hold()
    let error = await #expect(throws: TesseraError.self) { try await rollback() }
    #expect(error?.isBusy == true)
    await held.release()
    _ = await sentence { try await rollback(to: 9) }
    #expect(try await rollback().images == 2)
  }

  private func expectRejected(_ path: String, _ finding: String = "is missing") async throws {
    let before = try small.text("catalog.json")
    #expect(
      await sentence { try await rollback() }
        == "the catalog that was replaced at 1970-01-01T00:05:00Z can't be rolled back to: "
        + "\"\(small.root)/\(path)\" \(finding); the current catalog stands; try an older one (--to N), "
        + "or repair the pipeline and run again")
    #expect(try small.text("catalog.json") == before)
  }

  @Test func eachFileHasToBeThere() async throws {
    let texts = try await history(hasScreen: true)
    let file = try small.make("b")
    try small.remove(file.path)
    try await expectRejected(file.path)
    try small.write("bb", to: file.path)
    try await expectRejected(file.path, "has another size (2 bytes)")
    _ = try small.make("b")
    // A part of the screen, its first document, and the catalog itself.
    let first = Self.path(texts[1], "screens.feed.first.json")
    let parts = try small.parts(of: first)
    try #require(parts.count == 1)
    for path in parts + [first, Self.path(texts[1])] {
      let text = try small.text(path)
      try small.remove(path)
      try await expectRejected(path)
      try small.write(text, to: path)
    }
    #expect(try await rollback().files == 2)
  }

  @Test func filesOfTablesHaveToBeThere() async throws {
    let digest = String(repeating: "a", count: 32)
    let (path, index) = ("tables/aa/\(digest)-8x8.webp", "tables/aa/\(digest).json")
    let tables =
      #"{"a":[{"scale":1,"pixels":"webp","files":[{"path":"\#(path)","prefix":"","width":8,"height":8,"#
      + #""count":1,"bytes":3,"sha256":"","index":"\#(index)"}]}]}"#
    try await small.publish(
      [SmallOutput.line("a")],
      head: SmallOutput.head(#""slots":{},"scales":[1],"tables":\#(tables)"#),
      now: 200)
    try await small.publish([SmallOutput.line("b")], now: 300)
    for (name, text) in [(path, "abc"), (index, "any size")] { try small.write(text, to: name) }
    for name in [path, index] {
      let text = try small.text(name)
      try small.remove(name)
      try await expectRejected(name)
      try small.write(text, to: name)
    }
    try small.write("ab", to: path)
    try await expectRejected(path, "has another size (2 bytes)")
    try small.write("abc", to: path)
    #expect(try await rollback().files == 2)
  }

  /// A history that can't be written is a warning: the earlier catalog is the current one all the same.
  @Test func theHistoryMayFail() async throws {
    let texts = try await history()
    try small.write("", to: ".tessera/runs.jsonl/in-the-way")
    let report = try await rollback()
    #expect(report.warning?.hasPrefix("the history of runs was not written: ") == true)
    #expect(String(decoding: report.json, as: UTF8.self).contains("\"warning\": \"the history"))
    #expect(try small.text("catalog.json") == texts[1])
  }

  @Test func aDamagedCatalogIsNotPublished() async throws {
    let texts = try await history()
    let path = Self.path(texts[1])
    func damaged(_ change: (String) -> String) async throws -> String {
      try small.write(change(texts[1]), to: path)
      let text = await sentence { try await rollback() }
      #expect(try small.text("catalog.json") == texts[2])
      let start = "the kept catalog \"\(small.root)/\(path)\" is damaged: "
      let end = "; remove it, and it can no longer be rolled back to"
      #expect(text.hasPrefix(start) && text.hasSuffix(end), "\(text)")
      return String(text.dropFirst(start.count).dropLast(end.count))
    }
    #expect(
      try await damaged { $0.replacing(#""failed""#, with: #""FAILED""#) }
        == "its content has another digest than its head states")
    #expect(
      try await damaged { $0.replacing(#""width":8,"#, with: "") }
        == "an image has a malformed entry")
    _ = try await damaged { String($0.dropLast(20)) }
    _ = try await damaged { $0.replacing(#""status":"ok""#, with: #""status":ok"#) }
  }

  /// More files than are looked for at a time.
  @Test func manyFilesAreLookedFor() async throws {
    let file = try small.make("all", of: "s")
    let last = try small.make("last", of: "s", width: 9)
    let lines = (0..<1_200).map { SmallOutput.line("\($0)", [$0 == 1_199 ? last : file, file]) }
    try await small.publish(lines, now: 200)
    try await small.publish([], now: 300)
    #expect(try await rollback().files == 2_400)
    try await small.publish([], now: 300)
    try small.remove(last.path)
    try await expectRejected(last.path)
  }
}
