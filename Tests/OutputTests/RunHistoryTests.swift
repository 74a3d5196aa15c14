import Foundation
import TesseraManifest
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// The history of runs: what is written, what is read of damaged files, and how long it becomes.
@Suite struct RunHistoryTests {
  private static func entry(_ number: Int, bytes: Int? = nil) -> HistoryEntry {
    var entry = HistoryEntry(.run, ended: Double(1_000 + number), seconds: 1.5, .someFailed)
    entry.run = number
    entry.counts = ["ok": 3, "failed": 1]
    entry.errors = ["timeout": 1]
    entry.work = [.requests: 5, .fetchedBytes: 700]
    (entry.figures.fileBytes, entry.figures.stateBytes) = (bytes, bytes.map { _ in 10 })
    return entry
  }

  private static func text(_ history: RunHistory) -> String {
    String(decoding: history.document, as: UTF8.self)
  }

  @Test func aLineHasWhatWasCounted() {
    var entry = Self.entry(7, bytes: 90)
    entry.reason = "lost-images"
    entry.outcome = .failed
    let history = RunHistory().adding(entry)
    #expect(
      Self.text(history)
        == #"{"kind":"run","ended":1007,"seconds":1.5,"outcome":"failed","reason":"lost-images","run":7,"#
        + #""items":{"failed":1,"ok":3},"errors":{"timeout":1},"work":{"fetchedBytes":700,"requests":5},"#
        + #""output":{"fileBytes":90,"stateBytes":10}}"# + "\n")
    #expect(RunHistory(history.document).entries == [entry])
    var prune = HistoryEntry(.prune, ended: 5, seconds: 0, .done)
    for work in HistoryEntry.Work.allCases { prune.work[work] = 1 }
    for (number, figure) in OutputFigures.all.enumerated() {
      prune.figures[keyPath: figure.place] = number
    }
    #expect(RunHistory(RunHistory().adding(prune).document).entries == [prune])
  }

  /// A killed process leaves a part of a line, at any byte; another program may have written anything.
  @Test func whatIsNotWholeIsIgnored() {
    let first = RunHistory().adding(Self.entry(1))
    let both = first.adding(Self.entry(2))
    for end in first.document.count..<both.document.count - 1 {
      let torn = RunHistory(Array(both.document.prefix(end)))
      // The line is whole without its end.
      #expect(torn.entries == [Self.entry(1)] || end == both.document.count - 1, "\(end)")
      // The next entry is on a line of its own.
      let next = RunHistory(torn.adding(Self.entry(3)).document)
      #expect(next.entries == [Self.entry(1), Self.entry(3)], "\(end)")
    }
    for line in [
      "", "\n\n", "[]", #"{"kind":"run"}"#, #"{"kind":"x","ended":1,"seconds":1,"outcome":"done"}"#,
      #"{"kind":"run","ended":1e300,"seconds":1,"outcome":"done"}"#,
      #"{"kind":"run","ended":-1,"seconds":1,"outcome":"done"}"#,
    ] {
      #expect(RunHistory(Array(line.utf8)).entries.isEmpty, "\(line)")
    }
  }

  @Test(.takesSeconds) func itHasAThousandLinesAtMost() {
    var history = RunHistory()
    for number in 1...1_000 { history = history.adding(Self.entry(number)) }
    #expect(history.entries.count == 1_000)
    history = history.adding(Self.entry(1_001))
    #expect(history.entries.map(\.run) == (502...1_001).map(Optional.init))
    #expect(RunHistory(history.document).entries == history.entries)
    var long = Self.entry(1)
    for number in 0..<20_000 { long.errors["code-\(number)"] = 1 }
    var few = RunHistory()
    for _ in 0..<9 {
      few = few.adding(long)
      #expect(few.document.count <= 1_000_000)
    }
    #expect(!few.entries.isEmpty)
  }

