import Foundation
import TesseraCatalog
import TesseraManifest
import TesseraMemoryOutput
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// Runs of some images: what they do to these, and that nothing happens to the others.
@Suite struct OnlyRunTests {
  private static func line(_ id: String, _ source: String) -> String {
    #"{"id":"\#(id)","url":"\#(RunInMemory.url(source))"}"#
  }

  private static func lines(_ range: Range<Int>) -> [String] {
    range.map { line("p\($0)", "\($0)") }
  }

  private static func serve(_ run: RunInMemory, _ name: String, width: Int, tag: String = "1") {
    run.serve(
      name, .image(TinyImage.webp(width, 80, name + tag), etag: "\"\(tag)\"", freshFor: 86_400))
  }

  private static func begun(_ sources: Int = 100, hasMark: Bool = true) throws -> RunInMemory {
    let run = try RunInMemory()
    for source in 0..<sources { serve(run, "\(source)", width: 100 + source) }
    run.output.hasMark = hasMark
    return run
  }

  private static func only(_ ids: String..., refreshes: Bool = false) -> (inout RunOptions) -> Void
  {
    { $0.selection = RunSelection(ids: ids, refreshes: refreshes) }
  }

  private static func error(_ body: () async throws -> RunInMemory.WholeRun) async -> String {
    do { return "\(try await body().items)" } catch { return "\(error)" }
  }

  private static func id(of line: String) -> String { String(line.split(separator: "\"")[3]) }

