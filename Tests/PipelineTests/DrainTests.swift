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
