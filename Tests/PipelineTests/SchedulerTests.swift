import TesseraManifest
import TesseraMemoryOutput
import TesseraNet
import TesseraPipelineFile
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraPipeline

/// Many items at once, and how a run ends before its time.
@Suite struct SchedulerTests {
  private static func lines(_ names: [String]) -> [String] {
    names.map { #"{"id":"\#($0)","url":"\#(RunInMemory.url($0))"}"# }
  }

  @Test func manyItemsAllEnd() async throws {
    let run = try RunInMemory()
    let names = (0..<1_200).map { "\($0)" }
    // More items than may be in flight, which share their bytes; a few have no source.
    for (index, name) in names.enumerated() where index % 50 != 7 {
      run.serve(name, .image(TinyImage.webp(40, 30, "\(index % 20)")))
    }
    let outcome = try await run.run(lines: Self.lines(names))
    #expect(outcome.items.count == names.count)
    for (index, item) in outcome.items.enumerated() {
      #expect(item == (index % 50 == 7 ? "\(index) failed http-status" : "\(index) ok"))
    }
    #expect(outcome.report.total == names.count)
    #expect(outcome.report.failed == 24)
    #expect(Set(outcome.requests).count == names.count)
    #expect(outcome.decodes.count == 20)
    #expect(outcome.requests.count == names.count)
    #expect(run.fetcher.held == 0)
  }

  /// Many images of a slow host wait, and another host's are requested meanwhile.
  @Test func aHostThatDoesNotAnswerHoldsUpNoOther() async throws {
    let run = try RunInMemory()
    run.fetcher.setBlocked()
    let names = (0..<3_000).map { "\($0)" }
    for name in names { run.serve(name, .silence) }
    let other = "https://other.example/a"
    run.fetcher[other] = .image(TinyImage.webp(300, 200))
    let lines = Self.lines(names) + [#"{"id":"other","url":"\#(other)"}"#]
    let task = Task { try await run.run(lines: lines).items }
    await run.fetcher.waitUntilHanging(3_000)
    var log: [String] = []
    for _ in 0..<10_000 where log.isEmpty {
      try await Task.sleep(for: .milliseconds(1))
      log = run.fetcher.takeLog()
    }
    #expect(log == [other + " 200"])
    #expect(run.fetcher.hanging == 3_000)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(run.fetcher.held == 0)
  }

  /// A full disk stops the run; requests in flight are then cancelled, and so are items that wait. The
  /// run's error is the disk's, each time.
  @Test(arguments: 0..<50) func theFirstErrorWins(_ repetition: Int) async throws {
    let run = try RunInMemory()
    run.output.setRoom(repetition % 6)
    let names = (0..<40).map { "\($0)" }
    for (index, name) in names.enumerated() {
      run.serve(
        name,
        index % 3 == repetition % 3 ? .silence : .image(TinyImage.webp(300, 200, "\(index % 4)")))
    }
    let error = await #expect(throws: SystemError.self) {
      try await run.run(lines: Self.lines(names))
    }
    #expect(error?.description == MemoryOutput.full.description)
    #expect(run.fetcher.held == 0)
  }

  @Test func aPageInTheManifestsPlaceIsAnError() async throws {
    let run = try RunInMemory()
    let error = await #expect(throws: TesseraError.self) {
      try await run.run(lines: ["<!DOCTYPE html>"])
    }
    #expect(error?.code == .manifest)
  }

  @Test(arguments: [90.0, 0]) func tooManyFailuresStopTheRun(_ limit: Double) async throws {
    var run = try RunInMemory()
    run.file.failAbove = limit
    let names = (0..<400).map { "\($0)" }
    for name in names.suffix(200) { run.serve(name, .silence) }
    let error = await #expect(throws: TesseraError.self) {
      try await run.run(lines: Self.lines(names))
    }
    #expect(error?.code == .tooManyFailures)
    let diagnosis = error?.cause ?? ""
    // More items may have failed by the time that the first of them stops the run.
    #expect(diagnosis.contains(" images failed, which is more than fail-above: \(Int(limit))% ("))
    #expect(diagnosis.contains(" http-status)"))
    #expect(run.fetcher.takeLog().count { $0.hasSuffix(" 404") } >= 100)
  }

  @Test func aLimitOfAHundredPercentNeverStopsTheRun() async throws {
    var run = try RunInMemory()
    run.file.failAbove = 100
    let outcome = try await run.run(lines: Self.lines((0..<400).map { "\($0)" }))
    #expect(outcome.report.errors == ["http-status": 400])
  }

  @Test(.faults(.w14), arguments: [1, 5, 40]) func cancellationEndsTheRun(_ count: Int) async throws
  {
    let run = try RunInMemory()
    let names = (0..<count).map { "\($0)" }
    for name in names { run.serve(name, .silence) }
    run.serve("good", .image(TinyImage.webp(300, 200)))
    let task = Task { try await run.run(lines: Self.lines(["good"] + names)).items }
    await run.fetcher.waitUntilHanging(count)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(run.fetcher.held == 0)
    // The next run finishes what this one began.
    for name in names { run.serve(name, .status(404)) }
    let outcome = try await run.run(["good": "good"])
    #expect(outcome.items == ["good ok"])
    #expect(outcome.requests.count <= 1)
  }

  @Test func aRunThatIsCancelledBeforeItBeginsRequestsNothing() async throws {
    let run = try RunInMemory()
    run.serve("a", .image(TinyImage.webp(300, 200)))
    let task = Task {
      // The task goes on when it has been cancelled.
      while !Task.isCancelled { await Task.yield() }
      return try await run.run(["a": "a"]).items
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(run.fetcher.takeLog() == [])
    #expect(try await run.run(["a": "a"]).items == ["a ok"])
  }

  /// The order in which requests begin is the fetcher's; the order of the lines is the manifest's.
  @Test func newestFirstKeepsTheCatalogsOrder() async throws {
    var run = try RunInMemory()
    run.file.fetch.order = .newestFirst
    for name in ["a", "b", "c"] { run.serve(name, .image(TinyImage.webp(300, 200, name))) }
    let outcome = try await run.run(["a": "a", "b": "b", "c": "c"])
    #expect(outcome.items == ["a ok", "b ok", "c ok"])
    #expect(outcome.decodes.count == 3)
  }

  @Test func oneLineOfAnIdCounts() async throws {
    let run = try RunInMemory()
    run.serve("a", .image(TinyImage.webp(300, 200)))
    let outcome = try await run.run(["a": "a", "a": "a", "a": "b"])
    #expect(outcome.items == ["a ok"])
    #expect(outcome.requests.count == 1)
    #expect(outcome.report.problems.map(\.line) == [3])
  }
}
