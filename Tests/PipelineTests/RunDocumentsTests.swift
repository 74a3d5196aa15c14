import Synchronization
import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraManifest
import TesseraMemoryOutput
import TesseraNet
import TesseraState
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// What a whole run leaves besides its catalog, and what it says of what went before.
@Suite struct RunDocumentsTests {
  private let run: RunInMemory

  init() throws { run = try RunInMemory() }

  private static func line(_ id: String, _ rest: String = "") -> String {
    #"{"id":"\#(id)","url":"\#(RunInMemory.url(id))"\#(rest)}"#
  }

  private func serve(_ ids: String...) {
    for id in ids {
      run.serve(id, .image(TinyImage.webp(300, 200, id), etag: "\"\(id)\""))
    }
  }

  /// A whole run, also of a shard or for sizes only.
  private func whole(
    _ lines: [String], _ extent: RunExtent = .everything, file: PipelineFile? = nil,
    _ options: (inout RunOptions) -> Void = { _ in }
  ) async throws -> RunReport {
    run.fetcher.open()
    run.transcoder.open()
    try run.folder.write(lines.map { $0 + "\n" }.joined(), to: "manifest.jsonl")
    var choices = RunOptions(workerPath: "")
    options(&choices)
    let held = try await HeldOutput(run.output, run.workspace, choices.shard)
    let (fetcher, transcoder) = (run.fetcher, run.transcoder)
    struct Silence: RunObserving {
      func began(_ progress: @escaping @Sendable () -> RunProgress) {}
      func happened(_ event: RunEvent) {}
    }
    let result = await Pipeline(file ?? run.file, extent, choices).runHolding(
      held,
      RunServices(
        clock: run.clock.wallClock, startFetcher: { _ in fetcher },
        startWorkers: { _ in transcoder }), Silence())
    await held.release()
    return try result.get()
  }

  /// The warnings but the first, which is that the fake workers are not confined.
  private static func rest(_ warnings: [String]) -> [String] {
    #expect(warnings.first?.hasPrefix("this kernel can't confine a worker") == true)
    return Array(warnings.dropFirst())
  }

  private func error(_ body: () async throws -> RunReport) async -> String {
    do { return "\(try await body().counts)" } catch { return "\(error)" }
  }

  // MARK: Reports

