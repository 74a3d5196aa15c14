import Foundation
import Synchronization
import TesseraManifest
import TesseraMemoryOutput
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraNet
@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraWorkers

/// What a run opens, and what it says of parts that it lacks.
@Suite struct RunSetupTests {
  private let run: RunInMemory
  private let recorder = RunRecorder()
  private let watch = Watch()
  private let workers = IdleWorkers()

  init() throws { run = try RunInMemory() }

  private func setup(
    _ change: (inout PipelineFile) -> Void = { _ in },
    options: (inout RunOptions) -> Void = { _ in }
  ) async throws -> RunSetup {
    var file = run.file
    // Within the memory of every machine that tests run on.
    (file.limits.memory, file.workers) = (1_000, 3)
    change(&file)
    var choices = RunOptions(workerPath: "/bin/worker")
    options(&choices)
    let (workers, watch) = (workers, watch)
    return RunSetup(
      file: file, options: choices, held: try await HeldOutput(run.output, run.workspace, nil),
      services: RunServices(
        clock: run.clock.wallClock,
        startFetcher: { settings throws(SystemError) in
          watch.fetching.withLock { $0 = settings }
          if settings.perHost == 13 { throw SystemError("open", "x", code: 2) }
          return ScriptedFetcher([])
        },
        startWorkers: { settings throws(TesseraError) in
          watch.started.withLock { $0 = settings }
          if settings.executable == "none" { throw TesseraError(.workers, "no worker") }
          return workers
        }), meter: ProgressMeter(recorder, watch))
  }

  // MARK: Workers

