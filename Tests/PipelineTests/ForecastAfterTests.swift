import TesseraMemoryOutput
import TesseraNet
import TesseraSystem
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// What a look at the next run says after a run that did not do everything.
@Suite struct ForecastAfterTests {
  /// How a run leaves images as they were.
  enum Ending: CaseIterable {
    case named, oneHost, failedOnly, deadline, stopped, cancelled, lostImages, shrunk
  }

  private struct Silence: RunObserving {
    func began(_ progress: @escaping @Sendable () -> RunProgress) {}
    func happened(_ event: RunEvent) {}
  }

  /// The manifest has an image more and one whose line has changed than the last run of all.
  @Test(.takesSeconds, arguments: Ending.allCases, [true, false])
  func nothingIsGoneIfTheManifestIsAsBefore(_ ending: Ending, _ hasMark: Bool) async throws {
    var run = try ForecastTests.begun(hasMark: hasMark)
    let other = "https://other.example/o"
    let before = [#"{"id":"o","url":"\#(other)"}"#] + ForecastTests.lines(0..<120)
    for source in 80..<121 { ForecastTests.serve(run, source) }
    run.fetcher[other] = .image(TinyImage.webp(300, 200, "o"), etag: "\"1\"", freshFor: 86_400)
    _ = try await run.wholeRun(before)
    run.clock.set(day: 1.5)
    var lines = before + ForecastTests.lines(120..<121)
    lines[101] = ForecastTests.line("p100", 101)
    try await Self.end(ending, &run, lines)
    run.fetcher.setEnd(nil)
    let next = try await ForecastTests.forecast(run, lines)
    #expect((next.images, next.gone) == (122, 0))
    #expect(next.fresh + next.revalidated + next.fetched + next.copied == 122)
    let without = try await ForecastTests.forecast(run, Array(lines.dropFirst(7)))
    #expect((without.images, without.gone) == (115, 7))
  }

  private static func end(
    _ ending: Ending, _ run: inout RunInMemory, _ lines: [String]
  ) async throws {
    switch ending {
    case .named:
      _ = try await run.wholeRun(lines) { $0.selection = RunSelection(ids: ["p3", "p4"]) }
    case .oneHost:
      _ = try await run.wholeRun(lines) { $0.selection = RunSelection(host: "other.example") }
    case .failedOnly:
      _ = try await run.wholeRun(lines) { $0.selection = RunSelection(onlyFailed: true) }
    case .deadline:
      run.fetcher.setEnd(.now)
      run.file.lostAbove = 100
      _ = try await run.wholeRun(lines)
    case .stopped, .cancelled:
      for source in 20..<30 { run.serve("\(source)", .silence) }
      try await interrupt(run, lines, isStopped: ending == .stopped)
    case .lostImages:
      let served = (0..<121).map { run.fetcher[RunInMemory.url("\($0)")] }
      for source in 0..<100 { run.serve("\(source)", .status(410)) }
      await #expect(throws: TesseraError.self) { _ = try await run.wholeRun(lines) }
      for (source, answer) in served.enumerated() {
        run.fetcher[RunInMemory.url("\(source)")] = answer
      }
    case .shrunk:
      await #expect(throws: TesseraError.self) {
        _ = try await run.wholeRun(Array(lines.prefix(10)))
      }
    }
  }

