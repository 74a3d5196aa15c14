import Foundation
import TesseraBytes
import TesseraJSON
import TesseraManifest
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraState
@testable import tessera

/// What `forget` deletes, and what it reports.
@Suite struct ForgettingTests {
  private let small: SmallOutput
  private static let (one, two) = ("https://example.com/a", "https://example.com/b")

  init() throws { small = try SmallOutput() }

  private func forget(_ ids: String..., urls: [String] = []) async throws -> ForgetReport {
    try await Forgetting(small.root, ids: ids, urls: urls, now: 400).run()
  }

  private func forgotten(_ id: String, _ url: String = "") async throws -> Bool {
    try await ForgottenItems.of(small.output).has(id: id, request: RecordKey.of(url))
  }

  private func knows(_ id: String) async throws -> Bool {
    try await StateStore(path: try small.statePath).has(id)
  }

  /// Whether any byte of the state, or of its log, is of a source's digest.
  private func isInState(_ url: String) throws -> Bool {
    let digest = PackedKey.withBytes(of: RecordKey.of(url)) { bytes, _ in Data(bytes) }
    return try ["", "-wal"].contains { end in
      let path = ".tessera/state.sqlite\(end)"
      guard small.has(path) else { return false }
      return try small.folder.read("out/\(path)").range(of: digest) != nil
    }
  }

  private func item(_ id: String, _ file: SmallOutput.Made, content: String) -> SmallState.Item {
    SmallState.Item(
      id: id, line: SmallOutput.line(id, [file]), content: content,
      url: "https://example.com/\(id)")
  }

  /// Two images with a file each and one that they share, in a catalog and in a state.
  private func publish(
    head members: String = #""slots":{},"scales":[1]"#, hasState: Bool = true
  ) async throws -> [SmallOutput.Made] {
    // Of one source, in which they have one size in common.
    let files = [
      try small.make("a", of: "s", width: 7), try small.make("b", of: "s", width: 6),
      try small.make("both", of: "s"),
    ]
    try await small.publish(
      [SmallOutput.line("a", [files[0], files[2]]), SmallOutput.line("b", [files[1], files[2]])],
      head: SmallOutput.head(members))
    if hasState {
      try await SmallState.write(
        [item("a", files[0], content: "ca"), item("b", files[1], content: "cb")],
        to: try small.statePath)
    }
    return files
  }

  /// A history that can't be written hides nothing of what has to be known, such as what to purge.
  @Test func theHistoryMayFail() async throws {
    _ = try await publish()
    try small.write("", to: ".tessera/runs.jsonl/in-the-way")
    let report = try await forget("a")
    #expect(report.warning?.hasPrefix("the history of runs was not written: ") == true)
    #expect(report.ids == ["a"] && !report.purge.isEmpty)
    #expect(String(decoding: report.json, as: UTF8.self).contains("\"warning\": \"the history"))
    #expect(try await forgotten("a"))
  }

  @Test func allOfAnImageIsDeleted() async throws {
    let files = try await publish(head: #""baseURL":"https://cdn/","slots":{},"scales":[1]"#)
    for (path, text) in [
      ("gallery.html", "page"), ("page.html", "an export"), ("site/page.html", "an export"),
      ("catalog.json.gz", "compressed"), ("gallery.html.br", "compressed"),
      ("screens/feed/first.json.zst", "compressed"), ("catalog.txt.gz", "mine"),
      ("run.json", #"{"slowest":[{"id":"a"},{"id":"b"}]}"#),
      (".tessera/cache/ca", "bytes"), (".tessera/cache/cb", "bytes"),
      (".tessera/staging/left", "bytes"), (".tessera/state.sqlite.damaged", "bytes"),
    ] { try small.write(text, to: path) }
    let left = try small.make("left of a killed run")
    // Not one of the files that a run makes.
    try small.write("mine", to: "variants/ab/cd/notes.txt")
    #expect(try isInState(Self.one))
    let report = try await forget("a")
    func list(_ paths: [String]) -> String {
      "[\n" + paths.map { "    \"\($0)\"" }.joined(separator: ",\n") + "\n  ]"
    }
    let derived = [
      "catalog.json.gz", "gallery.html", "gallery.html.br", "screens/feed/first.json.zst",
    ]
    let deleted = [files[0].path, left.path] + derived
    let purge = (deleted + ["catalog.json", "run.json"]).sorted()
      .map { "https://cdn/\($0)" }
    #expect(
      String(decoding: report.json, as: UTF8.self) == """
        {
          "schema": "tessera-forget/1",
          "ids": \(list(["a"])),
          "deleted": \(list(deleted)),
          "unattributed": 1,
          "shared": \(list([files[1].path, files[2].path])),
          "sameID": [],
          "replaced": \(list(["catalog.json", "run.json"])),
          "cachedSources": 1,
          "purge": \(list(purge)),
          "foreign": \(list(["catalog.txt.gz", "page.html", "site/"])),
          "notReached": \(list(ForgetReport.beyond))
        }

        """)
    #expect(report.derived == derived)
    #expect(deleted.allSatisfy { !small.has($0) } && small.has(files[1].path))
    #expect(small.has("variants/ab/cd/notes.txt"))
    #expect(try !small.text("catalog.json").contains(#""id":"a""#))
    #expect(try small.text("catalog.json").contains(#""id":"b""#))
    #expect(!small.has(".tessera/cache/ca") && small.has(".tessera/cache/cb"))
    #expect(!small.has(".tessera/staging/left") && !small.has(".tessera/state.sqlite.damaged"))
    #expect(try await [knows("a"), knows("b")] == [false, true])
    #expect(try !isInState(Self.one) && isInState(Self.two))
    #expect(try await [forgotten("a"), forgotten("b")] == [true, false])
    // Its source does not come back under another id.
    #expect(try await forgotten("new", Self.one))
    #expect(try await !forgotten("new", Self.two))
    // Again it is not an error, and the rest stays.
    let again = try await forget("a")
    #expect(again.ids == ["a"] && again.files.isEmpty && again.derived.isEmpty)
  }

  @Test(arguments: [false, true])
  func anImageIsFoundByItsURL(_ isInState: Bool) async throws {
    let files = try await publish(hasState: isInState)
    let report = try await forget(urls: [Self.one])
    #expect(report.ids == ["a"] && !small.has(files[0].path))
    #expect(try await [forgotten("a"), forgotten("new", Self.one)] == [true, true])
    #expect(report.purge.contains("catalog.json") && report.documents == ["catalog.json"])
    // A URL that is forgotten is known.
    #expect(try await forget(urls: [Self.one]).ids == [])
    #expect(
      await sentence { try await forget(urls: ["https://example.com/c"]) }
        == "\"\(small.root)\" has no image of \"https://example.com/c\"; nothing was changed")
  }

