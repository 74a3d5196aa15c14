import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Earlier catalogs: runs and `merge` keep them, `prune` protects them, `rollback` goes back to one.
@Suite struct RollbackTests {
  private static let lists = [
    ["plain.jpg"], ["plain.jpg", "grey.png"], ["grey.png", "cmyk.jpg", "missing.jpg"],
    ["one-pixel.png"],
  ]
  private static let screen = "catalog: {screens: {feed: {slots: [a], first: 1, part: 10}}}"
  private static let everything = """
    \(screen)
    tables: {a: {scales: [1], pixels: [bgra8, webp]}}
    """

  /// An output whose sources are files, so that a run takes some tens of milliseconds.
  private static func fixture(_ keys: String = "") throws -> RunFixture {
    try RunFixture(manifest: "", keys: Self.keys(keys), slots: "slots: {a: {size: 8x8}}")
  }

  private static func keys(_ keys: String) -> String {
    "fetch: {allow: \"files:\(Places.fixtures.path)\", retries: 0}\nworkers: 1\n\(keys)"
  }

  private static func lines(_ names: [String]) -> String {
    names.map { #"{"id":"\#($0)","url":"file://\#(Places.fixtures.path)/\#($0)"}"# + "\n" }.joined()
  }

  private struct Published: Equatable {
    var catalog: String
    /// The first document of the screen.
    var first: String?
  }

  private static func published(_ fixture: RunFixture) throws -> Published {
    Published(
      catalog: try fixture.catalogText,
      first: try? fixture.folder.text("out/screens/feed/first.json"))
  }

  /// Runs with some of the lists, and returns what each run published.
  private static func run(
    _ fixture: RunFixture, _ numbers: Range<Int>
  ) async throws -> [Published] {
    var results: [Published] = []
    for number in numbers {
      try fixture.folder.write(lines(lists[number]), to: "manifest")
      let run = try await fixture.run("--quiet")
      #expect([0, 1].contains(run.status), "\(run.errors)")
      results.append(try published(fixture))
    }
    return results
  }

  private struct List: Decodable {
    struct Entry: Decodable {
      var number: Int
      var replaced: String
      var images: Int
      var bytes: Int
      var digest: String
      var path: String
    }
    var catalogs: [Entry]
  }

  private static func list(_ fixture: RunFixture) async throws -> [List.Entry] {
    let result = try await Tool.tessera(
      "rollback", fixture.folder.path("out"), "--list", "--json")
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(List.self, from: Data(result.output.utf8)).catalogs
  }

  /// What the listed catalogs hold.
  private static func kept(_ fixture: RunFixture) async throws -> [Published] {
    let list = try await list(fixture)
    #expect(list.map(\.number) == Array(1..<list.count + 1))
    return try list.map { entry in
      let catalog = try fixture.folder.text("out/\(entry.path)")
      #expect(catalog.utf8.count == entry.bytes)
      let read = try Catalog(reading: catalog.utf8)
      #expect(read.digest == entry.digest && read.images.count == entry.images)
      return Published(
        catalog: catalog,
        first: try? fixture.folder.text("out/\(entry.path.dropLast(5)).screens.feed.first.json"))
    }
  }

  private static func rollback(_ fixture: RunFixture, _ options: String...) async throws
    -> Tool.Result
  {
    try await Tool.run(Places.tessera, ["rollback", fixture.folder.path("out")] + options)
  }

  /// With a screen and tables. Afterwards all commands work, and the next run makes what it would have made.
  @Test func anEarlierCatalogBecomesTheCurrentOne() async throws {
    let fixture = try Self.fixture(Self.everything)
    let out = fixture.folder.path("out")
    let made = try await Self.run(fixture, 0..<3)
    #expect(made.allSatisfy { $0.first != nil } && Set(made.map(\.catalog)).count == 3)
    #expect(try await Self.kept(fixture) == [made[1], made[0]])
    // A run that changes nothing keeps nothing.
    let list = try fixture.folder.text("out/.tessera/catalogs/list.json")
    _ = try await Self.run(fixture, 2..<3)
    #expect(try fixture.folder.text("out/.tessera/catalogs/list.json") == list)
    // Nothing that a kept catalog names is deleted, and that includes parts of screens and tables.
    let files = fixture.folder.files(below: "out").sorted()
    let pruned = try await Tool.tessera("prune", out, "--grace", "0s")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(fixture.folder.files(below: "out").sorted() == files)

    let entry = try #require(try await Self.list(fixture).last)
    let old = try Catalog(reading: made[0].catalog.utf8)
    let back = try await Self.rollback(fixture, "--to", "2")
    #expect(back.status == 0, "\(back.errors)")
    #expect(
      back.output.replacing(/[0-9]+ s ago/, with: "N s ago") == """
        the current catalog is again the one that was replaced at \(entry.replaced), N s ago
        1 image (1 ok), 6 files, digest \(try #require(old.digest).prefix(16))
        the one that was current is kept: another rollback makes it current again
        the next run writes the catalog from the manifest again: stop its timer, or comment out its line of cron, until the cause is repaired

        """)
    #expect(try Self.published(fixture) == made[0])
    #expect(try await Self.kept(fixture) == [made[2], made[1]])
    for words in [
      ["verify", out, "--deep"], ["why", out, "grey.png"], ["gallery", out],
      ["diff", out, "\(out)/\(try await Self.list(fixture)[0].path)"], ["prune", out],
    ] {
      let result = try await Tool.run(Places.tessera, words)
      #expect(result.status == 0, "\(words): \(result.output)\(result.errors)")
    }
    // `why` speaks of the last run, and says what the current catalog has instead.
    func why(_ id: String) async throws -> String {
      try await Tool.tessera("why", out, id).output
    }
    let note = "  the current catalog is an earlier one (tessera rollback), in which this image is "
    #expect(try await why("grey.png").hasSuffix("\n\(note)missing\n"))
    let json = try await Tool.tessera("why", out, "grey.png", "--json").output
    #expect(json.contains(#""statusInCatalog": "missing""#), "\(json)")
    #expect(fixture.folder.files(below: "out").contains("gallery.html"))
    let page = fixture.folder.path("page.html")
    let exported = try await Tool.tessera("export", out, "--as", "html", "--to", page)
    #expect(exported.status == 0, "\(exported.errors)")
    #expect(try fixture.folder.text("page.html").contains("plain.jpg"))

    // The state has not changed: nothing is decoded again.
    #expect(try await Self.run(fixture, 2..<3) == [made[2]])
    #expect(try fixture.report["decodes"] == 0)
    #expect(!(try await why("grey.png").contains(note)))
    #expect(try await Self.kept(fixture) == [made[0], made[1]])
    // A rollback can be rolled back.
    for expected in [0, 2, 0] {
      #expect(try await Self.rollback(fixture, "--quiet").output.isEmpty)
      #expect(try Self.published(fixture) == made[expected])
    }
  }

