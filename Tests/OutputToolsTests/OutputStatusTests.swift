import Foundation
import TesseraManifest
import TesseraNet
import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import tessera

/// The status of an output, without a run.
@Suite struct OutputStatusTests {
  private let small: SmallOutput

  init() throws { small = try SmallOutput() }

  private func note(_ run: Int?, at time: Double, _ outcome: HistoryEntry.Outcome = .done)
    async throws
  {
    var entry = HistoryEntry(.run, ended: time, seconds: 2, outcome)
    entry.run = run
    let history = try small.workspace.readHistory()
    try small.workspace.writeHistory(history.adding(entry), after: history)
  }

  private func writeState() async throws {
    try await SmallState.write(
      [
        .init(id: "a", line: SmallOutput.line("a"), url: "https://example.com/a"),
        .init(
          id: "b", line: SmallOutput.line("b", status: "failed", more: #","error":{"code":"dns"}"#),
          status: "failed", url: "https://example.com/b"),
      ], to: small.statePath)
  }

  private func read(now: Double = 1_000) async throws -> OutputStatus {
    try await OutputStatus.read(small.root, now: now)
  }

  @Test func aFolderWithoutARunIsNone() async throws {
    #expect(
      await sentence { try await read() }
        == "no run has left anything in \"\(small.root)\": it has neither a catalog nor a state; tessera run PIPELINE "
        + "makes both")
    let held = try await OpenOutput(small.root).hold()
    #expect(await sentence { try await read() }.hasSuffix(" is at work on it"))
    await held.release()
    #expect(
      await sentence { try await OutputStatus.read(small.root + "/none") }
        == "there is no file or folder \"\(small.root)/none\"; it must be the output of a run")
  }

  @Test func whatIsThereIsShown() async throws {
    try await small.publish([SmallOutput.line("a")], now: 10)
    try await small.publish([SmallOutput.line("a"), SmallOutput.line("b")], now: 20)
    try await writeState()
    try await note(1, at: 20)
    let status = try await read()
    #expect(status.problems == [] && !status.wasKilled && status.holder == nil)
    #expect(status.kept.current?.images == 2 && status.kept.catalogs.map(\.images) == [1])
    #expect(status.kept.catalogs.map(\.until) == ["1970-01-12T13:47:00Z"])
    #expect(status.failures.failed == 1 && status.failures.byHost.first?.name == "example.com")
    #expect(status.figures.keptCatalogs == 1 && status.freeSpace ?? 0 > 0)
    #expect(status.stateSize ?? 0 > 0 && status.recorded?.count == 0)
    #expect(status.runs.map(\.name) == ["run"])
    let json = String(decoding: status.json(runs: 5), as: UTF8.self)
    #expect(json.contains("\"failed\": 1") && json.contains("\"example.com\""))
    #expect(!json.contains("example.com/b"))
  }

  /// Of the very first run, nothing but its beginning is known then.
  @Test func theFirstRunMayHaveBeenKilled() async throws {
    let state = try StateStore(path: small.statePath)
    _ = try await state.beginRun(boot: "")
    try await state.commit()
    let held = try await OpenOutput(small.root).hold()
    #expect(try await !read().wasKilled)
    await held.release()
    #expect(try await read().wasKilled)
    try await note(1, at: 20, .stopped)
    #expect(try await !read().wasKilled)
  }

  /// Runs of this time that have a number left an entry; a later one that did not was killed, unless it is at work.
  @Test func aRunThatLeftNoEntryWasKilled() async throws {
    try await writeState()
    // Of a run that made its catalog without an entry, as those of earlier versions, that is not known.
    #expect(try await !read().wasKilled)
    try await note(nil, at: 5)
    #expect(try await !read().wasKilled)
    try await note(1, at: 10)
    #expect(try await !read().wasKilled)
    let state = try StateStore(path: small.statePath)
    _ = try await state.beginRun(boot: "")
    try await state.commit()
    #expect(try await read().wasKilled)
    let held = try await OpenOutput(small.root).hold()
    let status = try await read()
    #expect(!status.wasKilled && status.holder?.hasPrefix("process ") == true)
    #expect(status.busySince != nil && status.imagesDone == 0)
    let json = String(decoding: status.json(runs: 1), as: UTF8.self)
    #expect(json.contains("inProgressSince") && json.contains("\"imagesDone\": 0"), "\(json)")
    await held.release()
    try await note(2, at: 20, .stopped)
    #expect(try await !read().wasKilled)
  }

  /// What a run without a result has seen is in the state, and not in the catalog.
  @Test func failuresOfARunWithoutACatalogAreItsOwn() async throws {
    try await small.publish([SmallOutput.line("a")], now: 10)
    try await writeState()
    try await note(1, at: 10)
    #expect(try await read().runWithoutCatalog == nil)
    #expect(try await read().catalogRun?.ended == 10)
    for (index, outcome) in [HistoryEntry.Outcome.failed, .stopped].enumerated() {
      try await note(2 + index, at: Double(20 + index), outcome)
      // One that had not begun with its images, and a tool.
      try await note(nil, at: 30, .failed)
      let status = try await read()
      #expect(status.runWithoutCatalog?.ended == Double(20 + index))
      #expect(status.runWithoutCatalog?.isStopped == (outcome == .stopped))
      #expect(status.catalogRun?.ended == 10)
      let json = String(decoding: status.json(runs: 1), as: UTF8.self)
      #expect(json.contains("\"ofRun\": \"1970-01-01T00:00:2\(index)Z\""), "\(json)")
    }
    try await note(4, at: 40, .someFailed)
    #expect(try await read().runWithoutCatalog == nil)
    #expect(try await read().catalogRun?.ended == 40)
  }

  /// The next shift sees it, until a run has replaced the catalog.
  @Test func aRollbackIsSaid() async throws {
    try await small.publish([SmallOutput.line("a")], now: 10)
    try await small.publish(
      [SmallOutput.line("a"), SmallOutput.line("b", status: "stale")], now: 20)
    try await writeState()
    try await note(1, at: 20)
    #expect(try await read().rollbackTime == nil)
    _ = try await Rollback(small.root, now: 30).run(to: 1)
    let status = try await read()
    #expect(status.rollbackTime == "1970-01-01T00:00:30Z")
    #expect(status.runs.map(\.name) == ["rollback", "run"])
    #expect(status.catalogRun?.count("ok") == 1 && status.catalogRun?.count("stale") == nil)
    let json = String(decoding: status.json(runs: 1), as: UTF8.self)
    #expect(json.contains("\"rolledBack\": \"1970-01-01T00:00:30Z\""), "\(json)")
    // A run that is killed after it has replaced the catalog leaves no entry.
    try await small.publish([SmallOutput.line("c")], now: 40)
    #expect(try await read().rollbackTime == nil)
    _ = try await Rollback(small.root, now: 50).run(to: 1)
    #expect(try await read().rollbackTime == "1970-01-01T00:00:50Z")
    try await note(2, at: 60, .failed)
    #expect(try await read().rollbackTime != nil)
    // It may have made a catalog that was there before.
    try await note(3, at: 70)
    #expect(try await read().rollbackTime == nil)
  }

  @Test func aStateThatIsGoneIsSaid() async throws {
    try await small.publish([SmallOutput.line("a"), SmallOutput.line("b")])
    let status = try await read()
    #expect(status.problems == ["there is no state: the next run fetches all 2 images"])
    #expect(status.stateSize == nil && !status.hasState)
    // One that begins makes it, and a merged catalog has its states elsewhere.
    let held = try await OpenOutput(small.root).hold()
    #expect(try await read().problems == [])
    await held.release()
    let merge = HistoryEntry(.merge, ended: 5, seconds: 1, .done)
    try small.workspace.writeHistory(RunHistory().adding(merge), after: RunHistory())
    #expect(try await read().problems == [])
    try await note(1, at: 10)
    #expect(try await read().problems.count == 1)
  }

  @Test func aCatalogThatIsGoneOrDamagedIsSaid() async throws {
    func note() async throws -> [String] { try await read().problems }
    try await small.publish([SmallOutput.line("a")], now: 10)
    try await small.publish([SmallOutput.line("b")], now: 20)
    try await self.note(1, at: 20)
    let state = "there is no state: the next run fetches the image"
    #expect(try await note() == [state])
    let back = "the next run writes it again, and tessera rollback makes an earlier one current"
    let whole = try small.text("catalog.json")
    for (text, reason) in [
      (String(whole.dropLast()), "is cut off"), (String(whole.dropLast(30)), "is cut off"),
      (whole + " ", "is cut off"), ("", "is not a catalog as a run writes it"),
      (whole.replacing("\n", with: ""), "is not a catalog as a run writes it"),
      ("{}", "is not a catalog as a run writes it"),
    ] {
      try small.write(text, to: "catalog.json")
      #expect(try await note().first == "catalog.json \(reason): \(back)", "\(text)")
    }
    try small.output.delete("catalog.json")
    #expect(
      try await note() == ["there is no catalog.json, though a run has written one: \(back)"])
    #expect(try await read().kept.catalogs.count > 0)
  }

  /// Nothing is locked, so a run may replace the catalog at any moment.
  @Test func aCatalogThatIsReplacedMeanwhileIsWhole() async throws {
    try await small.publish([SmallOutput.line("a")], now: 10)
    let first = try #require(try await CurrentCatalog(of: small.output))
    #expect(try await first.isWhole(in: small.output))
    try await small.publish(["a", "b", "c"].map { SmallOutput.line($0) }, now: 20)
    #expect(try await first.isWhole(in: small.output))
    let text = try small.text("catalog.json")
    try small.write(String(text.dropLast(2)), to: "catalog.json")
    let cut = try #require(try await CurrentCatalog(of: small.output))
    #expect(try await !cut.isWhole(in: small.output))
  }

  @Test func aDamagedStateIsSaid() async throws {
    try await small.publish([SmallOutput.line("a")])
    try await writeState()
    try await note(1, at: 10)
    let path = try small.statePath
    let bytes = try Data(contentsOf: URL(filePath: path))
    for damaged in [Data(), bytes.prefix(5_000), Data(repeating: 7, count: 50_000)] {
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      try damaged.write(to: URL(filePath: path))
      let status = try await read()
      #expect(status.problems.count == 1, "\(status.problems)")
      #expect(
        status.problems.first?.hasPrefix(
          damaged.isEmpty ? "the state has no run in it" : "the state file \"\(path)\"") == true,
        "\(status.problems)")
      // What does not depend on it is shown, and nothing else.
      #expect(status.runs.count == 1 && status.kept.current != nil && status.recorded == nil)
    }
  }

  /// `run.json` is that of the last run with a result, and says nothing of one that failed.
  @Test func hostsThatBanAreThoseOfTheLastRun() async throws {
    try await small.publish([SmallOutput.line("a")])
    try small.output.write(
      "run.json", Array(#"{"bans":[{"host":"h:1","answers":9,"rejected":8},{"answers":1}]}"#.utf8))
    try await note(1, at: 10)
    let status = try await read()
    #expect(status.bans.map(\.host) == ["h:1"] && status.bans.first?.rejected == 8)
    #expect(String(decoding: status.json(runs: 1), as: UTF8.self).contains(#""rejected": 8"#))
    try await note(2, at: 20, .failed)
    #expect(try await read().bans.isEmpty)
    try await note(3, at: 30)
    #expect(try await read().bans.count == 1)
  }

  @Test func statesOfShardsCountTogether() async throws {
    for index in 0..<2 {
      let shard = try #require(Shard("\(index)/2"))
      let part = try small.workspace.part(shard)
      try await SmallState.write(
        [
          .init(
            id: "p\(index)",
            line: SmallOutput.line("p\(index)", status: "stale", more: #","error":{"code":"dns"}"#),
            status: "stale", content: "00", url: "u\(index)")
        ], to: try part.statePath())
      var entry = HistoryEntry(.run, ended: Double(index), seconds: 1, .someFailed)
      entry.run = 1
      try part.writeHistory(RunHistory().adding(entry), after: RunHistory())
    }
    let status = try await read()
    #expect(status.failures.stale == 2 && status.ageOfOldestStale == 999)
    #expect(status.runs.map(\.name) == ["shard 1/2", "shard 0/2"])
    #expect(status.failures.byCode.map(\.ids) == [["p0", "p1"]])
    // No run has recorded how long they are shown.
    #expect(status.staleEnd == nil)
    let part = try small.workspace.part(#require(Shard("1/2")))
    let history = try part.readHistory()
    var entry = HistoryEntry(.run, ended: 5, seconds: 1, .failed)
    entry.figures.keepStaleSeconds = 86_400
    try part.writeHistory(history.adding(entry), after: history)
    let later = try await read()
    #expect(later.staleEnd == "1970-01-02T00:00:01Z")
    let json = String(decoding: later.json(runs: 1), as: UTF8.self)
    #expect(json.contains("\"staleUntil\": \"1970-01-02T00:00:01Z\""), "\(json)")
  }
}