  /// The lines of a catalog by their ids.
  private static func texts(_ catalog: String) -> [String: String] {
    let lines = catalog.split(separator: "\n").dropFirst().dropLast()
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let text = String(line.hasSuffix(",") ? line.dropLast() : line)
        return (id(of: text), text)
      })
  }

  /// How many items of the last run of all were not looked at.
  private static func stood(_ run: RunInMemory) async throws -> Int {
    try await StateStore(path: run.workspace.statePath()).chunkIndex().chunks
      .reduce(0) { $0 + ($1.hasStood ? $1.count : 0) }
  }

  // MARK: What is done, and what is not

  @Test func theOthersStayAsTheyAre() async throws {
    let run = try Self.begun()
    var lines = Self.lines(0..<80)
    let first = try await run.wholeRun(lines)
    // Two lines change, one is new, one is gone, two move; one image is named.
    lines[40] = Self.line("p40", "90")
    lines[50] = Self.line("p50", "91")
    lines.insert(Self.line("new", "92"), at: 10)
    lines.remove(at: 71)
    lines.swapAt(20, 21)
    _ = (run.fetcher.takeLog(), run.transcoder.takeDecodes())
    let second = try await run.wholeRun(lines, Self.only("p40"))
    #expect(run.fetcher.takeLog() == ["\(RunInMemory.url("90")) 200"])
    #expect(run.transcoder.takeDecodes() == [2])
    #expect(second.items.count == 80 && second.items == first.items)
    let (before, after) = (Self.texts(first.catalog), Self.texts(second.catalog))
    #expect(before.count == 80 && before["p40"] != after["p40"])
    #expect(before.filter { $0.key != "p40" } == after.filter { $0.key != "p40" })
    #expect((second.report.total, second.report.others, second.report.before) == (1, 79, nil))
    // The next run of all does the rest, and looks only at what has changed.
    let third = try await run.wholeRun(lines)
    #expect(try await Self.stood(run) > 10)
    let reference = try Self.begun()
    _ = try await reference.wholeRun(Self.lines(0..<80))
    #expect(try await reference.wholeRun(lines).catalog == third.catalog)
    #expect(third.items.contains("new ok") && third.items.count == 80)
  }

  @Test func newImagesComeWhereTheManifestHasThem() async throws {
    let run = try Self.begun()
    let old = Self.lines(0..<60)
    _ = try await run.wholeRun(old)
    var lines = old
    // In front, two behind each other with an unnamed one between, in the middle of others, and at the end.
    lines.insert(Self.line("front", "90"), at: 0)
    lines.insert(contentsOf: ["m1", "skip", "m2"].map { Self.line($0, "91") }, at: 30)
    lines.append(Self.line("end", "92"))
    lines.append(Self.line("last", "93"))
    let second = try await run.wholeRun(lines, Self.only("last", "end", "m2", "front", "m1"))
    var ids = (0..<60).map { "p\($0)" }
    ids.insert("front", at: 0)
    ids.insert(contentsOf: ["m1", "m2"], at: 30)
    ids += ["end", "last"]
    #expect(second.items == ids.map { "\($0) ok" })
    #expect((second.report.total, second.report.others) == (5, 60))
    // Another one behind one that came so.
    let third = try await run.wholeRun(lines, Self.only("skip"))
    ids.insert("skip", at: 31)
    #expect(third.items == ids.map { "\($0) ok" })
    #expect(try await run.wholeRun(lines).catalog == third.catalog)
  }

  @Test func selectionsNarrowEachOther() async throws {
    let run = try Self.begun(8)
    for name in ["2", "5"] { run.serve(name, .status(404)) }
    var lines = Self.lines(0..<6)
    lines.append(#"{"id":"q1","url":"https://other.example:8080/6"}"#)
    lines.append(#"{"id":"q2","url":"https://other.example:8080/7"}"#)
    run.fetcher["https://other.example:8080/6"] = .status(404)
    run.fetcher["https://other.example:8080/7"] = .status(404)
    let first = try await run.wholeRun(lines)
    #expect(first.report.counts == ["ok": 4, "failed": 4])
    let url = RunInMemory.url
    let cases: [(RunSelection?, [String])] = [
      (
        RunSelection(onlyFailed: true),
        [url("2"), url("5")] + [6, 7].map { "https://other.example:8080/\($0)" }
      ),
      (
        RunSelection(host: "Other.example:8080"), [6, 7].map { "https://other.example:8080/\($0)" }
      ),
      (RunSelection(onlyFailed: true, host: "images.example"), [url("2"), url("5")]),
      (RunSelection(ids: ["p1", "p2"], onlyFailed: true), [url("2")]),
      (RunSelection(ids: ["p1"]), []), (RunSelection(ids: ["p1"], refreshes: true), [url("1")]),
      (RunSelection(host: "none.example"), []),
    ]
    for (selection, urls) in cases {
      _ = run.fetcher.takeLog()
      let next = try await run.wholeRun(lines) { $0.selection = selection }
      let asked = run.fetcher.takeLog().map { String($0.split(separator: " ")[0]) }
      #expect(asked.sorted() == urls.sorted(), "\(String(describing: selection))")
      #expect(next.catalog == first.catalog, "\(String(describing: selection))")
      let hasNone = next.warnings.contains { $0.hasPrefix("the manifest has no image of the host") }
      #expect(hasNone == (selection?.host == "none.example"))
    }
    #expect(RunSelection(refreshes: true) == nil)
  }

  @Test func refreshingMakesEverythingAnew() async throws {
    let run = try Self.begun(4)
    let lines = Self.lines(0..<4)
    let first = try await run.wholeRun(lines)
    _ = (run.fetcher.takeLog(), run.transcoder.takeDecodes())
    let again = try await run.wholeRun(lines, Self.only("p1", "p2", refreshes: true))
    // Without validators.
    #expect(run.fetcher.takeLog().sorted() == ["1", "2"].map { "\(RunInMemory.url($0)) 200" })
    #expect(run.transcoder.takeDecodes() == [2, 2])
    #expect(again.catalog == first.catalog && again.report.changes == [.reused: 2])
    #expect(try await run.wholeRun(lines).catalog == first.catalog)
    // A server that fails costs no image that is shown.
    run.serve("1", .status(503))
    let failed = try await run.wholeRun(lines, Self.only("p1", refreshes: true))
    #expect(failed.items == ["p0 ok", "p1 stale http-status", "p2 ok", "p3 ok"])
    // What was rejected is examined again.
    run.serve("2", .image(Array("no image at all".utf8), etag: "\"x\""))
    for _ in 0..<3 { _ = try await run.wholeRun(lines, Self.only("p2", refreshes: true)) }
    _ = run.fetcher.takeLog()
    _ = try await run.wholeRun(lines, Self.only("p2", refreshes: true))
    #expect(run.fetcher.takeLog() == ["\(RunInMemory.url("2")) 200"])
  }

  // MARK: What is left for the next run

  /// An image that failed here is tried again there, although nothing else has changed.
  @Test func failuresAreLeftForTheNextRun() async throws {
    let run = try Self.begun(40)
    let lines = Self.lines(0..<40)
    _ = try await run.wholeRun(lines)
    run.serve("7", .status(503))
    let second = try await run.wholeRun(lines, Self.only("p7", refreshes: true))
    #expect(second.report.counts == ["stale": 1] && second.report.hasFailures)
    _ = run.fetcher.takeLog()
    #expect(try await run.wholeRun(lines).items[7] == "p7 ok")
    // Its source is known to be fresh, so that nothing is requested; a run that did nothing would leave it stale.
    #expect(run.fetcher.takeLog() == [])
  }

  /// Another image of the same source, whose line was made of bytes that are no longer there, is made again.
  @Test func imagesOfAChangedSourceFollow() async throws {
    let run = try Self.begun(80)
    var lines = Self.lines(0..<80)
    lines.append(Self.line("twin", "3"))
    _ = try await run.wholeRun(lines)
    Self.serve(run, "3", width: 190, tag: "2")
    let new = #""width":190,"height":80"#
    let second = Self.texts(
      try await run.wholeRun(lines, Self.only("twin", refreshes: true)).catalog)
    #expect(second["twin"]?.contains(new) == true && second["p3"]?.contains(new) == false)
    _ = run.fetcher.takeLog()
    let third = Self.texts(try await run.wholeRun(lines).catalog)
    #expect(run.fetcher.takeLog() == [] && third["p3"]?.contains(new) == true)
    #expect(try await Self.stood(run) > 40)
  }

  /// An id that several images share names all of them, in whatever parts of the manifest they are; their own ids name one.
  @Test func anIDNamesAllImagesOfAProduct() async throws {
    var run = try Self.begun()
    run.file.columns = ColumnMapping([.url: ["url"], .id: ["id"]])
    var lines = Self.lines(0..<90)
    for place in [1, 2, 79, 88, 89] { lines[place] = Self.line("p0", "\(place)") }
    // The first image of another product, said twice.
    lines[50] = lines[49]
    let first = try await run.wholeRun(lines)
    let own = first.items.filter { $0.hasPrefix("p0#") }
    #expect(own.count == 5 && first.items.count == 89, "\(first.items)")
    _ = run.fetcher.takeLog()
    let second = try await run.wholeRun(lines, Self.only("p0", refreshes: true))
    #expect(second.catalog == first.catalog)
    #expect((second.report.total, second.report.others) == (6, 83))
    #expect(
      run.fetcher.takeLog().map { $0.split(separator: " ")[0] }.sorted()
        == [0, 1, 2, 79, 88, 89].map { RunInMemory.url("\($0)")[...] }.sorted())
    // One of them that is new has its place, and so has one of another part.
    lines[60] = Self.line("p0", "60")
    let third = try await run.wholeRun(lines, Self.only("p0"))
    #expect(third.report.total == 7)
    var reference = try Self.begun()
    reference.file.columns = run.file.columns
    // The image that was on the line before is in the catalog until the next run of all.
    let fourth = try await run.wholeRun(lines)
    #expect(try await reference.wholeRun(lines).catalog == fourth.catalog)
    let one = String(own[2].split(separator: " ")[0])
    #expect(try await run.wholeRun(lines, Self.only(one)).report.total == 1)
    let twice = try await run.wholeRun(lines, Self.only("p49", refreshes: true))
    #expect(twice.report.total == 1 && twice.catalog == fourth.catalog)
  }

  // MARK: What is not done at all

  @Test func unknownImagesAreNamed() async throws {
    let run = try Self.begun(8)
    let lines = Self.lines(0..<5)
    #expect(
      await Self.error { try await run.wholeRun(lines, Self.only("p1")) }
        == "only some images can't be processed: the output has no catalog yet; run once without --only, "
        + "--only-failed and --only-host")
    let first = try await run.wholeRun(lines)
    _ = run.fetcher.takeLog()
    #expect(
      await Self.error { try await run.wholeRun(lines, Self.only("p1", "p9", refreshes: true)) }
        == "neither the manifest nor the catalog has an image \"p9\"; there are \"p0\", \"p1\", \"p2\"; "
        + "correct --only")
    #expect(run.fetcher.takeLog() == [])
    // One that the manifest has lost stays until a run of all.
    let less = Array(lines.dropLast())
    let second = try await run.wholeRun(less, Self.only("p4"))
    #expect(second.catalog == first.catalog && second.report.total == 0)
    #expect(
      second.warnings.last
        == "the manifest no longer has the image \"p4\", which stays in the catalog until the next run of all images"
    )
    #expect(try await run.wholeRun(less).items.count == 4)
  }

  @Test func whatWasForgottenStaysForgotten() async throws {
    let run = try Self.begun(4)
    let lines = Self.lines(0..<4)
    _ = try await run.wholeRun(Array(lines.dropLast()))
    var forgotten = ForgottenItems()
    forgotten.add(ids: ["p3", "gone"], requests: [])
    try await forgotten.write(to: run.output, run.workspace)
    _ = run.fetcher.takeLog()
    let second = try await run.wholeRun(lines, Self.only("p3", "gone"))
    #expect(run.fetcher.takeLog() == [] && second.items.count == 3)
    #expect(second.report.forgotten == 1)
    // A report of a run names none of them.
    #expect(
      second.warnings.last?.hasPrefix("2 of the named images were forgotten (tessera forget)")
        == true)
    #expect(!second.warnings.contains { $0.contains("p3") || $0.contains("gone") })
  }

  /// A file of another image that vanishes while some are run is made again by the next run of all.
  @Test(.faults(.f22)) func whatVanishesMeanwhileIsMissed() async throws {
    let run = try Self.begun(4)
    let lines = Self.lines(0..<4)
    let first = try await run.wholeRun(lines)
    let others =
      Self.texts(first.catalog)["p3"].flatMap {
        CatalogLine($0.utf8)?.files(FileNames(run.file).formats)
      } ?? []
    let file = try #require(others.first).path
    let memory = run.output
    let interrupted = InterruptedOutput(memory, before: 2) { () throws(SystemError) in
      memory.delete(file)
    }
    _ = try await run.wholeRun(lines, to: interrupted, Self.only("p1", refreshes: true))
    #expect(interrupted.wasInterrupted && !memory.paths.contains(file))
    _ = try await run.wholeRun(lines)
    #expect(memory.paths.contains(file))
  }

  @Test func anotherPipelineIsNotMixedIn() async throws {
    var run = try Self.begun(4)
    _ = try await run.wholeRun(Self.lines(0..<4))
    let file = run.file
    let changes: [(inout PipelineFile) -> Void] = [
      { $0.baseURL = "https://c/" }, { $0.plan.scales = [1, 2] }, { $0.placeholders = [.color] },
      { $0.profile = .full },
    ]
    for (index, change) in changes.enumerated() {
      run.file = file
      change(&run.file)
      let choices = run
      #expect(
        await Self.error { try await choices.wholeRun(Self.lines(0..<4), Self.only("p1")) }
          == "only some images can't be processed: the pipeline has changed since the catalog was made, so that the "
          + "entries of all images may change; run once without --only, --only-failed and --only-host",
        "\(index)")
    }
  }

  @Test func aHostThatHasLostItsImagesDoesNotLoseThemHere() async throws {
    let run = try Self.begun(20)
    let lines = Self.lines(0..<20)
    let first = try await run.wholeRun(lines)
    for name in 0..<20 { run.serve("\(name)", .status(404)) }
    let message = await Self.error {
      try await run.wholeRun(lines) {
        $0.selection = RunSelection(host: "images.example", refreshes: true)
      }
    }
    #expect(message.hasPrefix("the new catalog would show none of the 20 images"), "\(message)")
    #expect(try run.output.text("catalog.json") == first.catalog)
    let accepted = try await run.wholeRun(lines) {
      $0.selection = RunSelection(host: "images.example", refreshes: true)
      $0.allowsLoss = true
    }
    #expect(accepted.report.counts == ["failed": 20])
  }

  /// The lines of a catalog to which someone went back stay, and one that is damaged is not copied.
  @Test func theCurrentCatalogIsTheOneThatIsThere() async throws {
    let run = try Self.begun()
    let lines = Self.lines(0..<90)
    let first = try await run.wholeRun(lines)
    run.clock.set(day: 2)
    for source in [10, 40, 41, 70] { Self.serve(run, "\(source)", width: 190, tag: "2") }
    _ = try await run.wholeRun(lines)
    try run.output.write("catalog.json", Array(first.catalog.utf8))
    let second = Self.texts(try await run.wholeRun(lines, Self.only("p40")).catalog)
    let before = Self.texts(first.catalog)
    #expect(second.filter { $0.key != "p40" } == before.filter { $0.key != "p40" })
    #expect(second["p40"] != before["p40"])

    let whole = try run.output.text("catalog.json")
    for id in ["p3", "p40", "p80"] {
      let damaged = whole.replacing(
        "\"id\":\"\(id)\"", with: "\"id\":\"q\(id.dropFirst())\"")
      try run.output.write("catalog.json", Array(damaged.utf8))
      let message = await Self.error { try await run.wholeRun(lines, Self.only("p41")) }
      #expect(message.contains("the catalog is damaged; run once without"), "\(message)")
      #expect(try run.output.text("catalog.json") == damaged)
    }
  }

  /// After a run that has looked at all images, no chunk is known.
  @Test func aCatalogWithoutChunksIsCopied() async throws {
    let run = try Self.begun(20)
    let lines = Self.lines(0..<20)
    let first = try await run.wholeRun(lines)
    _ = try await run.wholeRun(lines) {
      $0.selection = RunSelection(host: "images.example", refreshes: true)
    }
    #expect(try await StateStore(path: run.workspace.statePath()).chunkIndex().count == 0)
    let third = try await run.wholeRun(lines, Self.only("p4", refreshes: true))
    #expect(third.catalog == first.catalog && third.report.others == 19)
  }

  // MARK: What is published

  /// A run of one image that has changed leaves the documents that a run of all leaves: screens, changes and kept catalogs.
  @Test func documentsAreThoseOfARunOfAllImages() async throws {
    var runs = [try Self.begun(), try Self.begun()]
    var catalogs: [String] = []
    for index in runs.indices {
      runs[index].file.screens = [
        CatalogScreen(
          name: "list", selection: CatalogSelection(slots: ["card"]), first: 4, part: 8)
      ]
      runs[index].file.catalogChanges = 2
      runs[index].file.keptCatalogs.count = 3
      let run = runs[index]
      _ = try await run.wholeRun(Self.lines(0..<60))
      run.clock.set(day: 2)
      Self.serve(run, "33", width: 180, tag: "2")
      catalogs.append(
        try await run.wholeRun(Self.lines(0..<60)) {
          $0.selection = index == 0 ? RunSelection(ids: ["p33"]) : nil
        }.catalog)
    }
    #expect(catalogs[0] == catalogs[1])
    let paths = runs.map { $0.output.paths.filter { $0 != "run.json" }.sorted() }
    #expect(paths[0] == paths[1])
    #expect(paths[0].contains { $0.contains("list") } && paths[0].count > 20)
    for path in paths[0] where !path.hasPrefix("variants/") {
      #expect(try runs[0].output.text(path) == runs[1].output.text(path), "\(path)")
    }
  }

  // MARK: Any changes

  private struct Numbers {
    var state: UInt64
    mutating func next(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max(1, limit)
    }
  }

  /// The catalogs of runs of all images are those that they would be without runs of some, also if these were stopped
  /// before their catalog; the others stay byte for byte; and what comes behind agrees on ids.
  @Test(.takesSeconds, arguments: 1...3) func runsOfAllImagesAreTheSame(_ seed: Int) async throws {
    var numbers = Numbers(state: UInt64(seed))
    let (run, reference) = (try Self.begun(), try Self.begun(hasMark: seed.isMultiple(of: 2)))
    var lines = Self.lines(0..<90)
    var (before, done) = (try await run.wholeRun(lines), 0)
    _ = try await reference.wholeRun(lines)
    for round in 0..<8 {
      var isLater = false
      for _ in 0...numbers.next(below: 3) {
        let place = numbers.next(below: lines.count)
        let source = "\(numbers.next(below: 100))"
        switch numbers.next(below: 6) {
        case 0: lines[place] = Self.line("p\(numbers.next(below: 90))", source)
        case 1: lines.insert(Self.line("n\(source)", source), at: place)
        case 2: lines.remove(at: place)
        case 3: lines.insert(lines.remove(at: place), at: numbers.next(below: lines.count))
        case 4:
          // The source changes.
          isLater = true
          for one in [run, reference] {
            Self.serve(one, source, width: 150 + round, tag: "r\(round)")
          }
        default: lines.insert("{", at: place)
        }
      }
      for _ in 0...numbers.next(below: 2) {
        // Of the manifest, or of what was there before.
        let known =
          lines.compactMap { $0 == "{" ? nil : Self.id(of: $0) }
          + Self.texts(before.catalog).keys.sorted()
        let ids = (0...numbers.next(below: 3)).map { _ in known[numbers.next(below: known.count)] }
        let isStopped = numbers.next(below: 3) == 0
        if isStopped { run.output.setUnwritable("catalog.json") }
        let (edited, refreshes) = (lines, numbers.next(below: 2) == 0)
        let some = try? await run.wholeRun(edited) {
          $0.selection = RunSelection(ids: ids, refreshes: refreshes)
        }
        run.output.setUnwritable(nil)
        guard let some else { continue }
        done += 1
        let (old, new) = (Self.texts(before.catalog), Self.texts(some.catalog))
        for (id, line) in old where !ids.contains(id) { #expect(new[id] == line, "\(round) \(id)") }
        #expect(Set(new.keys).subtracting(old.keys).isSubset(of: ids))
        before = some
      }
      // Refreshed sources are newer here than there.
      for one in [run, reference] where isLater { one.clock.set(day: Double(2 * round + 2)) }
      let edited = lines
      before = try await run.wholeRun(edited) { $0.allowsShrink = true }
      let other = try await reference.wholeRun(edited) { $0.allowsShrink = true }
      let (one, two) = (before.catalog, other.catalog)
      let differences = zip(one.split(separator: "\n"), two.split(separator: "\n"))
        .filter { $0 != $1 }.prefix(3).map { "\($0)\n\($1)" }
      #expect(differences == [] && one.count == two.count, "\(round)")
    }
    #expect(done > 3)
  }
}
