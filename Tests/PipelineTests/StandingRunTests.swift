import TesseraMemoryOutput
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// What a run leaves, by which the next one knows that it has nothing to do.
@Suite struct StandingRunTests {
  private static func report(_ change: (inout RunReport) -> Void = { _ in }) -> RunReport {
    var report = RunReport()
    report.counts = ["ok": 3]
    (report.variantsAsked, report.variantsMade, report.variantsReused) = (18, 4, 8)
    (report.tablesMade, report.tablesReused, report.freshUntil) = (1, 2, 5_000)
    change(&report)
    return report
  }

  private static func standing(
    manifest: String? = "m",
    _ change: (inout RunReport) -> Void = { _ in }
  ) -> StandingRun? {
    StandingRun(
      report(change), manifest: manifest, settings: "s", ended: 1_000.25)
  }

  @Test func aRunStandsWhileItsSourcesAreFresh() throws {
    let run = try #require(Self.standing())
    #expect((run.items, run.places, run.files, run.tables) == (3, 18, 12, 3))
    #expect(run.stands("s", now: 4_999))
    #expect(!run.stands("s", now: 5_000) && !run.stands("other", now: 2_000))
    let always = try #require(Self.standing { $0.freshUntil = .infinity })
    #expect(always.stands("s", now: 1e12))
  }

  @Test func whatAnotherRunWouldDoDoesNotStand() {
    #expect(Self.standing(manifest: nil) == nil)
    let changes: [(inout RunReport) -> Void] = [
      { $0.counts = [:] }, { $0.counts["stale"] = 1 }, { $0.counts["failed"] = 1 },
      { $0.counts["pending"] = 1 }, { $0.problemCount = 1 }, { $0.forgotten = 1 },
      { $0.upgradesWaiting = 1 }, { $0.tablesUnmade = 1 }, { $0.isIncomplete = true },
      { $0.freshUntil = 1_000 },
    ]
    for (index, change) in changes.enumerated() {
      #expect(Self.standing(change) == nil, "\(index)")
    }
  }

  @Test func itIsStoredAndDamageIsNoticed() throws {
    for run in [Self.standing(), Self.standing { $0.freshUntil = .infinity }].compactMap(\.self) {
      #expect(StandingRun(stored: run.stored) == run)
      let text = Array(run.stored)
      for place in text.indices {
        var other = text
        other[place] = text[place] == "1" ? "2" : "1"
        #expect(other == text || StandingRun(stored: String(other)) == nil, "\(place)")
      }
    }
    for text in ["", " ", "a b", "[]"] { #expect(StandingRun(stored: text) == nil) }
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