  /// `prune` beside each run would be half of the lines.
  @Test func onlyTheLastPruneThatDeletedNothingIsKept() {
    func prune(_ time: Double, _ deleted: Int) -> HistoryEntry {
      var entry = HistoryEntry(.prune, ended: time, seconds: 0, .done)
      entry.work = [.deletedFiles: deleted, .deletedBytes: deleted]
      return entry
    }
    var history = RunHistory([], shard: Shard("0/2")).adding(prune(1, 3)).adding(prune(2, 0))
    history = history.adding(Self.entry(1)).adding(prune(3, 0)).adding(Self.entry(2))
    let torn = RunHistory(history.document + Array("{".utf8), shard: history.shard)
    for before in [history, torn] {
      let after = before.adding(prune(4, 0))
      #expect(
        after.entries == [prune(1, 3), Self.entry(1), Self.entry(2), prune(4, 0)])
      #expect(RunHistory(after.document).entries == after.entries && after.shard == before.shard)
    }
    // Other runs that deleted nothing, and a prune that failed, are no such prunes.
    var run = HistoryEntry(.forget, ended: 5, seconds: 0, .done)
    run.work = [.deletedFiles: 0]
    var failed = HistoryEntry(.prune, ended: 6, seconds: 0, .failed)
    failed.work = [.deletedFiles: 0]
    let others = RunHistory().adding(run).adding(failed).adding(prune(7, 0))
    #expect(others.adding(prune(8, 0)).entries == [run, failed, prune(8, 0)])
    var days = RunHistory()
    for hour in 0..<24 { days = days.adding(Self.entry(hour)).adding(prune(Double(hour), 0)) }
    #expect(days.entries == (0..<24).map { Self.entry($0) } + [prune(23, 0)])
  }

  // MARK: Sizes

  private static func history(_ shard: String?, _ sizes: [(time: Int, bytes: Int)]) -> RunHistory {
    var history = RunHistory(shard: shard.flatMap { Shard($0) })
    for (time, bytes) in sizes {
      var entry = entry(time, bytes: bytes)
      entry.ended = Double(time)
      history = history.adding(entry)
    }
    return history
  }

  private static func sizes(_ histories: [RunHistory]) -> [[Int]] {
    RunHistory.sizes(in: histories).map { [Int($0.time), $0.bytes] }
  }

  @Test func sizesOfShardsAreAddedUp() {
    #expect(Self.sizes([]) == [])
    // Files, and ten bytes of state.
    #expect(Self.sizes([Self.history(nil, [(1, 5), (2, 6)])]) == [[1, 15], [2, 16]])
    let shards = [Self.history("0/2", [(1, 5), (4, 7)]), Self.history("1/2", [(2, 1), (3, 2)])]
    #expect(Self.sizes(shards) == [[2, 26], [3, 27], [4, 29]])
    // The division that ran last counts, and not an earlier one.
    #expect(Self.sizes(shards + [Self.history("0/3", [(9, 1)])]) == [[9, 11]])
    #expect(Self.sizes(shards + [Self.history(nil, [(1, 1)])]) == [[2, 26], [3, 27], [4, 29]])
    let merge = HistoryEntry(.merge, ended: 9, seconds: 1, .done)
    #expect(Self.sizes(shards + [RunHistory().adding(merge)]) == [[2, 26], [3, 27], [4, 29]])
    var unknown = Self.history(nil, [(1, 5)])
    unknown = unknown.adding(Self.entry(2))
    #expect(Self.sizes([unknown]) == [[1, 15]])
  }

  // MARK: Where it is

  @Test func aWorkspaceHasIt() throws {
    let folder = try TemporaryFolder()
    let output = try DirectoryOutput(folder.path("out"), creates: true)
    let workspace = try output.workspace()
    #expect(try workspace.readHistory() == RunHistory())
    var history = try workspace.readHistory()
    for number in 1...3 {
      let next = history.adding(Self.entry(number))
      try workspace.writeHistory(next, after: history)
      history = try workspace.readHistory()
      #expect(history == next)
    }
    // Shorter than before, as after a thousand lines: replaced, and no draft is left.
    let short = RunHistory().adding(Self.entry(9))
    try folder.write("", to: "out/.tessera/runs.jsonl.tessera-123456.new")
    try workspace.writeHistory(short, after: history)
    #expect(try workspace.readHistory() == short)
    #expect(folder.files(below: "out/.tessera") == ["runs.jsonl"])
  }

  @Test func aStoreHasItBesideItsState() async throws {
    let store = try ObjectStore([
      ".tessera/state.sqlite", ".tessera/shards/8/3/state.sqlite", ".tessera/lock",
      ".tessera/shards/8/3/lock", ".tessera/runs.jsonl", ".tessera/shards/8/3/runs.jsonl",
    ])
    let open = try store.open()
    #expect(try await open.histories().isEmpty)
    for number in 1...2 {
      let held = try await open.hold()
      #expect(try await open.activity()?.holder.hasPrefix("process ") == true)
      try await held.note(Self.entry(number))
      await held.release()
    }
    #expect(try await open.activity() == nil)
    let shard = try await open.hold(Shard("3/8"))
    #expect(try await open.activity() != nil)
    try await shard.note(Self.entry(5))
    await shard.release()
    let histories = try await open.histories()
    #expect(histories.map { $0.shard?.description } == [nil, "3/8"])
    #expect(histories.map { $0.entries.map(\.run) } == [[1, 2], [5]])
  }

  /// A process that was stopped, and whose output was taken over, leaves the history of the next one alone.
  @Test func aHistoryOfAnotherProcessIsNotReplaced() async throws {
    let path = ".tessera/runs.jsonl"
    let store = try ObjectStore([".tessera/state.sqlite", ".tessera/lock", path])
    let held = try await store.open().hold()
    try await held.note(Self.entry(1))
    store.put("of another", at: path)
    #expect(
      await errorText { try await held.note(Self.entry(2)) }
        == "\"s3://feed/out/\(path)\" was taken over by another run, because this one was not heard "
        + "of for 120 s; run it again")
    #expect(store.text(path) == "of another")
    await held.release()
  }

  @Test func theKindsOfAnOutputShowWhoHoldsThem() async throws {
    let folder = try TemporaryFolder()
    let open = try OpenOutput(folder.path("out"))
    #expect(try await open.activity() == nil)
    let held = try await open.hold()
    let activity = try await open.activity()
    #expect(activity?.holder == "process \(ProcessInfo.processInfo.processIdentifier)")
    let since = try #require(activity?.since)
    #expect(abs(since - Date().timeIntervalSince1970) < 60)
    await held.release()
    #expect(try await open.activity() == nil)
    let shard = try await open.hold(Shard("0/2"))
    // Several may have this one.
    #expect(
      try await open.activity() == activity.map { OutputActivity(holder: $0.holder, since: nil) })
    await shard.release()
  }
}