  @Test func theReportHasWhatThePartsHaveCounted() async throws {
    serve("a", "b")
    let start = ContinuousClock.now
    let first = try await whole([Self.line("a"), Self.line("b")])
    let time = (ContinuousClock.now - start) / .seconds(1)
    let bytes = ["a", "b"].reduce(0) { $0 + TinyImage.webp(300, 200, $1).count }
    #expect((first.started, first.requests, first.notModified) == (FakeClock.start, 2, 0))
    #expect((first.bytesFetched, first.sourceBytes, first.decodes) == (bytes, bytes, 2))
    #expect(first.workers > 0 && first.peakMemory > 1_000_000)
    #expect(first.seconds > 0 && first.seconds <= time)
    #expect((first.isPublished, first.isIncomplete, first.before) == (true, false, nil))
    #expect(
      try run.output.text("run.json")
        == String(decoding: first.json(below: [run.file.output, "memory"]), as: UTF8.self))
    let second = try await whole([Self.line("a"), Self.line("b")])
    #expect((second.notModified, second.before, second.decodes) == (2, 2, 0))
    // What processes leave behind does not stay in the workspace.
    #expect(run.folder.files(below: "workspace").filter { $0.contains("spool/") } == [])
  }

  @Test func warningsDoNotShowWhereTheOutputIs() async throws {
    serve("a")
    let folder = run.folder.path("output")
    let file = {
      var file = run.file
      file.output = folder
      return file
    }()
    run.output.setUnwritable("run.json")
    let report = try await whole([Self.line("a")], file: file)
    #expect(report.isIncomplete && Self.rest(report.warnings).count == 1)
    run.output.setUnwritable(nil)
    _ = try await whole([Self.line("a")], file: file)
    #expect(try !run.output.text("run.json").contains(folder))
  }

  // MARK: Shards

  @Test func aShardLeavesItsResultAndItsReport() async throws {
    let ids = (0..<12).map { "\($0)" }
    let mine = ids.filter { Shard.index(of: $0, among: 2) == 1 }
    for id in ids { serve(id) }
    // The result of an earlier run must not be taken for this one's.
    try run.output.write("shards/2/1.jsonl", Array("old\n".utf8))
    let report = try await whole(ids.map { Self.line($0) }) { $0.shard = Shard(1, of: 2) }
    #expect(report.counts == ["ok": mine.count])
    let lines = try run.output.text("shards/2/1.jsonl").split(separator: "\n")
    let header = try #require(ShardHeader(line: Array(lines[0].utf8)))
    let manifest = try run.folder.text("manifest.jsonl")
    #expect((header.shard, header.shards, header.images) == (1, 2, mine.count))
    #expect((header.manifest, header.counts) == (SHA256.of(manifest), ["ok": mine.count]))
    let found = try lines.dropFirst().map { line in
      try JSONParser.parse(Array(line.utf8))["image"]?["id"]?.stringValue
    }
    #expect(found == mine)
    #expect(try run.output.text("shards/2/1.run.json").contains("\"schema\": \"tessera-run/1\""))
    #expect(!run.output.paths.contains("run.json") && !run.output.paths.contains("catalog.json"))
  }

  // MARK: Earlier runs

  @Test func aDamagedStateIsReplacedAndTheRunGoesOn() async throws {
    serve("a")
    try run.folder.write(
      String(repeating: "not a database ", count: 500), to: "workspace/state.sqlite")
    let report = try await whole([Self.line("a")])
    #expect(report.counts == ["ok": 1])
    #expect(report.started == FakeClock.start)
    // It was found out before any worker was started.
    #expect(report.warnings.count == 2)
    #expect(
      report.warnings[0].hasSuffix(
        "state.sqlite.damaged\", and everything is fetched again"))
    // The report is that of the whole run, and the next one has nothing to say.
    #expect(Self.rest(try await whole([Self.line("a")]).warnings) == [])
  }

  // MARK: Images that are lost

  /// The three most frequent errors, each with the first image that has it.
  @Test func theReasonsOfALossAreNamed() async throws {
    let ids = (0..<14).map { "\($0)" }
    for id in ids { serve(id) }
    let lines = ids.map { Self.line($0) }
    _ = try await whole(lines)
    for (index, code) in [
      FetchError.Code.httpStatus, .notFound, .badURL, .addressRejected, .notFound, .badURL,
      .httpStatus, .httpStatus, .addressRejected,
    ].enumerated() where code != .addressRejected || index < 8 {
      run.serve("\(index)", .failure(FetchError(code, "it is \(code)", status: 404)))
    }
    let message = await error { try await whole(lines) }
    #expect(
      message
        == "the new catalog would lose 8 of the 14 images that the current one shows, which is "
        + "more than lost-above: 20% (3 http-status, such as 0: It is httpStatus.; 2 bad-url, "
        + "such as 2: It is badURL.; 2 not-found, such as 1: It is notFound.); the last good "
        + "catalog stands, and what was learned is kept; if their origin is at fault, wait for it; "
        + "if the images are really gone, accept it with run --allow-loss"
    )
  }

  /// Sizes are all that a layout run learns, and the next run makes the files.
  @Test func aLayoutRunLosesNoImages() async throws {
    let ids = (0..<6).map { "\($0)" }
    for id in ids { serve(id) }
    let lines = ids.map { Self.line($0) }
    _ = try await whole(lines)
    for id in ids { run.serve(id, .image(TinyImage.webp(400, 200, id), etag: "\"new\"")) }
    #expect(try await whole(lines, .layout).counts == ["pending": 6])
    for id in ids { run.serve(id, .status(404)) }
    #expect(try await whole(lines, .layout) { $0.allowsLoss = true }.counts == ["failed": 6])
  }

  // MARK: Deadlines

  /// What the deadline leaves no time for fails, and is in the catalog with the rest.
  @Test func whatIsNotReachedFails() async throws {
    serve("a")
    run.fetcher.setEnd(.now - .seconds(1))
    let report = try await whole([Self.line("a")]) { $0.deadline = .seconds(100) }
    #expect((report.counts, report.notReached) == (["failed": 1], 1))
    #expect(try run.output.text("catalog.json").contains(#""code":"run-deadline""#))
  }
}
