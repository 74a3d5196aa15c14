import Foundation
import TesseraFetch
import TesseraJSON
import TesseraMemoryOutput
import TesseraPlan
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
      .forecast(run.output, state, nil, services)
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
    let before = try files(run)
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
    if asLastTime {
      #expect(try before.subtracting(files(run)).count == next.dropped.count, comment)
    }
    return next
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
    #expect((next.new, next.gone, next.dropped.count, next.expected.requests) == (1, 5, 12, 0))

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
    await #expect(throws: PipelineError.self) {
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
        .forecast(run.output, state, nil, services) == nil)
  }

  // MARK: Costs

  @Test func timesAreFitted() {
    var sums = CostSums()
    for (x, y) in [(1.0, 2.0), (3, 1), (8, 2), (2, 5)] { sums.add(0.5 * x + 0.25 * y, x: x, y: y) }
    let rates = sums.rates(usual: (1, 1))
    #expect(abs(rates.x - 0.5) < 1e-9 && abs(rates.y - 0.25) < 1e-9)
    // Where all samples are alike, the usual proportion decides.
    var alike = CostSums()
    for _ in 0..<5 { alike.add(6, x: 2, y: 1) }
    #expect(alike.rates(usual: (1, 4)) == (1, 4))
    #expect(CostSums().rates(usual: (2, 3)) == (2, 3))
    #expect(CostSums(stored: sums.stored) == sums && CostSums(stored: "[1]") == nil)
    // After many samples, those of a new machine count soon.
    var old = CostSums()
    for _ in 0..<10_000 { old.add(1, x: 1) }
    var new = CostSums()
    for _ in 0..<500 { new.add(3, x: 1) }
    old.add(later: new)
    #expect(old.mean(\.seconds) == 2)
  }

  /// A rate takes its time, whatever the requests take: of all requests, or of those of one host.
  @Test func aRateIsWaitedFor() throws {
    var file = try RunInMemory().file
    var work = RunForecast.Work()
    (work.requests, work.paced) = (300, ["slow.example": 200])
    (work.fetchSeconds, work.jobSeconds) = (3, 2)
    #expect(RunCosts([:], file, workers: 2).seconds(of: work) < 5)
    file.fetch.hosts = [HostSettings(host: "slow.example", rate: RequestRate("1/s"))]
    #expect(RunCosts([:], file, workers: 2).seconds(of: work).rounded(.down) == 199)
    file.fetch.rate = RequestRate("30/m")
    #expect(RunCosts([:], file, workers: 2).seconds(of: work).rounded(.down) == 598)
    // The first request waits for none.
    (work.requests, work.paced) = (1, [:])
    #expect(RunCosts([:], file, workers: 2).seconds(of: work) < 5)
  }

  // MARK: Runs

  private static func work(_ requests: Int, fetching: Double) -> RunForecast.Work {
    var work = RunForecast.Work()
    (work.requests, work.fetchSeconds) = (requests, fetching)
    return work
  }

  /// A run that has waited for a dead host costs the next one nothing, unless it requests again what failed.
  @Test func theWaitsOfOneRunAreNoCostOfTheNext() throws {
    let file = try RunInMemory().file
    let waited = RunTime(.waited, seconds: 60, work: 0.4)
    var costs = RunCosts([:], runs: [waited], file, workers: 2)
    #expect(costs.seconds(of: Self.work(0, fetching: 0), waits: true) < 0.5)
    #expect(costs.seconds(of: Self.work(50, fetching: 16)) < 2)
    #expect((59..<61).contains(costs.seconds(of: Self.work(50, fetching: 1.6), waits: true)))
    // One of several runs decides nothing, whichever it is.
    let idle = (0..<3).map { RunTime(.idle, seconds: 0.1 * Double($0), work: 0) }
    let busy = (1...3).map { RunTime(.busy, seconds: 0.1 + 2 * Double($0), work: Double($0)) }
    let bad = [RunTime(.idle, seconds: 30, work: 0), RunTime(.busy, seconds: 90, work: 0.5)]
    costs = RunCosts([:], runs: idle + busy + bad, file, workers: 2)
    #expect(costs.seconds(of: Self.work(0, fetching: 0)) < 0.2)
    #expect((2..<2.6).contains(costs.seconds(of: Self.work(50, fetching: 16))))
  }
}