  /// A screen of another catalog, which a client could read, is gone.
  @Test func theScreenIsRolledBackToo() async throws {
    let fixture = try Self.fixture()
    var made = try await Self.run(fixture, 0..<1)
    try fixture.write(keys: Self.keys(Self.screen), slots: "slots: {a: {size: 8x8}}")
    made += try await Self.run(fixture, 1..<2)
    #expect(made.map { $0.first != nil } == [false, true])
    for expected in [0, 1] {
      #expect(try await Self.rollback(fixture).status == 0)
      #expect(try Self.published(fixture) == made[expected])
      #expect(try await Tool.tessera("verify", fixture.folder.path("out")).status == 0)
    }
  }

  /// A file of an image, of a table, a part of a screen, and the kept catalog itself.
  @Test(arguments: ["variants", "tables", "screens/", ".tessera/catalogs"])
  func aCatalogWhoseFilesAreGoneIsNotGoneBackTo(_ folder: String) async throws {
    let fixture = try Self.fixture(Self.everything)
    let before = try await Self.run(fixture, 1..<2)
    let files = fixture.folder.files(below: "out").filter { $0.hasPrefix(folder) }
    let made = try await Self.run(fixture, 3..<4)
    let entry = try #require(try await Self.list(fixture).first)
    let victim = try #require(
      folder.hasPrefix(".") ? entry.path : files.sorted().first { !$0.hasSuffix("first.json") })
    let content = try fixture.folder.read("out/\(victim)")
    let (path, out) = (fixture.folder.path("out/\(victim)"), fixture.folder.path("out"))
    let start =
      "tessera: the catalog that was replaced at \(entry.replaced) can't be rolled back to: "
    let end =
      "; the current catalog stands; try an older one (--to N), or repair the pipeline and run again\n"
    try FileManager.default.removeItem(atPath: path)
    let missing = try await Self.rollback(fixture)
    #expect(missing.status == 2)
    #expect(missing.errors == "\(start)\"\(path)\" is missing\(end)")
    // Nothing states the size of a part.
    if folder != "screens/" {
      try fixture.folder.write("x", to: "out/\(victim)")
      let short = try await Self.rollback(fixture)
      #expect(short.status == 2)
      if folder.hasPrefix(".") {
        #expect(
          short.errors.hasPrefix(
            "tessera: the kept catalog \"\(path)\" is damaged: line 1, column 1: expected {"))
        #expect(short.errors.hasSuffix("; remove it, and it can no longer be rolled back to\n"))
        // Neither can it be known what it names.
        let pruned = try await Tool.tessera("prune", out, "--grace", "0s")
        #expect(pruned.status == 2 && pruned.errors == short.errors, "\(pruned.errors)")
      } else {
        #expect(short.errors == "\(start)\"\(path)\" has another size (1 bytes)\(end)")
      }
    }
    #expect(try Self.published(fixture) == made[0])
    try content.write(to: URL(filePath: path))
    #expect(try await Self.rollback(fixture).status == 0)
    #expect(try Self.published(fixture) == before[0])
  }

  /// A catalog whose bytes are not those that were kept, but which is one.
  @Test func anAlteredCatalogIsNotGoneBackTo() async throws {
    let fixture = try Self.fixture()
    _ = try await Self.run(fixture, 0..<2)
    let entry = try #require(try await Self.list(fixture).first)
    let text = try fixture.folder.text("out/\(entry.path)")
    try fixture.folder.write(
      text.replacing("\"plain.jpg\"", with: "\"other.jpg\""), to: "out/\(entry.path)")
    let result = try await Self.rollback(fixture)
    #expect(result.status == 2)
    #expect(
      result.errors.contains("is damaged: its content has another digest than its head states"),
      "\(result.errors)")
  }

  @Test func asManyAreKeptAsThePipelineSays() async throws {
    let fixture = try Self.fixture("keep-catalogs: 1")
    let out = fixture.folder.path("out")
    func files() -> Int { fixture.folder.files(below: "out/.tessera/catalogs").count }
    var made = try await Self.run(fixture, 0..<1)
    let nothing =
      "tessera: \"\(out)\" keeps no earlier catalog; a run keeps the one that it replaces "
      + "(keep-catalogs)\n"
    var result = try await Self.rollback(fixture)
    #expect(result.status == 2 && result.errors == nothing, "\(result.errors)")
    #expect(try await Self.rollback(fixture, "--list").output == "no earlier catalog is kept\n")
    made += try await Self.run(fixture, 1..<4)
    #expect(try await Self.kept(fixture) == [made[2]])
    #expect(files() == 2)
    result = try await Self.rollback(fixture, "--to", "2")
    #expect(result.status == 2)
    #expect(
      result.errors
        == "tessera: \"\(out)\" keeps 1 earlier catalog, not 2; tessera rollback --list \(out) shows them\n"
    )
    // What is no longer kept is no longer protected.
    #expect(try await Tool.tessera("prune", out, "--grace", "0s").status == 0)
    let named = try [made[2], made[3]].flatMap {
      try Catalog(reading: $0.catalog.utf8).images.flatMap(\.variants).map(\.reference)
    }
    #expect(
      Set(fixture.folder.files(below: "out/variants").map { "variants/\($0)" }) == Set(named))
    // Rolling back keeps the limit, and a catalog does not stand in its own history.
    #expect(try await Self.rollback(fixture).status == 0)
    #expect(try await Self.kept(fixture) == [made[3]])
    try fixture.write(keys: Self.keys("keep-catalogs: 0"), slots: "slots: {a: {size: 8x8}}")
    #expect(try await Self.run(fixture, 3..<4) == [made[3]])
    result = try await Self.rollback(fixture)
    #expect(result.status == 2 && result.errors == nothing, "\(result.errors)")
    #expect(files() == 1)
  }

  @Test func aRunAndARollbackExcludeEachOther() async throws {
    let fixture = try Self.fixture()
    let made = try await Self.run(fixture, 0..<2)
    let out = fixture.folder.path("out")
    for shared in [[], ["--shared"]] {
      let held = try await Tool.run(
        "/usr/bin/flock", shared + ["\(out)/.tessera/lock", Places.tessera, "rollback", out])
      #expect(held.status == 75)
      #expect(held.errors.contains("another run holds the output"), "\(held.errors)")
    }
    #expect(try Self.published(fixture) == made[1])
    // Also if there is nothing to roll back to, which the run may change.
    let first = try Self.fixture()
    _ = try await Self.run(first, 0..<1)
    let begun = first.folder.path("out")
    let busy = try await Tool.run(
      "/usr/bin/flock", ["\(begun)/.tessera/lock", Places.tessera, "rollback", begun])
    #expect(busy.status == 75, "\(busy.errors)")
    let folder = try TemporaryFolder()
    let foreign = try await Tool.tessera("rollback", folder.url.path)
    #expect(foreign.status == 2 && folder.files(below: "").isEmpty, "\(foreign.errors)")
  }

  @Test func mergeKeepsTheCatalogThatItReplaces() async throws {
    let fixture = try Self.fixture("keep-catalogs: 2\n\(Self.screen)")
    let out = fixture.folder.path("out")
    var made: [Published] = []
    for list in Self.lists {
      try fixture.folder.write(Self.lines(list), to: "manifest")
      for shard in 0..<2 { _ = try await fixture.run("--shard", "\(shard)/2", "--quiet") }
      let merged = try await Tool.tessera("merge", out, "--quiet")
      #expect([0, 1].contains(merged.status), "\(merged.errors)")
      made.append(try Self.published(fixture))
    }
    #expect(try await Self.kept(fixture) == [made[2], made[1]])
    #expect(try await Self.rollback(fixture).status == 0)
    #expect(try Self.published(fixture) == made[2])
    #expect(try await Tool.tessera("merge", out, "--quiet").status == 0)
    #expect(try Self.published(fixture) == made[3])
  }

  /// The last run did not have an image that the current catalog shows.
  @Test func whyKnowsImagesOfTheEarlierCatalog() async throws {
    let fixture = try RunFixture(
      manifest: "", keys: "fetch: {allow: [\"files:/\"]}", slots: "slots: {b: {size: 100x}}")
    for names in [["plain.jpg", "grey.png"], ["plain.jpg"]] {
      let lines = names.map { #"{"id":"\#($0)","url":"file://\#(Places.fixture($0).path)"}"# }
      try fixture.folder.write(lines.joined(separator: "\n"), to: "manifest")
      #expect(try await fixture.run().status == 0)
    }
    let out = fixture.folder.path("out")
    func why() async throws -> String {
      try await Tool.run(Places.tessera, ["why", out, "grey.png"]).errors
    }
    let unknown = "tessera: no item of the last run has the id \"grey.png\"; "
    let gone = try await why()
    #expect(
      gone.hasPrefix(unknown + "it left the catalog with that which was replaced at 20")
        && gone.hasSuffix("Z (tessera rollback --list)\n"), "\(gone)")
    #expect(try await Tool.tessera("rollback", out).status == 0)
    #expect(
      try await why() == unknown
        + "the current catalog is an earlier one (tessera rollback), in which this image is ok\n")
  }

  /// Kills a rollback before every call that changes the disk. The current catalog is the old one or the new
  /// one, no kept one is lost, and the next rollback, or the next run, leaves nothing behind.
  @Test(.faults(.f5)) func aKillBeforeAnyCallLosesNoCatalog() async throws {
    let begun = try Self.fixture(Self.screen)
    let made = try await Self.run(begun, 0..<3)
    let folder = try TemporaryFolder()
    let shim = try await Shim(in: folder, for: "")
    let manifest = try begun.folder.text("manifest")
    let output = begun.folder.path("out")
    @Sendable func copy() throws -> (run: RunFixture, shim: Shim) {
      let fixture = try Self.fixture(Self.screen)
      try fixture.folder.write(manifest, to: "manifest")
      let out = fixture.folder.path("out")
      try FileManager.default.copyItem(atPath: output, toPath: out)
      return (fixture, shim.with(root: out, image: fixture.folder.path("image")))
    }
    let before = begun.folder.files(below: "out/.tessera/catalogs").sorted()
    let undisturbed = try copy()
    let count = try await undisturbed.shim.count("change") { environment in
      let result = try await Tool.run(
        Places.tessera, ["rollback", undisturbed.run.folder.path("out"), "--to", "2"],
        environment: environment)
      #expect(result.status == 0, "\(result.errors)")
    }
    // Two copies to keep, the list, two copies to publish.
    #expect((15...80).contains(count), "\(count)")
    let files = undisturbed.run.folder.files(below: "out/.tessera/catalogs").sorted()
    #expect(files.count == 7)
    try await forEach(tried(of: Array(1...count)), atATime: 2) { number in
      let (fixture, shim) = try copy()
      let killed = try await Tool.run(
        Places.tessera, ["rollback", fixture.folder.path("out"), "--to", "2"],
        environment: shim.killing("change", at: number))
      #expect(killed.status == 137, "\(number): \(killed.errors)")
      let current = try fixture.catalogText
      let isBack = current == made[0].catalog
      #expect(isBack || current == made[2].catalog, "\(number)")
      let kept = try await Self.kept(fixture)
      #expect(kept == (isBack ? [made[2], made[1]] : [made[1], made[0]]), "\(number)")
      if number % 2 == 0 {
        let again = try await Self.rollback(fixture, "--to", isBack ? "1" : "2")
        #expect(again.status == 0, "\(number): \(again.errors)")
        #expect(try Self.published(fixture) == (isBack ? made[2] : made[0]), "\(number)")
      } else {
        #expect(try await fixture.run().status == 1, "\(number)")
        #expect(try Self.published(fixture) == made[2], "\(number)")
      }
      // All three are there, each once, and nothing else; unless the rollback was killed before its list,
      // and the current one stayed.
      let left = fixture.folder.files(below: "out/.tessera/catalogs").sorted()
      #expect(left == files || number % 2 == 1 && !isBack && left == before, "\(number)")
    }
  }
}