  /// The URL that was requested is forgotten, too, if it is another than the source's.
  @Test func theRequestIsForgotten() async throws {
    let (file, other) = (try small.make("a"), "https://example.com/a?ttl=1")
    try await small.publish([SmallOutput.line("a", [file])])
    var item = item("a", file, content: "ca")
    item.request = other
    try await SmallState.write([item], to: try small.statePath)
    #expect(try await forget("a").ids == ["a"])
    for url in [Self.one, other] { #expect(try await forgotten("new", url), "\(url)") }
    #expect(try await !forgotten("new", Self.two))
  }

  /// Images of one product have one id in the list; each of them is forgotten by its own.
  @Test func othersOfAProductAreNamed() async throws {
    try await small.publish([SmallOutput.line("a")])
    let ids = ["a", "a#00000000", "a#11111111", "a#1", "a#1111111x", "ab", "ab#00000000"]
    try await SmallState.write(
      try ids.map { item($0, try small.make($0), content: "c\($0)") }, to: try small.statePath)
    let first = try await forget("a")
    #expect(first.ids == ["a"] && first.sameID == ["a#00000000", "a#11111111"])
    #expect(try await knows("a#00000000"))
    #expect(try await forget("a#11111111").sameID == ["a#00000000"])
    #expect(try await forget("ab#00000000").sameID == ["ab"])
    #expect(try await forget("a#1").sameID == [])
  }

  /// Images that only an earlier catalog has, or only the state.
  @Test func anImageMayBeInOnePlaceOnly() async throws {
    let file = try small.make("old")
    try await small.publish([SmallOutput.line("old", [file])], now: 100)
    try await small.publish([SmallOutput.line("new")], now: 200)
    try await SmallState.write(
      [item("state", try small.make("in the state"), content: "c")],
      to: try small.statePath)
    #expect(try await forget("old").files.contains(file.path))
    #expect(try await Rollback(small.root, now: 400).run(to: 1).images == 0)
    #expect(try await knows("state"))
    #expect(try await forget("state").ids == ["state"])
    #expect(try await !knows("state"))
  }

  @Test func anUnknownImageChangesNothing() async throws {
    let files = try await publish()
    #expect(
      await sentence { try await forget("b", "typo", "other") }
        == "\"\(small.root)\" has no image \"other\"; nothing was changed")
    #expect(try await [knows("b"), forgotten("b")] == [true, false])
    #expect(small.has(files[1].path) && !small.has(".tessera/forgotten.json"))
    let folder = try TemporaryFolder()
    #expect(
      await sentence { try await Forgetting(folder.url.path, ids: ["a"], urls: []).run() }
        == "\"\(folder.url.path)\" holds no catalog.json; it must be the output of a run")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  /// It says so, and does not claim that the image is gone. After the next run it is.
  @Test(
    .faults(.f10),
    arguments: ["catalog.json", "screens/feed/first.json", ".tessera/catalogs/*.json"])
  func aDocumentThatCannotBeReadIsNamed(_ name: String) async throws {
    func publish(_ ids: [String], now: Double) async throws {
      try await small.publish(
        ids.map { SmallOutput.line($0, isCard: true) }, screens: [SmallOutput.feed], now: now)
    }
    try await publish(["a", "b"], now: 100)
    try await publish(["a", "b", "c"], now: 200)
    let kept = try await CatalogHistory.kept(in: small.output)?.catalogs.first?.path
    let path = name.contains("*") ? try #require(kept) : name
    try small.write(String(try small.text(path).dropLast(20)), to: path)
    let text = await sentence { try await forget("a") }
    #expect(text.hasPrefix("\"\(small.root)/\(path)\" is damaged: "), "\(text)")
    #expect(
      text.hasSuffix(
        "; later runs leave the images out, but it may still have them: run, or merge, which replaces it, and then forget them again"
      ), "\(text)")
    #expect(try await forgotten("a"))
    let typo = await sentence { try await forget("typo") }
    let unread =
      name.contains("first") ? "" : " in what can be read (\"\(small.root)/\(path)\" is damaged: "
    #expect(typo.hasPrefix("\"\(small.root)\" has no image \"typo\"\(unread)"), "\(typo)")
    #expect(typo.hasSuffix("; nothing was changed"))
    try await publish(["b", "c"], now: 300)
    #expect(try await forget("a").ids == ["a"])
    for path in small.folder.files(below: "out") {
      #expect(try !small.text(path).contains("example.com/a\""), "\(path)")
    }
  }

  @Test func aPersonMayWantItBack() async throws {
    _ = try await publish()
    _ = try await forget("a", urls: [])
    func undo(_ ids: [String], _ urls: [String] = []) async throws -> ForgetReport {
      try await Forgetting(small.root, ids: ids, urls: urls).undo()
    }
    #expect(
      await sentence { try await undo(["b"], ["https://c"]) }
        == "\"\(small.root)\" has not forgotten \"b\", \"https://c\"")
    let first = try await undo(["a"])
    #expect(first.ids == ["a"] && first.uncertain == [])
    #expect(try await [forgotten("a"), forgotten("new", Self.one)] == [false, false])
    // What was named stays until it is named again.
    _ = try await publish()
    _ = try await forget("a", urls: [Self.one])
    #expect(try await undo(["a"]).uncertain == ["a"])
    #expect(try await [forgotten("a"), forgotten("new", Self.one)] == [false, true])
    #expect(try await undo([], [Self.one]).ids == [])
    #expect(try await !forgotten("new", Self.one))
  }

  /// Other shards' items keep theirs.
  @Test func statesOfShardsForgetIt() async throws {
    let (own, other) = (try small.make("own"), try small.make("other"))
    try await small.publish([SmallOutput.line("x", [own])])
    var paths: [String] = []
    for (index, file) in [own, other].enumerated() {
      let shard = try #require(Shard(index, of: 2))
      paths.append(try small.workspace.part(shard).statePath())
      try await SmallState.write(
        [item(index == 0 ? "x" : "y", file, content: "c\(index)")], to: paths[index])
      // Now it has another file.
      try await SmallState.write(
        [item(index == 0 ? "x" : "y", try small.make("\(index)"), content: "c\(index)")],
        to: paths[index])
    }
    let report = try await forget("x")
    #expect(try await !StateStore(path: paths[0]).has("x"))
    #expect(try await StateStore(path: paths[1]).has("y"))
    // A file that was of another image formerly, and of none now, stays.
    #expect(!small.has(own.path) && small.has(other.path))
    #expect(report.files.contains(own.path) && !report.files.contains(other.path))
  }

  /// Tables that no catalog names any more may show the image; an image service has URLs of its own.
  @Test func tablesAndURLsOfAServiceAreFound() async throws {
    let digest = String(repeating: "a", count: 32)
    let (named, unnamed) = ("tables/aa/\(digest)-8x8.webp", "tables/aa/\(digest)-9x9.webp")
    let tables =
      #"{"a":[{"scale":1,"pixels":"webp","files":[{"path":"\#(named)","prefix":"0","width":8,"height":8,"#
      + #""count":1,"bytes":3,"sha256":""}]}]}"#
    let service =
      #"{"id":"s","url":"u","status":"ok","#
      + #""variants":[\#(SmallOutput.variant(url: "https://img/s"))],"slots":{}}"#
    // The hash of "s" begins with 04, that of "a" with ca.
    try await small.publish(
      [service, SmallOutput.line("a")],
      head: SmallOutput.head(#""slots":{},"scales":[1],"tables":\#(tables)"#))
    for path in [named, unnamed, "tables/aa/mine.txt"] { try small.write("abc", to: path) }
    let report = try await forget("a")
    #expect(report.files == [unnamed] && report.serviceURLs == [])
    #expect(small.has(named) && !small.has(unnamed) && small.has("tables/aa/mine.txt"))
    #expect(report.derived.isEmpty)
    let last = try await forget("s")
    #expect(last.files == [named] && last.serviceURLs == ["https://img/s"])
    #expect(last.purge == ["catalog.json", named, "https://img/s"])
  }
}
