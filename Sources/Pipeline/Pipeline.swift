internal import TesseraCatalog
package import TesseraFetch
internal import TesseraFiles
internal import TesseraManifest
internal import TesseraOutput
package import TesseraPipelineFile
internal import TesseraState
internal import TesseraWire
internal import TesseraWorkers

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
  private let workerPath: String
  private let observer: any RunObserving

  /// - Parameter workerPath: the path of `tessera-worker`.
  package init(_ file: PipelineFile, workerPath: String, observer: any RunObserving) {
    self.file = file
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
    let clock = ContinuousClock.now
    let output = DirectoryOutput(file.output)
    let lock = try PipelineError.wrap { try output.lock() }
    defer { withExtendedLifetime(lock) {} }
    try PipelineError.wrap { try output.clear() }
    // Opened first: a manifest that is not there is the commonest mistake.
    let manifest = try ManifestStream(file.manifest)
    let (state, warning) = try openState(output)
    if let warning {
      recorder.update { $0.warnings.append(warning) }
      observer.warn(warning)
    }
    let pool: WorkerPool
    do throws(WorkerStartError) {
      pool = try await WorkerPool.start(workerSettings)
    } catch {
      throw PipelineError.workers(error.description)
    }
    defer { pool.close() }
    let fetcher = try PipelineError.wrap {
      try Fetcher(file.fetch.fetchSettings)
    }
    defer { fetcher.close() }

    let run = try await state.beginRun()
    let libvips = pool.hello.libvips
    let runner = ItemRunner(
      file: file, run: run, libvips: libvips, state: state, output: output,
      fetch: ItemFetch(
        fetcher: fetcher, settings: file.fetch,
        limits: .init(accept: file.accept, pixels: file.limits.pixels), recorder: recorder),
      transcode: ItemTranscode(
        pool: pool, output: output, maximumPixels: file.limits.pixels,
        maximumFrames: file.limits.frames, recorder: recorder),
      recorder: recorder)
    // Cancelled or failed, the run drops what is on its way: tasks that wait for a transfer or a
    // worker then end at once.
    let stop = { @Sendable in
      pool.close()
      fetcher.close()
    }
    try await withTaskCancellationHandler {
      try await processAll(
        manifest, with: runner, state: state, run: run, recorder: recorder, stop: stop)
    } onCancel: {
      stop()
    }
    try Task.checkCancellation()

    let writer = CatalogWriter(file: file, libvips: libvips, state: state, output: output)
    do {
      try await writer.write(run: run)
      try await state.endRun(run)
      recorder.update { report in
        let seconds = clock.duration(to: .now).components
        report.seconds = Double(seconds.seconds) + Double(seconds.attoseconds) / 1e18
        report.take(fetcher.counts)
        report.workers = workerSettings.count
        report.workersReplaced = pool.statistics.replaced
        report.peakMemory = Host.peakMemory
      }
      try FileSystem.replace(
        FileSystem.join(file.output, "run.json"), with: recorder.current.json)
    } catch let error as SystemError {
      throw PipelineError.system(error)
    }
    return recorder.current
  }

  /// Sends every entry of the manifest on its way, so many at a time, and waits for the last.
  private func processAll(
    _ manifest: ManifestStream, with runner: ItemRunner, state: StateStore, run: Int,
    recorder: RunRecorder, stop: @escaping @Sendable () -> Void
  ) async throws {
    // Enough that all transfers and all workers have something to do, and that one slow host does
    // not hold up the others at once.
    let window = file.fetch.concurrency * 2 + workerSettings.count * 4
    try await withThrowingTaskGroup(of: Void.self) { group in
      var position = 0
      var underWay = 0
      while let record = try await manifest.next() {
        try Task.checkCancellation()
        switch record {
        case .problem(let problem): report(problem, recorder)
        case .entry(let raw):
          let entry = raw.shown(ignoring: file.fetch.ignoredQuery)
          let claim = try await state.claim(
            id: entry.id, run: run, position: position, line: entry.line, entry: entry.content)
          switch claim {
          case .repeated: continue
          case .conflict(let line):
            report(.conflict(entry, with: line), recorder)
            continue
          case .new: break
          }
          if underWay >= window {
            try await group.next()
            underWay -= 1
          }
          underWay += 1
          let place = position
          position += 1
          group.addTask {
            do {
              try await process(entry, at: place, with: runner, state: state, recorder: recorder)
            } catch {
              stop()
              throw error
            }
          }
        }
        observer.progress(
          RunProgress(recorder.current, started: position, manifest: manifest, isAllRead: false))
      }
      while try await group.next() != nil {
        observer.progress(
          RunProgress(recorder.current, started: position, manifest: manifest, isAllRead: true))
      }
    }
  }

  private func process(
    _ entry: ManifestEntry, at position: Int, with runner: ItemRunner, state: StateStore,
    recorder: RunRecorder
  ) async throws {
    let clock = ContinuousClock.now
    let image = try await runner.image(for: entry, position: position)
    let line = CatalogWriter.line(image, extra: entry.extra)
    try await state.finish(id: entry.id, result: line)
    let time = clock.duration(to: .now).components
    recorder.add(image, seconds: Double(time.seconds) + Double(time.attoseconds) / 1e18)
    if let error = image.error { observer.failed(image.id, error) }
  }

  private func report(_ problem: ManifestProblem, _ recorder: RunRecorder) {
    recorder.add(problem)
    observer.problem(problem)
  }

  /// Opens the state. A damaged one is set aside, and a new one begun: the catalog is then made
  /// anew from the sources.
  private func openState(
    _ output: DirectoryOutput
  ) throws(PipelineError) -> (StateStore, warning: String?) {
    let path = output.statePath
    do throws(StateError) {
      return (try StateStore(path: path), nil)
    } catch {
      guard error.kind == .corrupt else { throw .state(error) }
      let aside = "\(path).damaged"
      let store = try PipelineError.wrap {
        try FileSystem.rename(path, to: aside)
        for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) }
        return try StateStore(path: path)
      }
      return (store, "\(error); it was set aside as \"\(aside)\", and everything is fetched anew")
    }
  }

  private var workerSettings: WorkerSettings {
    WorkerSettings(
      executable: workerPath, count: file.workers ?? Host.processors, memory: file.limits.memory,
      time: file.limits.time)
  }
}

extension PipelineFile.Fetch {
  /// The settings as the fetcher takes them.
  package var fetchSettings: FetchSettings {
    FetchSettings(
      concurrency: concurrency, perHost: perHost, timeout: timeout, minimumSpeed: minimumSpeed,
      maximumBytes: maximumBytes, redirects: redirects, userAgent: userAgent,
      addresses: AddressPolicy(allow: allow))
  }
}

extension ManifestEntry {
  /// Where the id is the URL, it must not show what the URL must not.
  fileprivate func shown(ignoring parameters: [String]) -> ManifestEntry {
    guard id == SourceURL.withoutUserInfo(url) else { return self }
    var copy = self
    copy.id = SourceURL.shown(url, ignoring: parameters)
    return copy
  }
}

extension RunReport {
  fileprivate mutating func take(_ fetch: FetchStatistics) {
    requests = fetch.requests
    notModified = fetch.notModified
    bytesFetched = fetch.bytes
  }
}