  @Test func workersAreStartedAsThePipelineSays() async throws {
    _ = try await setup { $0.limits.time = .seconds(7) }.startWorkers()
    let started = watch.started.withLock { $0 }
    let settings = try #require(started)
    #expect((settings.executable, settings.count, settings.memory) == ("/bin/worker", 3, 1_000))
    #expect(settings.time == .seconds(7))
    #expect(watch.events == [])
    settings.replaced("it crashed")
    #expect(watch.events == [#"workerReplaced(reason: "it crashed")"#])
    #expect(recorder.current.warnings == [])
    let error = await #expect(throws: TesseraError.self) {
      _ = try await setup(options: { $0.workerPath = "none" }).startWorkers()
    }
    #expect(error?.description == "no worker")
  }

  private static let gap =
    "this kernel can't confine a worker that an image has taken over: it could read this machine's "
    + "files (no Landlock)"

  @Test func aKernelThatCannotConfineWorkersIsAWarningOrAnError() async throws {
    workers.confinement.withLock { $0 = Confinement(landlock: 0, hasSeccomp: true) }
    _ = try await setup().startWorkers()
    #expect(recorder.current.warnings == [Self.gap])
    #expect(!workers.isClosed)
    let error = await #expect(throws: TesseraError.self) {
      _ = try await setup { $0.requiresSandbox = true }.startWorkers()
    }
    #expect(
      error?.description == Self.gap
        + ", and the pipeline has \"require-sandbox: true\"; use a kernel and a container "
        + "that offer both"
    )
    #expect(workers.isClosed)
    #expect(recorder.current.warnings.count == 1)
    workers.confinement.withLock { $0 = Confinement(landlock: 1, hasSeccomp: true) }
    _ = try await setup { $0.requiresSandbox = true }.startWorkers()
    #expect(recorder.current.warnings.count == 1)
  }

  /// A machine without an encoder makes no file of its format; what depends on the source, or is a service's, needs none.
  @Test func aFormatThatTheMachineLacksIsAnErrorWithItsPackage() async throws {
    workers.lacks.withLock { $0 = [.heic] }
    let hevc =
      "this machine's libheif has no encoder of HEVC, which Debian 13 has in the package libheif-plugin-x265; "
      + "Tessera's archive and its container image leave it out, because x265 is under the GPL"
    let changes: [(@Sendable (inout PipelineFile) -> Void, String?)] = [
      ({ $0.plan.formats = [.fixed(.webp), .fixed(.heic)] }, "\"variants.format: heic\": \(hevc)"),
      ({ $0.upgrade = Upgrade(format: .heic) }, "\"upgrade.format: heic\": \(hevc)"),
      ({ $0.plan.formats = [.source, .fixed(.avif)] }, nil),
      (
        {
          $0.plan.formats = [.fixed(.heic)]
          $0.delivery = ImageService()
        }, nil
      ),
    ]
    for (change, message) in changes {
      let setup = try await setup(change)
      do {
        _ = try await setup.startWorkers()
        #expect(message == nil)
      } catch {
        let error = TesseraError(error)
        #expect(error.description == message && error.code == .workers)
        #expect(workers.isClosed)
      }
    }
    workers.lacks.withLock { $0 = [] }
    _ = try await setup { $0.plan.formats = [.fixed(.heic)] }.startWorkers()
  }

  // MARK: Fetchers

  @Test func theFetcherEndsWithTheRun() async throws {
    let end = ContinuousClock.now
    _ = try await setup { $0.fetch.perHost = 5 }.startFetcher(end: end)
    let fetching = watch.fetching.withLock { $0 }
    let settings = try #require(fetching)
    #expect((settings.end, settings.perHost) == (end, 5))
    settings.hostSlowed("img.example", .status(503), .seconds(3))
    #expect(
      watch.events == [
        #"hostSlowed(host: "img.example", reason: "the server responded with status 503", "#
          + "pause: 3.0 seconds)"
      ])
    let error = await #expect(throws: SystemError.self) {
      _ = try await setup { $0.fetch.perHost = 13 }.startFetcher(end: nil)
    }
    #expect(error?.description == SystemError("open", "x", code: 2).description)
  }

  // MARK: Checks

  @Test func theLastRunGuardsTheNext() async throws {
    let first = try await setup().checks(run.state)
    #expect((first.0.shrinking == nil, first.0.owner != nil) == (true, true))
    #expect((first.0.allowsFailures, first.0.forgotten.isEmpty) == (false, true))
    #expect(recorder.current.before == nil)
    let number = try await run.state.beginRun(boot: "")
    try await run.state.endRun(number, .init(pipeline: run.file.name, items: 150))
    let second = try await setup { $0.shrinkAbove = 10 }.checks(run.state)
    #expect(second.0.shrinking?.reason(toRejectItems: 135) == nil)
    #expect(second.0.shrinking?.reason(toRejectItems: 134) != nil)
    #expect(second.0.shrinking?.reason(toRejectItems: 0) != nil)
    #expect(recorder.current.before == 150)
    let allowed = try await setup(options: {
      ($0.allowsShrink, $0.allowsLoss) = (true, true)
    }).checks(run.state)
    #expect((allowed.0.shrinking == nil, allowed.0.allowsFailures) == (true, true))
    // Another pipeline.
    await #expect(throws: TesseraError.self) {
      _ = try await setup { $0.name = "blog" }.checks(run.state)
    }
    _ = try await setup({ $0.name = "blog" }, options: { $0.takesOver = true }).checks(run.state)
  }

  /// A shard has few items, which it may lose.
  @Test func aShardMayLoseAFewItems() async throws {
    let number = try await run.state.beginRun(boot: "")
    try await run.state.endRun(number, .init(pipeline: run.file.name, items: 9))
    let whole = try await setup().checks(run.state).0
    #expect(whole.shrinking?.reason(toRejectItems: 0) != nil)
    let shard = try await setup(options: { $0.shard = RunOptions.shard("0/2") })
      .checks(run.state).0
    #expect(shard.shrinking?.reason(toRejectItems: 0) == nil)
  }

  @Test func forgottenImagesAreThoseOfTheOutput() async throws {
    var forgotten = ForgottenItems()
    forgotten.add(ids: ["a"], requests: [])
    try await forgotten.write(to: run.output, run.workspace)
    let checks = try await setup().checks(run.state).0
    #expect(checks.forgotten == forgotten)
  }

  // MARK: Recovery and cache

  @Test func lostFilesAreAWarning() async throws {
    let setup = try await setup()
    try await setup.recover(run.state, boot: "now")
    #expect(recorder.current.warnings == [])
    let number = try await run.state.beginRun(boot: "before")
    var change = StateStore.SourceChange()
    change.made = StateStore.Made(
      digest: "c", content: .example(),
      variants: [
        ("1", VariantRecord(path: "variants/x", width: 1, height: 1, bytes: 1, sha256: "s"))
      ],
      placeholder: ("p", Placeholders()), run: number)
    try await run.state.save(change, key: "k", url: "u")
    try await setup.recover(run.state, boot: "now")
    #expect(
      recorder.current.warnings == [
        "the machine stopped during an earlier run; 1 incomplete files will be regenerated"
      ])
  }

  @Test func withoutACacheARunGoesOn() async throws {
    #expect(try await setup().openCache() == nil)
    #expect(try await setup { $0.fetch.cache = 1_000 }.openCache() != nil)
    #expect(recorder.current.warnings == [])
    let path = run.folder.path("workspace/cache")
    try FileManager.default.removeItem(atPath: path)
    try run.folder.write("", to: "workspace/cache")
    #expect(try await setup { $0.fetch.cache = 1_000 }.openCache() == nil)
    #expect(recorder.current.warnings.count == 1)
    #expect(
      recorder.current.warnings[0].hasPrefix("no sources are cached (fetch.cache): could not "))
  }
}

/// Keeps what a run asks of its parts, and what it says.
private final class Watch: RunObserving {
  private let kept = Mutex<[String]>([])
  let started = Mutex<WorkerSettings?>(nil)
  let fetching = Mutex<FetchSettings?>(nil)

  var events: [String] { kept.withLock { $0 } }
  func began(_ progress: @escaping @Sendable () -> RunProgress) {}
  func happened(_ event: RunEvent) { kept.withLock { $0.append("\(event)") } }
}

/// Workers that have nothing to do.
private final class IdleWorkers: Transcoding {
  let confinement = Mutex(Confinement(landlock: 3, hasSeccomp: true))
  let lacks = Mutex<[OutputFormat]>([])
  private let closed = Mutex(false)
  var isClosed: Bool { closed.withLock { $0 } }

  var capabilities: WorkerCapabilities {
    WorkerCapabilities(
      libvips: "8.14.1", confinement: confinement.withLock { $0 }, lacks: lacks.withLock { $0 })
  }
  var statistics: WorkerStatistics { WorkerStatistics() }

  func perform(
    _ job: TranscodeJob, of source: JobSource, watch: JobWatch?
  ) async throws(TesseraError) -> TranscodeAnswer { .failed(.init(.cancelled, "")) }

  func perform(
    _ job: TableJob, of source: JobSource
  ) async throws(TesseraError) -> TableAnswer { .failed(.init(.cancelled, "")) }

  func expectLastJobs() {}
  func drain() {}
  func close() { closed.withLock { $0 = true } }
}
