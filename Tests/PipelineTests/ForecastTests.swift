import Foundation
import TesseraJSON
import TesseraMemoryOutput
import TesseraNet
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// What a look at the next run says, beside what the run then does.
@Suite struct ForecastTests {
  static func line(_ id: String, _ source: Int) -> String {
    #"{"id":"\#(id)","url":"\#(RunInMemory.url("\(source)"))"}"#
  }

  static func lines(_ range: Range<Int>) -> [String] { range.map { line("p\($0)", $0) } }

  static func serve(_ run: RunInMemory, _ source: Int, tag: String = "1") {
    run.serve(
      "\(source)",
      .image(
        TinyImage.webp(200 + source, 150, "\(source) \(tag)"), etag: "\"\(tag)\"",
        freshFor: 86_400))
  }

  static func begun(hasMark: Bool = true) throws -> RunInMemory {
    let run = try RunInMemory()
    for source in 0..<80 { serve(run, source) }
    run.output.hasMark = hasMark
    return run
  }

  static func forecast(
    _ run: RunInMemory, _ lines: [String], _ selection: RunSelection? = nil
  ) async throws -> RunForecast {
    try run.folder.write(lines.map { $0 + "\n" }.joined(), to: "manifest.jsonl")
    var options = RunOptions(workerPath: "")
    options.selection = selection
    let before = (run.output.paths.sorted(), run.folder.files(below: "workspace").sorted())
    run.transcoder.open()
    _ = (run.fetcher.takeLog(), run.transcoder.takeDecodes())
    let services = RunServices(
      clock: run.clock.wallClock, startFetcher: { _ in run.fetcher },
      startWorkers: { _ in run.transcoder })
    let state = try StateStore(path: run.workspace.statePath())
    let found = try await Pipeline(run.file, .everything, options)
      .forecast(run.output, state, nil, RunHistory(), services)
    #expect(run.fetcher.takeLog() == [] && run.transcoder.takeDecodes() == [])
    #expect(run.output.paths.sorted() == before.0)
    #expect(
      run.folder.files(below: "workspace").filter { !$0.contains("state") }.sorted()
        == before.1.filter { !$0.contains("state") })
    return try #require(found)
  }

  static func files(_ run: RunInMemory) throws -> Set<String> {
    let catalog = try JSONParser.parse(Array(run.output.text("catalog.json").utf8))
    let formats = FileNames(run.file).formats
    let lines = (catalog["images"]?.arrayValue ?? []).map { CatalogLine($0) }
    return Set(lines.flatMap { $0.files(formats) ?? [] }.map(\.path))
  }

  /// Looks at the next run, runs, and compares.
  ///
  /// - Parameter asLastTime: whether origins answer as before, so that requests and files are exact.
  static func compare(
    _ run: RunInMemory, _ lines: [String], _ comment: Comment,
    _ selection: RunSelection? = nil, asLastTime: Bool = true
  ) async throws -> RunForecast {
    _ = (run.fetcher.takeLog(), run.transcoder.takeDecodes())
    let next = try await forecast(run, lines, selection)
    let report = try await run.wholeRun(lines) {
      $0.selection = selection
      $0.allowsShrink = true
    }.report
    let requests = run.fetcher.takeLog().count
    if asLastTime {
      #expect(requests == next.expected.requests, comment)
      #expect(report.variantsMade == next.expected.files, comment)
    }
    #expect((next.expected.requests...next.most.requests).contains(requests), comment)
    #expect((next.expected.files...next.most.files).contains(report.variantsMade), comment)
    #expect(next.images == report.total, comment)
    return next
  }

  /// The first line of an id counts, also if the other one is in a chunk that is copied.
  @Test func aRepeatedIDCountsOnce() async throws {
    let run = try Self.begun()
    _ = try await run.wholeRun(Self.lines(0..<60))
    let repeated = Self.lines(1..<60) + [Self.line("p5", 5)]
    var next = try await Self.compare(run, repeated, "the last line is that of p5")
    #expect((next.images, next.gone, next.problems, next.fresh) == (59, 1, 0, 59))
    next = try await Self.compare(run, repeated + [Self.line("p7", 9)], "two of p7")
    #expect((next.images, next.gone, next.problems, next.fresh) == (59, 0, 1, 59))
  }

  /// A state that takes the place of a damaged one knows how many images there were, and none of them.
  @Test func nothingIsGoneIfTheStateWasSetAside() async throws {
    let run = try Self.begun()
    _ = try await run.wholeRun(Self.lines(0..<60))
    let path = try run.workspace.statePath()
    let aside = try run.workspace.setStateAside()
    _ = try await StateStore.replace(
      after: StateError(kind: .corrupt, path: path, message: "it is odd"), by: path,
      aside: (aside, "aside"))
    let next = try await Self.forecast(run, Self.lines(0..<60))
    #expect((next.images, next.before, next.new, next.gone) == (60, 60, 60, 0))
  }

  @Test(.takesSeconds, arguments: [true, false]) func theForecastIsWhatTheRunDoes(_ hasMark: Bool)
    async throws
  {
    var run = try Self.begun(hasMark: hasMark)
    var lines = Self.lines(0..<60)
    _ = try await run.wholeRun(lines)
    var next = try await Self.compare(run, lines, "nothing has changed")
    #expect((next.images, next.fresh, next.before) == (60, 60, 60))
    #expect(next.expected.requests == 0 && next.most.files == 0 && next.disk.count == 120)

    lines.insert(contentsOf: Self.lines(60..<65), at: 20)
    next = try await Self.compare(run, lines, "5 new images")
    #expect((next.new, next.fetched, next.fresh, next.expected.files) == (5, 5, 60, 10))

    run.clock.set(day: 1.5)
    for source in [3, 30, 60] { Self.serve(run, source, tag: "2") }
    next = try await Self.compare(run, lines, "3 changed sources", asLastTime: false)
    #expect((next.revalidated, next.fresh, next.most.files) == (65, 0, 130))
    #expect((next.expected.requests, next.most.requests) == (65, 65))

    run.file.plan.slots.append(Slot("list", width: 30, height: nil))
    next = try await Self.compare(run, lines, "a new slot")
    #expect((next.fetched, next.expected.files, next.changed) == (65, 65, 0))

    lines.removeSubrange(40..<44)
    lines[0] = Self.line("renamed", 0)
    next = try await Self.compare(run, lines, "4 removed and one renamed")
    #expect((next.new, next.gone, next.expected.requests) == (1, 5, 0))

    // Another URL, two ids of one new source, two changed sources, one image that is gone, and the rest stale.
    run.clock.set(day: 3)
    lines[10] = Self.line("p10", 70)
    lines += [Self.line("n1", 71), Self.line("n2", 71)]
    lines.remove(at: 50)
    for source in [4, 5] { Self.serve(run, source, tag: "3") }
    next = try await Self.compare(run, lines, "a mix", asLastTime: false)
    #expect((next.new, next.changed, next.gone) == (2, 1, 1))
    lines.append(Self.line("n3", 72))
    run.serve("72", .status(404))
    _ = try await run.wholeRun(lines)
    // What failed is requested again, and fails as the last time.
    next = try await Self.compare(run, lines, "a failure")
    #expect((next.retried, next.expected.requests, next.expected.files) == (1, 1, 0))
    // An error that may pass is tried as often as the host's own settings say.
    lines[lines.count - 1] = Self.line("n4", 73)
    run.serve("73", .failure(FetchError(.network, "no connection", isRetryable: true)))
    _ = try await run.wholeRun(lines)
    _ = (run.fetcher.takeLog(), run.transcoder.takeDecodes())
    run.file.fetch.hosts = [HostSettings(host: "images.example", retries: 3)]
    let tried = try await Self.forecast(run, lines)
    #expect((tried.retried, tried.expected.requests) == (1, 4))
  }

  @Test func runsOfSomeImagesAreForeseen() async throws {
    let run = try Self.begun()
    let lines = Self.lines(0..<40)
    _ = try await run.wholeRun(lines)
    var next = try await Self.compare(
      run, lines + Self.lines(40..<42), "named", RunSelection(ids: ["p3", "p41"]))
    #expect((next.images, next.new, next.fresh, next.expected.requests) == (2, 1, 1, 1))
    // The images of such a run are not gone, and those that it has added are not new.
    _ = try await run.wholeRun(lines + Self.lines(40..<42)) {
      $0.selection = RunSelection(ids: ["p3", "p41"])
    }
    _ = (run.fetcher.takeLog(), run.transcoder.takeDecodes())
    let all = try await Self.forecast(run, Array((lines + Self.lines(40..<42)).dropFirst()))
    #expect((all.new, all.changed, all.gone) == (1, 0, 1))
    next = try await Self.compare(
      run, lines, "refreshed", RunSelection(ids: ["p3", "p4"], refreshes: true))
    #expect((next.fetched, next.expected.files, next.gone) == (2, 4, 0))
    await #expect(throws: TesseraError.self) {
      _ = try await Self.forecast(run, lines, RunSelection(ids: ["nobody"]))
    }
  }

  @Test func withoutARunNothingIsForeseen() async throws {
    let run = try Self.begun()
    let state = try StateStore(path: run.workspace.statePath())
    let services = RunServices(
      clock: run.clock.wallClock, startFetcher: { _ in run.fetcher },
      startWorkers: { _ in run.transcoder })
    #expect(
      try await Pipeline(run.file, .everything, RunOptions(workerPath: ""))
        .forecast(run.output, state, nil, RunHistory(), services) == nil)
  }

  // MARK: Time

  private static func pace(
    _ runs: [(requests: Int, files: Int, seconds: Double)],
    _ change: (inout PipelineFile.Fetch) -> Void = { _ in }
  ) throws -> RunPace {
    var history = RunHistory()
    for (time, run) in runs.enumerated() {
      var entry = HistoryEntry(.run, ended: Double(time), seconds: run.seconds, .done)
      entry.work = [.requests: run.requests, .encodes: run.files]
      history = history.adding(entry)
    }
    var settings = try RunInMemory().file.fetch
    change(&settings)
    return RunPace(history, settings)
  }

  private static func work(
    _ requests: Int, _ files: Int = 0, host: String? = nil
  ) -> RunForecast.Work {
    var work = RunForecast.Work()
    work.add(requests: requests, of: host)
    work.files = files
    return work
  }

  @Test func aRunTakesAsLongAsTheLastOnesForSuchWork() throws {
    let pace = try Self.pace([(100, 200, 50.5), (100, 0, 2.5), (0, 0, 0.5)])
    #expect(pace.seconds(of: Self.work(0)) == 0.5)
    #expect(pace.seconds(of: Self.work(300)) == 6.5)
    // Requests and files go on together.
    #expect(pace.seconds(of: Self.work(300, 4)) == 6.5)
    #expect(pace.seconds(of: Self.work(300, 40)) == 10.5)
    // Where all runs made files, requests take at most their time.
    #expect(try Self.pace([(100, 200, 50.3)]).seconds(of: Self.work(100)) == 50.3)
    // Nothing is said of work that no run has done.
    #expect(try Self.pace([(100, 0, 2)]).seconds(of: Self.work(100, 1)) == nil)
    #expect(try Self.pace([]).seconds(of: Self.work(1)) == nil)
  }

  /// Runs that waited for a dead host decide nothing, nor what was long ago.
  @Test func oneBadRunDecidesNothing() throws {
    let good = (0..<3).map { _ in (requests: 100, files: 0, seconds: 2.0) }
    let pace = try Self.pace([(0, 0, 0), (100, 0, 90)] + good + [(0, 0, 30), (0, 0, 0)])
    #expect(pace.seconds(of: Self.work(50)) == 1)
    let slow = (0..<20).map { _ in (requests: 100, files: 0, seconds: 60.0) }
    let fast = (0..<15).map { _ in (requests: 100, files: 0, seconds: 1.3) }
    #expect(abs((try Self.pace(slow + fast).seconds(of: Self.work(100)) ?? 0) - 1.3) < 1e-9)
  }

  /// A rate takes its time, whatever the requests take: of all requests, or of those of one host.
  @Test func aRateIsWaitedFor() throws {
    let runs = [(requests: 300, files: 300, seconds: 3.0), (0, 0, 0)]
    var work = Self.work(200, host: "slow.example")
    work.add(requests: 100, of: nil)
    #expect(try Self.pace(runs).seconds(of: work) == 3)
    let slow = HostSettings(host: "slow.example", rate: RequestRate("1/s"))
    #expect(try Self.pace(runs) { $0.hosts = [slow] }.seconds(of: work) == 199)
    let pace = try Self.pace(runs) { ($0.hosts, $0.rate) = ([slow], RequestRate("30/m")) }
    #expect(pace.seconds(of: work) == 598)
    // The first request waits for none.
    #expect((pace.seconds(of: Self.work(1)) ?? 9) < 1)
  }
}