  /// A run that ends while ten requests are in flight: as after Ctrl-C, or, as far as the state goes, after a kill.
  private static func interrupt(
    _ run: RunInMemory, _ lines: [String], isStopped: Bool
  ) async throws {
    try run.folder.write(lines.map { $0 + "\n" }.joined(), to: "manifest.jsonl")
    run.transcoder.open()
    run.fetcher.open()
    var options = RunOptions(workerPath: "")
    let stop = RunStop()
    options.stop = stop
    let held = try await HeldOutput(run.output, run.workspace, nil)
    let pipeline = Pipeline(run.file, .everything, options)
    let services = RunServices(
      clock: run.clock.wallClock, startFetcher: { _ in run.fetcher },
      startWorkers: { _ in run.transcoder })
    let task = Task { await pipeline.runHolding(held, services, Silence()) }
    await run.fetcher.waitUntilHanging(10)
    if isStopped { #expect(stop.request()) } else { task.cancel() }
    let result = await task.value
    #expect(throws: CancellationError.self) { try result.get() }
    await held.release()
  }

  // MARK: Requests

  /// Images that the deadline left no time for were requested once at most: nothing says that each needs all its retries.
  @Test func whatADeadlineLeftIsRequestedOnce() async throws {
    var run = try ForecastTests.begun()
    run.file.fetch.hosts = [HostSettings(host: "images.example", retries: 2)]
    run.file.lostAbove = 100
    let lines = ForecastTests.lines(0..<60)
    run.fetcher.setEnd(.now)
    let report = try await run.wholeRun(lines).report
    #expect(report.notReached == 60)
    run.fetcher.setEnd(nil)
    let next = try await ForecastTests.forecast(run, lines)
    #expect((next.retried, next.expected.requests, next.most.requests) == (60, 60, 60))
  }

  /// Images of a busy host fail with their first request if they are to wait for too long, or have all their attempts.
  @Test func aBusyHostMayBeAskedOnceForEach() async throws {
    var run = try ForecastTests.begun()
    run.file.fetch.hosts = [HostSettings(host: "images.example", retries: 2)]
    run.file.lostAbove = 100
    for source in 0..<10 {
      let status = source < 5 ? 429 : 500
      run.serve(
        "\(source)",
        .failure(
          FetchError(
            .httpStatus, "images.example answered \(status)", isRetryable: true, status: status)))
    }
    let lines = ForecastTests.lines(0..<20)
    _ = try await run.wholeRun(lines)
    let next = try await ForecastTests.forecast(run, lines)
    #expect((next.retried, next.expected.requests, next.most.requests) == (10, 20, 30))
  }

  /// Of a host that was given up, some images had all their attempts, and the others no request.
  @Test func whatAHostThatWasGivenUpWasNotAskedForIsNotRequested() async throws {
    var run = try ForecastTests.begun()
    run.file.fetch.hosts = [HostSettings(host: "images.example", retries: 2)]
    run.file.lostAbove = 100
    for source in 0..<10 {
      let waiting = source < 5 ? FetchError.givenUp : FetchError.timeLimit.message
      let end = source < 3 ? "" : "; \(waiting)"
      var error = FetchError(.network, "no connection" + end, isRetryable: true)
      error.isHostGivenUp = true
      run.serve("\(source)", .failure(error))
    }
    let lines = ForecastTests.lines(0..<20)
    _ = try await run.wholeRun(lines)
    let next = try await ForecastTests.forecast(run, lines)
    #expect((next.retried, next.expected.requests, next.most.requests) == (10, 9, 30))
  }

  // MARK: Files

  /// A file that is missing in the output is made again, under its name.
  @Test func aMissingFileIsNamedAgain() async throws {
    let run = try ForecastTests.begun()
    let lines = ForecastTests.lines(0..<20)
    _ = try await run.wholeRun(lines)
    let path = try #require(ForecastTests.files(run).min())
    run.output.delete(path)
    run.clock.set(day: 1.5)
    let next = try await ForecastTests.compare(run, lines, "a missing file", asLastTime: false)
    #expect((next.gone, next.expected.files) == (0, 1))
    #expect(try ForecastTests.files(run).contains(path))
  }

  // MARK: Guards

  /// What a guard would reject is said in its words, and the run is stopped with them.
  @Test func aRunThatAGuardWouldStopIsForeseen() async throws {
    let run = try ForecastTests.begun()
    for source in 80..<120 { ForecastTests.serve(run, source) }
    let lines = ForecastTests.lines(0..<120)
    _ = try await run.wholeRun(lines)
    #expect(try await ForecastTests.forecast(run, lines + ["{"]).stop == nil)
    for rejected in [Array(lines.prefix(40)), ["no list"]] {
      let stop = try await ForecastTests.forecast(run, rejected).stop
      let error = await #expect(throws: TesseraError.self) {
        _ = try await run.wholeRun(rejected)
      }
      #expect(stop != nil && stop == error?.description)
    }
    // A run of some images needs no others.
    let some = try await ForecastTests.forecast(
      run, Array(lines.prefix(40)), RunSelection(ids: ["p3"]))
    #expect(some.stop == nil)
  }

  // MARK: Time

  /// A host's rate bounds the time from below, as that of all requests does.
  @Test(arguments: [true, false]) func ratesAreWaitedFor(_ isOfHost: Bool) async throws {
    var run = try ForecastTests.begun()
    let lines = ForecastTests.lines(0..<60)
    _ = try await run.wholeRun(lines)
    run.clock.set(day: 1.5)
    let rate = RequestRate("1/s")
    if isOfHost {
      run.file.fetch.hosts = [HostSettings(host: "images.example", rate: rate)]
    } else {
      run.file.fetch.rate = rate
    }
    let others = [
      #"{"id":"o","url":"https://other.example/o"}"#, #"{"id":"d","url":"data:image/gif;base64,"}"#,
    ]
    let next = try await ForecastTests.forecast(run, lines + others)
    #expect(next.expected.requests == 61)
    let least = isOfHost ? 59.0 : 60
    for work in [next.expected, next.most] {
      let seconds = try #require(work.seconds)
      #expect((least..<least + 1.5).contains(seconds), "\(seconds)")
    }
  }
}
