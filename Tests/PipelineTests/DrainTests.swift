import Synchronization
import TesseraManifest
import TesseraMemoryOutput
import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline

/// Runs that are ended early, in good order.
@Suite struct DrainTests {
  private struct Silence: RunObserving {
    func began(_ progress: @escaping @Sendable () -> RunProgress) {}
    func happened(_ event: RunEvent) {}
  }

  /// What is done is kept, nothing is recorded of the rest, and the last good catalog stands.
  @Test func aStoppedRunKeepsWhatItHasDone() async throws {
    let run = try RunInMemory()
    let names = (0..<5).map { "\($0)" }
    for name in names { run.serve(name, .silence) }
    run.serve("good", .image(TinyImage.webp(300, 200, "good"), freshFor: 3_600))
    let lines = (["good"] + names).map { #"{"id":"\#($0)","url":"\#(RunInMemory.url($0))"}"# }
    try run.folder.write(lines.map { $0 + "\n" }.joined(), to: "manifest.jsonl")
    let stop = RunStop()
    var options = RunOptions(workerPath: "")
    options.stop = stop
    let held = try await HeldOutput(run.output, run.workspace, nil)
    let pipeline = Pipeline(run.file, .everything, options)
    let services = RunServices(
      clock: run.clock.wallClock, startFetcher: { _ in run.fetcher },
      startWorkers: { _ in run.transcoder })
    let task = Task { await pipeline.runHolding(held, services, Silence()) }
    await run.fetcher.waitUntilHanging(5)
    // The good one may still be in flight.
    while run.output.published < 2 { await Task.yield() }
    #expect(stop.request())
    let result = await task.value
    #expect(throws: CancellationError.self) { try result.get() }
    await held.release()
    #expect(!stop.request(), "nothing is in work any more")
    #expect(!run.output.paths.contains("catalog.json"))
    #expect(run.fetcher.held == 0)
    for name in names { run.serve(name, .status(404)) }
    _ = (run.fetcher.takeLog(), run.transcoder.takeDecodes())
    let next = try await run.wholeRun(lines)
    #expect(next.items.first == "good ok" && next.items.count == 6)
    #expect(run.fetcher.takeLog().count { $0.hasSuffix(" 404") } == 5)
  }
}

/// The lines of a run are read some at a time, and each of them is checked.
@Suite struct ResultLineBatchTests {
  private static func lines(
    _ count: Int, expected: Int, without lost: Int? = nil
  ) async throws -> ResultLines {
    let state = try StateStore(path: "")
    let run = try await state.beginRun(boot: "")
    var sum = ClaimSum()
    for position in 0..<count where position != lost {
      let id = "\(position)"
      _ = try await state.claim([.init(id: id, line: 1, entry: id)], run: run, position: position)
      _ = try await state.save(
        .init(id: id, line: "line \(id)", status: "ok", reasons: [], content: nil, inputs: nil))
    }
    for position in 0..<expected { sum.add(["\(position)"], at: position) }
    return ResultLines(state: state, run: run, count: expected, sum: sum)
  }

  @Test(arguments: [0, 1, 249, 250, 251, 600]) func linesComeInOrder(_ count: Int) async throws {
    var batches: [Int] = []
    try await Self.lines(count, expected: count).forEachBatch { batches.append($0.count) }
    let full = [Int](repeating: 250, count: count / 250)
    #expect(batches == full + (count % 250 > 0 ? [count % 250] : []))
    var texts: [String] = []
    try await Self.lines(count, expected: count).forEachLine { texts.append($0) }
    #expect(texts == (0..<count).map { "line \($0)" })
  }

  /// The state lacks items that the run had: at the end, at the start, or between.
  @Test(
    arguments: [
      (3, 4, nil), (4, 3, nil), (3, 3, 0), (3, 3, 1), (250, 250, 100), (250, 250, 99), (1, 1, 0),
    ] as [(Int, Int, Int?)])
  func missingLinesAreDamage(_ count: Int, _ expected: Int, _ lost: Int?) async throws {
    let lines = try await Self.lines(count, expected: expected, without: lost)
    let error = await #expect(throws: StateError.self) { try await lines.forEachBatch { _ in } }
    #expect(error?.message == "items of this run are missing in it")
    #expect(error?.kind == .incomplete)
  }
}
