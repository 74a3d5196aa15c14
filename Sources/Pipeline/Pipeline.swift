internal import TesseraCatalog
package import TesseraFetch
internal import TesseraManifest
internal import TesseraOutput
package import TesseraPipelineFile
internal import TesseraProbe
internal import TesseraState
internal import TesseraSystem
internal import TesseraWire
internal import TesseraWorkers

/// How far a run goes.
package enum RunExtent: Sendable {
  case everything
  /// Sizes alone, from the first bytes of each source; nothing is transcoded.
  case layout
}

/// A run of a pipeline, from the manifest to the catalog:
///
///     manifest ──> item ──> item ──> …                                    ManifestStream
///                   │ state: is it fresh? ── yes ──────────────┐          StateStore
///                   │ no                                       │
///                   │ one GET ──> header ──> plan              │          Fetcher, ImageHeader, Plan
///                   │                │                         │
///                   │              spool, digest               │          Intake
///                   │                │ known bytes? ── yes ────┤
///                   │                │ no                      │
///                   │              worker: one decode,         │          WorkerPool
///                   │                all files, staged         │
///                   │              rename into place           │          DirectoryOutput
///                   │                │                         │
///                   └──────────────> state <───────────────────┘          StateStore
///                                    │ when all items are done
///                                  catalog.json, run.json                 CatalogWriter
///
/// Many items are on their way at once, so that network and processors are busy together; how many
/// is bounded, so memory does not grow with the manifest.
package struct Pipeline: Sendable {
  private let file: PipelineFile
  private let extent: RunExtent
  private let workerPath: String
  private let observer: any RunObserving
  private let deadline: Duration?
  private let retriesFailed: Bool

  /// - Parameters:
  ///   - workerPath: the path of `tessera-worker`.
  ///   - deadline: how long the run may fetch and transcode. What is not done then fails, or stays stale, and
  ///     is in the catalog with the rest.
  ///   - retriesFailed: whether only what failed, is stale or new is asked for.
  package init(
    _ file: PipelineFile, _ extent: RunExtent = .everything, workerPath: String,
    deadline: Duration? = nil, retriesFailed: Bool = false, observer: any RunObserving
  ) {
    self.deadline = deadline
    self.retriesFailed = retriesFailed
    self.file = file
    self.extent = extent
    self.workerPath = workerPath
    self.observer = observer
  }

  /// Runs the pipeline to its end.
  ///
  /// - Throws: ``PipelineError`` where the run as a whole could not go on, or `CancellationError`.
  ///   The last good catalog then stands, and what was done is kept for the next run.
  package func run() async throws -> RunReport {
    let recorder = RunRecorder()
    recorder.update { $0.started = Host.now }
    let output = DirectoryOutput(file.output)
    let lock = try PipelineError.wrap { try output.lock() }
    defer { withExtendedLifetime(lock) {} }
    try PipelineError.wrap { try output.clear() }
    // Whatever workers have left behind, at the end of a run nothing is under way.
    defer { try? output.clear() }
    do {
      return try await run(output, recorder)
    } catch let error as StateError where error.kind == .corrupt {
      // The catalog is then made anew from the sources, unless these can't be read a second time.
      guard file.manifest != .standardInput else { throw PipelineError.state(error) }
      let warning = try await Recovery(output: output).setAside(error)
      let second = RunRecorder()
      second.update { report in
        report.started = recorder.current.started
        report.warnings.append(warning)
      }
      observer.warn(warning)
      return try await run(output, second)
    } catch {
      throw error is CancellationError ? error : PipelineError(error)
    }
  }

  /// A run on an output that is ours.
  private func run(_ output: DirectoryOutput, _ recorder: RunRecorder) async throws -> RunReport {
    let clock = ContinuousClock.now
    // Opened first: a manifest that is not there is the commonest mistake.
    let end = deadline.map { clock.advanced(by: $0) }
    let manifest = try await ManifestStream.open(file, in: output.spoolDirectory, end: end)
    let state = try StateStore(path: output.statePath)
    let pool: WorkerPool
    do throws(WorkerStartError) {
      pool = try await WorkerPool.start(workerSettings(output))
    } catch {
      throw PipelineError.workers(error.description)
    }
    defer { pool.close() }
    var settings = file.fetch.fetchSettings
    settings.end = end
    let fetcher = try PipelineError.wrap { try Fetcher(settings) }
    defer { fetcher.close() }
    // At the run's deadline transfers end at once, and workers after a little grace.
    let closing = settings.end.map { end in
      Task {
        try await Task.sleep(until: end.advanced(by: Self.grace))
        pool.close()
      }
    }
    defer { closing?.cancel() }

    let boot = Host.bootIdentifier
    let lost = try await Recovery(output: output).removeUnwritten(state, boot: boot)
    if lost > 0 {
      let warning =
        "the machine stopped during an earlier run: \(lost) of its files had not reached the disk, and are made "
        + "anew where they are needed"
      recorder.update { $0.warnings.append(warning) }
      observer.warn(warning)
    }
    let run = try await state.beginRun(boot: boot)
    let libvips = pool.hello.libvips
    let memory = ItemMemory(
      file: file, run: run, libvips: libvips, state: state, output: output, recorder: recorder,
      retriesFailed: retriesFailed)
    let cache = openCache(output, recorder)
    let sources = KeyedQueue()
    let copies = RunCopies(of: sources, in: output)
    let runner = runner(memory, fetcher, pool, cache, copies)
    // Cancelled or failed, the run drops what is on its way: tasks that wait for a transfer or a
    // worker then end at once.
    let stopManifest = manifest.stopper()
    let stop = { @Sendable in
      pool.close()
      fetcher.close()
      stopManifest()
    }
    let standing = extent == .everything ? StandingItems(memory) : nil
    let items = ItemFlow(
      runner: runner, memory: memory, sources: sources, copies: copies, standing: standing,
      fetcher: fetcher, observer: observer, stop: stop)
    var count = 0
    do {
      count = try await withTaskCancellationHandler {
        try await processAll(manifest, through: items, standing, memory)
      } onCancel: {
        stop()
      }
      try Task.checkCancellation()
    } catch {
      // What was done is kept, as far as the state can still be written.
      try? await state.commit()
      throw error
    }

    let writer = CatalogWriter(file: file, libvips: libvips, state: state, output: output)
    try await state.commit()
    try await writer.write(run: run, count: count)
    try await state.endRun(run)
    recorder.update { report in
      report.seconds = clock.duration(to: .now).inSeconds
      report.take(fetcher.counts)
      report.workers = workerSettings(output).count
      report.workersReplaced = pool.statistics.replaced
      report.peakMemory = Host.peakMemory
    }
    try FileSystem.replace(FileSystem.join(file.output, "run.json"), with: recorder.current.json)
    return recorder.current
  }

  /// A cache that can't be used is no reason to make nothing.
  private func openCache(_ output: DirectoryOutput, _ recorder: RunRecorder) -> SourceCache? {
    guard let limit = file.fetch.cache else { return nil }
    do throws(SystemError) {
      return try SourceCache(output.cacheDirectory, limit: limit)
    } catch {
      let warning = "no sources are kept (fetch.cache): \(error)"
      recorder.update { $0.warnings.append(warning) }
      observer.warn(warning)
      return nil
    }
  }

  /// For the pictures that are being made when the run's deadline comes.
  private static let grace = Duration.seconds(1)

  private func runner(
    _ memory: ItemMemory, _ fetcher: Fetcher, _ pool: WorkerPool, _ cache: SourceCache?,
    _ copies: RunCopies
  ) -> any ItemRunning {
    let limits = Intake.Limits(accept: file.accept, pixels: file.limits.pixels)
    let recorder = memory.recorder
    switch extent {
    case .everything:
      return ItemRunner(
        memory: memory,
        fetch: ItemFetch(
          fetcher: fetcher, settings: file.fetch, limits: limits, recorder: recorder),
        cache: cache, copies: copies,
        transcode: ItemTranscode(
          pool: pool, output: memory.output, maximumPixels: file.limits.pixels,
          maximumFrames: file.limits.frames, failOn: file.failOn, recorder: recorder,
          runEnd: fetcher.end))
    case .layout:
      return LayoutRunner(
        memory: memory,
        fetch: HeaderFetch(
          fetcher: fetcher, headers: file.fetch.headers.map { ($0.name, $0.value) },
          policy: .init(retries: file.fetch.retries, deadline: file.fetch.deadline),
          maximumBytes: file.fetch.maximumBytes,
          didRetry: { recorder.update { $0.retries += 1 } }),
        limits: limits)
    }
  }

  /// Sends every entry of the manifest on its way, so many at a time, and waits for the last. Returns how many there
  /// were.
  private func processAll(
    _ manifest: ManifestStream, through items: ItemFlow, _ standing: StandingItems?,
    _ memory: ItemMemory
  ) async throws -> Int {
    let recorder = memory.recorder
    var entries = EntryStream(
      manifest, ledger: memory.state, run: memory.run, standing: standing)
    try await withThrowingDiscardingTaskGroup { group in
      var started = 0
      func progress(isAllRead: Bool) {
        observer.progress(
          RunProgress(
            recorder.current, started: started, manifest: manifest, isAllRead: isAllRead))
      }
      var backwards: NewestFirst?
      if file.fetch.order == .newestFirst {
        backwards = try NewestFirst(in: memory.output.spoolDirectory)
      }
      while true {
        items.beginVerdicts()
        guard let batch = try await entries.next() else { break }
        for record in batch {
          try Task.checkCancellation()
          switch record {
          case .repeated: break
          case .problem(let problem): report(problem, recorder)
          case .entry(_, _, let verdict?) where items.stands(verdict):
            started += 1
            progress(isAllRead: false)
          case .entry(let entry, let position, _):
            if backwards != nil {
              try backwards?.add(entry, position: position)
            } else {
              try await items.start(entry, position, in: &group)
              // The error is told when all have ended.
              if group.isCancelled { return }
              started += 1
              progress(isAllRead: false)
            }
          }
        }
      }
      items.endVerdicts()
      // A list without one good line is no list: a page in its place, a damaged file.
      if entries.count == 0, let problem = entries.firstProblem {
        throw PipelineError.manifest(
          path: manifest.path,
          reason: "not one line of it can be used; line \(problem.line): \(problem.message)")
      }
      while let (entry, position) = try backwards?.next() {
        try Task.checkCancellation()
        try await items.start(entry, position, in: &group)
        if group.isCancelled { return }
        started += 1
        progress(isAllRead: true)
      }
      while items.isBusy, !group.isCancelled {
        progress(isAllRead: true)
        try await Task.sleep(for: .milliseconds(20))
      }
      progress(isAllRead: true)
    }
    return entries.count
  }

  private func report(_ problem: ManifestProblem, _ recorder: RunRecorder) {
    recorder.add(problem)
    observer.problem(problem)
  }

  private func workerSettings(_ output: DirectoryOutput) -> WorkerSettings {
    WorkerSettings(
      executable: workerPath, count: file.workers ?? Host.processors, memory: file.limits.memory,
      time: file.limits.time, sources: output.spoolDirectory, results: output.stagingDirectory)
  }
}

extension PipelineFile.Fetch {
  /// The settings as the fetcher takes them.
  package var fetchSettings: FetchSettings {
    var settings = FetchSettings(
      concurrency: concurrency, perHost: perHost, timeout: timeout, minimumSpeed: minimumSpeed,
      maximumBytes: maximumBytes, redirects: redirects, userAgent: userAgent,
      addresses: AddressPolicy(allow: allow))
    settings.patience = deadline
    settings.folders = folders
    settings.takeEnvironment()
    return settings
  }
}

extension RunReport {
  fileprivate mutating func take(_ fetch: FetchStatistics) {
    requests = fetch.requests
    notModified = fetch.notModified
    bytesFetched = fetch.bytes
  }
}
