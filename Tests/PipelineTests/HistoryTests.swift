import Foundation
import TesseraMemoryOutput
import TesseraPipelineFile
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraState
@testable import TesseraSystem

/// What each run leaves for `tessera status`, whatever came of it.
@Suite struct HistoryTests {
  private var run: RunInMemory

  init() throws { run = try RunInMemory() }

  private static func lines(_ count: Int) -> [String] {
    (0..<count).map { #"{"id":"p\#($0)","url":"\#(RunInMemory.url("\($0)"))"}"# }
  }

  private func serve(_ images: Range<Int>, _ answer: ((Int) -> FakeFetcher.Answer)? = nil) {
    for index in images {
      run.serve(
        "\(index)",
        answer?(index) ?? .image(TinyImage.webp(300, 200, "\(index)"), etag: "\"\(index)\""))
    }
  }

  private var entries: [HistoryEntry] { get throws { try run.workspace.readHistory().entries } }

  @Test func aRunThatIsDoneLeavesItsCounts() async throws {
    serve(0..<3)
    let first = try await run.wholeRun(Self.lines(4))
    var entry = try #require(try entries.last)
    #expect(entry.kind == .run && entry.outcome == .someFailed && entry.reason == nil)
    #expect(entry.run == 1 && entry.counts == ["ok": 3, "failed": 1])
    #expect(entry.errors.values.reduce(0, +) == 1)
    #expect(entry.work[.encodes] == first.report.variantsMade && entry.work[.encodes] ?? 0 > 0)
    #expect(entry.work[.writtenBytes] == first.report.bytesWritten)
    #expect(entry.figures == first.report.figures)
    #expect(entry.figures.files == first.report.variantsMade)
    #expect(entry.figures.fileBytes == first.report.bytesWritten)
    #expect(entry.figures.prunableFiles == 0 && entry.figures.keptCatalogs == 0)
    #expect(entry.figures.stateBytes ?? 0 > 0)
    // The metrics have the same numbers.
    let metrics = RunMetrics(pipeline: "feed", ended: 1, seconds: 1, report: first.report)
    for (figure, value) in entry.figures.known {
      #expect(metrics.text.contains("\n\(figure.metric){pipeline=\"feed\"} \(value)\n"))
    }
    serve(0..<4)
    _ = try await run.wholeRun(Self.lines(4)) { $0.onlyFailed = true }
    entry = try #require(try entries.last)
    #expect(entry.outcome == .done && entry.run == 2)
    #expect(try entries.count == 2)
    #expect(entry.figures.keptCatalogs == 1 && entry.figures.files ?? 0 > 2)
  }

  /// Its line has no id, no URL, no path and no message: another program may collect it.
  @Test func nothingOfAnImageIsInIt() async throws {
    serve(0..<2)
    _ = try await run.wholeRun(
      [#"{"id":"secret-id","url":"\#(RunInMemory.url("secret-name"))"}"#] + Self.lines(2))
    run.serve("0", .status(404))
    let text = String(decoding: try run.workspace.readHistory().document, as: UTF8.self)
    #expect(!text.isEmpty)
    for word in ["secret", "example", "http:", "https:", "/", "p0"] {
      #expect(!text.contains(word), "\(word) in \(text)")
    }
  }

  @Test mutating func aStaleImageHasAnAge() async throws {
    serve(0..<2)
    _ = try await run.wholeRun(Self.lines(2))
    run.clock.set(day: 1)
    run.serve("0", .status(503))
    run.file.failAbove = 100
    let report = try await run.wholeRun(Self.lines(2)).report
    #expect(report.count("stale") == 1)
    #expect(report.figures.oldestStaleSeconds == 86_400)
    #expect(report.figures.keepStaleSeconds == 30 * 86_400)
    #expect(try entries.last?.figures.keepStaleSeconds == 30 * 86_400)
  }

  /// A run that could not be done has its kind of error, and what it did before.
  @Test mutating func aRunThatFailedLeavesItsReason() async throws {
    serve(0..<20)
    let catalog = try await run.wholeRun(Self.lines(20)).catalog
    serve(0..<20) { _ in .status(404) }
    run.file.failAbove = 100
    await #expect(throws: TesseraError.self) { try await run.wholeRun(Self.lines(20)) }
    var entry = try #require(try entries.last)
    #expect(entry.outcome == .failed && entry.reason == "lost-images" && entry.run == 2)
    #expect(entry.counts["failed"] ?? 0 > 0 && entry.errors["http-status"] ?? 0 > 0)
    #expect(entry.work[.requests] ?? 0 >= 6, "\(entry.work)")
    #expect(try run.output.text("catalog.json") == catalog)
    // A manifest that is missing: nothing was begun.
    run.file.manifest = .file(run.folder.path("none"))
    await #expect(throws: (any Error).self) { try await run.wholeRun(Self.lines(1)) }
    entry = try #require(try entries.last)
    #expect(entry.outcome == .failed && entry.run == nil && entry.counts.isEmpty)
    #expect(try entries.count == 3)
  }

  @Test func aFullDiskIsAReasonOfItsOwn() {
    for code in [ENOSPC, EDQUOT] {
      let error = SystemError("write", "f", code: code)
      #expect(TesseraError(error).code == .diskFull)
    }
    var state = StateError(kind: .unavailable, path: "s", message: "m")
    #expect(TesseraError(state).code == .state)
    state.isFullDisk = true
    #expect(TesseraError(state).code == .diskFull)
    #expect(TesseraError(SystemError("write", "f", code: EIO)).code == .system)
  }

  @Test func aRunThatFindsNothingToDoHasTheSizesOfTheLast() async throws {
    serve(0..<2)
    let first = try await run.wholeRun(Self.lines(2)).report
    var history = try run.workspace.readHistory()
    // As after `prune`, which knows them, too.
    var prune = HistoryEntry(.prune, ended: 1, seconds: 0, .done)
    (prune.figures.files, prune.figures.fileBytes) = (1, 77)
    try run.workspace.writeHistory(history.adding(prune), after: history)
    let session = RunSession(
      Pipeline(run.file, .everything, RunOptions(workerPath: "")),
      try await HeldOutput(run.output, run.workspace, nil), .system, RunObservers([]))
    let noted = try await session.noting(.success(first), since: .now).get()
    #expect(noted.figures.files == 1 && noted.figures.fileBytes == 77)
    await session.held.release()
    history = try run.workspace.readHistory()
    #expect(history.entries.last?.figures.fileBytes == 77 && history.entries.last?.run == nil)
  }

  /// A history that can't be written costs a run nothing but a warning.
  @Test func theRunIsDoneWithoutIt() async throws {
    serve(0..<1)
    try run.folder.write("", to: "workspace/runs.jsonl/in-the-way")
    let whole = try await run.wholeRun(Self.lines(1))
    #expect(whole.items == ["p0 ok"])
    #expect(whole.warnings.last?.hasPrefix("the history of runs was not written: ") == true)
    #expect(whole.report.warnings.last == whole.warnings.last)
    #expect(whole.report.figures.files ?? 0 > 0)
  }
}
