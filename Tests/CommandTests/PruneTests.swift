import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// `prune` after whole runs: what the state forgets, and what it keeps.
@Suite struct PruneTests {
  private static let tables = [
    "sources", "headers", "rejections", "contents", "placeholders", "qualities", "variants",
  ]

  /// The number of rows in each table of an output's state.
  private static func rows(_ fixture: RunFixture) async throws -> [String: Int] {
    let script = """
      import json, sqlite3, sys
      d = sqlite3.connect(sys.argv[1])
      print(json.dumps({t: d.execute(f"SELECT count(*) FROM {t}").fetchone()[0]
        for t in sys.argv[2:]}))
      """
    let result = try await Tool.run(
      "/usr/bin/python3",
      ["-c", script, fixture.folder.path("out/.tessera/state.sqlite")] + tables)
    return try JSONDecoder().decode([String: Int].self, from: Data(result.output.utf8))
  }

  private struct Report: Decodable {
    var deleted: Int
    var rows: [String: Int]
    var waitingRows: Int
  }

  private static func prune(
    _ fixture: RunFixture, _ options: String..., environment: [String: String] = [:]
  ) async throws -> Report {
    let result = try await Tool.run(
      Places.tessera, ["prune", fixture.folder.path("out"), "--json"] + options,
      environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  /// It is as large as the state, and a person who wants to report it has a month.
  @Test func aDamagedStateIsKeptForAMonth() async throws {
    let fixture = try RunFixture(manifest: "")
    #expect(try await fixture.run().status == 0)
    let out = fixture.folder.path("out")
    let (new, old) = ("out/.tessera/state.sqlite.damaged", "out/.tessera/state.sqlite.damaged-wal")
    for (path, days) in [(new, 29.0), (old, 31)] {
      try fixture.folder.write("x", to: path)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)],
        ofItemAtPath: fixture.folder.path(path))
    }
    func exists(_ path: String) -> Bool {
      FileManager.default.fileExists(atPath: fixture.folder.path(path))
    }
    #expect(try await Tool.tessera("prune", out, "--dry-run").status == 0)
    #expect(exists(old))
    #expect(try await Tool.tessera("prune", out).status == 0)
    #expect(exists(new) && !exists(old))
  }

  private static func difference(_ one: [String: Int], _ other: [String: Int]) -> [String: Int] {
    one.merging(other) { $0 - $1 }
  }

  /// Three manifests, one after the other: the state is as if only the last one had been there.
  @Test func theStateForgetsEarlierManifests() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let manifests = [["plain.jpg", "truncated.jpg"], ["grey.png"], ["one-pixel.png", "gone.png"]]
      .map { names in names.map { nginx.url("/\($0)") + "\n" }.joined() }
    let fixture = try RunFixture(manifest: "", keys: "keep-catalogs: 0")
    for manifest in manifests {
      try fixture.folder.write(manifest, to: "manifest")
      // The second run sees the same rejections.
      for _ in 0..<2 { _ = try await fixture.run() }
    }
    let fresh = try RunFixture(manifest: manifests[2], keys: "keep-catalogs: 0")
    _ = try await fresh.run()
    let text = try fixture.catalogText
    #expect(text == (try fresh.catalogText))
    let (before, last) = (try await Self.rows(fixture), try await Self.rows(fresh))
    let old = Self.difference(before, last)
    #expect(
      old == [
        "sources": 2, "headers": 0, "rejections": 1, "contents": 2, "placeholders": 2,
        "qualities": 0,
        "variants": before["variants"]! - last["variants"]!,
      ])

    // Within a week nothing is forgotten.
    let waiting = try await Self.prune(fixture)
    #expect(waiting.rows.values.allSatisfy { $0 == 0 })
    #expect(waiting.waitingRows == 7)
    #expect(try await Self.rows(fixture) == before)
    // A dry run says what would be.
    #expect(try await Self.prune(fixture, "--grace", "0s", "--dry-run").rows == old)
    #expect(try await Self.rows(fixture) == before)
    #expect(try await Self.prune(fixture, "--grace", "0s").rows == old)
    #expect(try await Self.rows(fixture) == last)
    let size = try fixture.folder.read("out/.tessera/state.sqlite").count
    // The rest is what it was.
    #expect(try await Self.prune(fixture, "--grace", "0s").rows.values.allSatisfy { $0 == 0 })
    #expect(try fixture.folder.read("out/.tessera/state.sqlite").count == size)
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.report["decodes"] == 0)
    #expect(try fixture.catalogText == text)
    await nginx.stop()
  }

  @Test func theSummaryNamesTheRows() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: nginx.url("/plain.jpg") + "\n" + nginx.url("/one-pixel.png") + "\n",
      keys: "keep-catalogs: 0", slots: "slots: {a: {size: 8x8}}")
    _ = try await fixture.run()
    try fixture.folder.write(nginx.url("/one-pixel.png") + "\n", to: "manifest")
    _ = try await fixture.run()
    await nginx.stop()
    for (options, ending) in [
      ([], "; 0 records of the state deleted, 3 waiting\n"),
      (["--grace", "0s", "--dry-run"], "; 6 records of the state would be deleted\n"),
      (["--grace", "0s"], "; 6 records of the state deleted\n"), ([], " 1 kept\n"),
    ] {
      let result = try await Tool.run(
        Places.tessera, ["prune", fixture.folder.path("out")] + options)
      #expect(result.output.hasSuffix(ending), "\(result.output)\(result.errors)")
    }
  }

  /// What items that failed or are stale need stays: their sizes, their files, why they failed, and that
  /// they are not fetched again.
  @Test func whatFailedItemsNeedIsKept() async throws {
    let isDown = Mutex(false)
    let server = try FaultServer()
    defer { server.stop() }
    for (path, name) in [("/stale", "plain.jpg"), ("/gone", "grey.png")] {
      server.route(path) { _, connection in
        guard isDown.withLock(\.self) else {
          return connection.fixture(name, ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        }
        connection.respond(path == "/gone" ? "404 Not Found" : "500 Internal Server Error")
      }
    }
    server.route("/bad") { request, connection in
      if request.headers["if-none-match"] != nil { return connection.respond("304 Not Modified") }
      connection.fixture("truncated.jpg", ["ETag": "\"1\""])
    }
    let fixture = try RunFixture(
      manifest: ["stale", "gone", "bad"].map {
        #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n"
      }.joined(), keys: "keep-catalogs: 0")
    for down in [false, true, true] {
      isDown.withLock { $0 = down }
      #expect(try await fixture.run().status == 1)
    }
    let (text, rows) = (try fixture.catalogText, try await Self.rows(fixture))
    let outline = try fixture.catalog.outline
    #expect(outline[0].hasPrefix("stale stale 240x160 jpeg [http-status]: "), "\(outline)")
    #expect(outline[1].hasPrefix("gone failed "), "\(outline)")
    func stories() async throws -> [String] {
      var stories: [String] = []
      for id in ["stale", "gone", "bad"] {
        stories.append(try await Tool.tessera("why", fixture.folder.path("out"), id).output)
      }
      return stories
    }
    let before = try await stories()
    // Only the files of the item that is gone, and their records.
    let report = try await Self.prune(fixture, "--grace", "0s")
    #expect(report.rows.filter { $0.value > 0 } == ["variants": report.deleted])
    #expect(report.deleted > 0)
    #expect(
      try await Self.rows(fixture)
        == rows.merging(["variants": -report.deleted], uniquingKeysWith: +))
    #expect(try await stories() == before)
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalogText == text)
    #expect(try fixture.report["decodes"] == 0)
    #expect(try fixture.report["fetch.notModified"] == 1)
    try await fixture.expectWhole()
  }

  /// A kill before any call that changes the disk loses nothing: the next `prune` and the next run are
  /// as if it had not been.
  @Test(.faults(.f5)) func aKillBeforeAnyCallLosesNothing() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let begun = try RunFixture(
      manifest: nginx.url("/plain.jpg") + "\n" + nginx.url("/grey.png") + "\n",
      keys: "fetch: {allow: loopback, retries: 0, revalidate: never}\nkeep-catalogs: 0")
    _ = try await begun.run()
    try begun.folder.write(nginx.url("/grey.png") + "\n", to: "manifest")
    _ = try await begun.run()
    let text = try begun.catalogText
    await nginx.stop()
    let files = begun.folder.files(below: "out").filter { $0.hasPrefix("variants/") }
    let folder = try TemporaryFolder()
    let shim = try await Shim(in: folder, for: "")
    @Sendable func copy() throws -> (run: RunFixture, shim: Shim) {
      let fixture = try RunFixture(
        manifest: try begun.folder.text("manifest"),
        keys: "fetch: {allow: loopback, retries: 0, revalidate: never}\nkeep-catalogs: 0")
      let output = fixture.folder.path("out")
      try FileManager.default.copyItem(atPath: begun.folder.path("out"), toPath: output)
      return (fixture, shim.with(root: output, image: fixture.folder.path("image")))
    }
    let undisturbed = try copy()
    let count = try await undisturbed.shim.count("change") { environment in
      _ = try await Self.prune(undisturbed.run, "--grace", "0s", environment: environment)
    }
    // Files, several commits, the file that shrinks.
    #expect((20...200).contains(count), "\(count)")
    let rows = try await Self.rows(undisturbed.run)
    #expect(rows["sources"] == 1)
    try await forEach(tried(of: Array(1...count)), atATime: 2) { number in
      let (fixture, shim) = try copy()
      let killed = try await Tool.run(
        Places.tessera, ["prune", fixture.folder.path("out"), "--grace", "0s"],
        environment: shim.killing("change", at: number))
      #expect(killed.status == 137, "\(number): \(killed.errors)")
      _ = try await Self.prune(fixture, "--grace", "0s")
      let left = try await Self.rows(fixture)
      #expect(left == rows, "\(number)")
      let kept = fixture.folder.files(below: "out").filter { $0.hasPrefix("variants/") }
      #expect(kept.count < files.count, "\(number)")
      // Nothing is requested, because nothing is missing.
      let again = try await fixture.run().status
      #expect(again == 0, "\(number)")
      let found = try fixture.catalogText
      #expect(found == text, "\(number)")
      let requests = try fixture.report["fetch.requests"]
      #expect(requests == 0, "\(number)")
    }
  }

  /// A week after the catalog was replaced, and not after `prune` first saw that it was.
  @Test func theTimeBeginsWhenAFileLeavesTheCatalog() async throws {
    let fixture = try await Self.replaced()
    #expect(try await fixture.prune(day: 3).deleted == 0)
    #expect(try await fixture.prune(day: 6).deleted == 0)
    #expect(try await fixture.prune(day: 7.1).deleted > 0)
  }

  /// What was current again has another time, which is not known.
  @Test func aRollbackBeginsTheTimeAnew() async throws {
    let fixture = try await Self.replaced()
    #expect(try await fixture.prune(day: 1).deleted == 0)
    #expect(try await fixture.tessera(day: 6, "rollback", fixture.folder.path("out")).status == 0)
    for quality in [40, 30] {
      try fixture.write(keys: "keep-catalogs: 1\nvariants: {quality: \(quality)}\n\(Self.allow)")
      let run = try await fixture.tessera(day: 6.5, "run", fixture.folder.path("feed.yaml"))
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try await fixture.prune(day: 8).deleted == 0)
    // Of the catalog that was replaced in between; the others follow a week after prune saw them.
    #expect(try await fixture.prune(day: 15.1).deleted > 0)
  }

  private static let allow = "fetch: {allow: \"files:\(Places.fixtures.path)\"}"

  /// An output with files that left its catalog on day 0.
  private static func replaced() async throws -> RunFixture {
    let fixture = try RunFixture(
      manifest: "file://\(Places.fixture("plain.jpg").path)\n", keys: "keep-catalogs: 1\n\(allow)")
    #expect(try await fixture.run().status == 0)
    try fixture.write(keys: "keep-catalogs: 1\nvariants: {quality: 50}\n\(allow)")
    #expect(try await fixture.run().status == 0)
    return fixture
  }
}

extension RunFixture {
  /// Runs a command some days from now.
  fileprivate func tessera(day: Double, _ words: String...) async throws -> Tool.Result {
    let library = try await Shim.build("clock", in: folder)
    return try await Tool.run(
      Places.tessera, words,
      environment: ["LD_PRELOAD": library, "SHIM_SHIFT": "\(Int(day * 86_400))"])
  }

  fileprivate func prune(day: Double) async throws -> (deleted: Int, text: String) {
    let result = try await tessera(day: day, "prune", folder.path("out"), "--json")
    let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    return (try #require(json?["deleted"] as? Int, "\(result.errors)"), result.output)
  }
}
