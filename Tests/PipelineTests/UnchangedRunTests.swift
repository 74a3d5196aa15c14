import TesseraCatalog
import TesseraMemoryOutput
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// What a run leaves, by which the next one knows that it has nothing to do.
@Suite struct UnchangedRunTests {
  private static func chunk(_ change: (inout RunReport) -> Void = { _ in }) -> Chunk {
    var report = RunReport()
    report.counts = ["ok": 3]
    (report.variantsAsked, report.variantsMade, report.variantsReused) = (18, 4, 8)
    report.freshUntil = 5_000
    change(&report)
    return Chunk(ChunkReuse.key("s", "m"), of: report)
  }

  private static func stands(_ chunk: Chunk, now: Double) -> Bool {
    Verdicts.copies(chunk, isWanted: true, now: now)
  }

  @Test func aRunStandsWhileItsSourcesAreFresh() {
    let run = Self.chunk()
    #expect((run.count, run.places, run.files) == (3, 18, 12))
    #expect(Self.stands(run, now: 4_999) && !Self.stands(run, now: 5_000))
    #expect(run.key != ChunkReuse.key("t", "m") && run.key != ChunkReuse.key("s", "n"))
    #expect(Self.stands(Self.chunk { $0.freshUntil = .infinity }, now: 1e12))
  }

  @Test func whatAnotherRunWouldDoDoesNotStand() {
    let changes: [(inout RunReport) -> Void] = [
      { $0.counts = [:] }, { $0.counts["stale"] = 1 }, { $0.counts["failed"] = 1 },
      { $0.counts["pending"] = 1 }, { $0.problemCount = 1 }, { $0.forgotten = 1 },
      { $0.upgradesWaiting = 1 }, { $0.tablesUnmade = 1 }, { $0.isIncomplete = true },
      { $0.freshUntil = 1_000 },
    ]
    for (index, change) in changes.enumerated() {
      #expect(!Self.stands(Self.chunk(change), now: 1_000), "\(index)")
    }
  }

  // MARK: Whole runs

  private static func lines(_ names: [String]) -> [String] {
    names.map { #"{"id":"\#($0)","url":"\#(RunInMemory.url($0))"}"# }
  }

  private static func begun(freshFor seconds: Int = 3_600) throws -> RunInMemory {
    let run = try RunInMemory()
    for name in ["a", "b"] {
      run.serve(
        name, .image(TinyImage.webp(200, 200, name), etag: "\"1\"", freshFor: seconds))
    }
    run.output.hasMark = true
    return run
  }

  /// The number of the state's last run, which a run that does nothing leaves.
  private static func runs(_ run: RunInMemory) throws -> Int {
    try Database(run.workspace.statePath(), isReadOnly: true)
      .prepare("SELECT max(number) FROM runs").first([]) { $0.int(0) } ?? 0
  }

  @Test func anUnchangedRunDoesNothing() async throws {
    let run = try Self.begun()
    let first = try await run.wholeRun(Self.lines(["a", "b"]))
    let before = try Self.runs(run)
    let second = try await run.wholeRun(Self.lines(["a", "b"]))
    #expect(second.catalog == first.catalog && second.items == ["a ok", "b ok"])
    #expect(try Self.runs(run) == before)
    let report = second.report
    #expect(report.total == 2 && report.changes == [.reused: 2] && report.before == 2)
    #expect(report.variantsReused == 4 && report.variantsMade == 0 && report.variantsAsked == 4)
  }

  /// The tables are those that the catalog names.
  @Test func anUnchangedRunHasItsTables() async throws {
    var run = try Self.begun()
    run.file.tables = [.init(slot: "card", scales: [1], pixels: [.grey8, .rgb565])]
    let first = try await run.wholeRun(Self.lines(["a", "b"])).report
    let before = try Self.runs(run)
    let second = try await run.wholeRun(Self.lines(["a", "b"])).report
    #expect(try Self.runs(run) == before)
    #expect((first.tablesMade, second.tablesMade, second.tablesReused) == (2, 0, 2))
  }

  @Test func whatHasChangedIsNoticed() async throws {
    let changes: [(String, (inout RunInMemory, inout [String]) -> Void)] = [
      ("manifest", { $1.append(#"{"id":"c","url":"\#(RunInMemory.url("a"))"}"#) }),
      ("space", { $1[0] += " " }),
      ("settings", { run, _ in run.file.baseURL = "https://c/" }),
      (
        "output",
        { run, _ in
          let file = run.output.paths.first { $0.hasPrefix("variants/") }
          run.output.delete(file ?? "")
        }
      ),
      ("time", { run, _ in run.clock.set(day: 1) }),
      ("clock", { run, _ in run.clock.set(day: -1) }),
      ("revalidation", { run, _ in run.file.fetch.revalidation = .always }),
      // A cache that is over its new limit makes room.
      ("cache", { run, _ in run.file.fetch.cache = 1 << 20 }),
    ]
    for (name, change) in changes {
      var run = try Self.begun()
      var lines = Self.lines(["a", "b"])
      _ = try await run.wholeRun(lines)
      let before = try Self.runs(run)
      change(&run, &lines)
      let second = try await run.wholeRun(lines)
      #expect(try Self.runs(run) > before, "\(name)")
      #expect(second.items.allSatisfy { $0.hasSuffix(" ok") }, "\(name)")
    }
  }

  /// What is kept leaves on time, though nothing else is done.
  @Test func anUnchangedRunDropsOldCatalogs() async throws {
    var run = try Self.begun(freshFor: 7 * 86_400)
    run.file.keptCatalogs = .init(count: 3, age: .seconds(86_400))
    let kept = { run.output.paths.filter { $0.hasPrefix(".tessera/catalogs/") }.count }
    _ = try await run.wholeRun(Self.lines(["a"]))
    _ = try await run.wholeRun(Self.lines(["a", "b"]))
    let before = try Self.runs(run)
    for (day, files) in [(0.5, 2), (1.5, 1)] {
      run.clock.set(day: day)
      _ = try await run.wholeRun(Self.lines(["a", "b"]))
      // The list, and a catalog.
      #expect(kept() == files, "day \(day)")
    }
    #expect(try Self.runs(run) == before)
  }

  @Test func aRunForAnotherPurposeIsDone() async throws {
    let run = try Self.begun()
    _ = try await run.wholeRun(Self.lines(["a", "b"]))
    let before = try Self.runs(run)
    _ = try await run.wholeRun(Self.lines(["a", "b"])) { $0.onlyFailed = true }
    #expect(try Self.runs(run) > before)
    // It leaves nothing to compare with.
    let between = try Self.runs(run)
    _ = try await run.wholeRun(Self.lines(["a", "b"]))
    #expect(try Self.runs(run) > between)
  }
}
