internal import TesseraCatalog
package import TesseraFetch
internal import TesseraFiles
internal import TesseraManifest
internal import TesseraOutput
package import TesseraPipelineFile
internal import TesseraState
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

  /// - Parameter workerPath: the path of `tessera-worker`.
  package init(
    _ file: PipelineFile, _ extent: RunExtent = .everything, workerPath: String,
    observer: any RunObserving
  ) {
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
    do {
      return try await run(output, recorder)
    } catch let error as StateError where error.kind == .corrupt {
      // The catalog is then made anew from the sources, unless these can't be read a second time.
      guard file.manifest != .standardInput else { throw PipelineError.state(error) }
      let warning = try setAside(output, error)
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
    let manifest = try await ManifestStream.open(file, in: output.spoolDirectory)
    let state = try StateStore(path: output.statePath)
    let pool: WorkerPool
    do throws(WorkerStartError) {
      pool = try await WorkerPool.start(workerSettings(output))
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
    let memory = ItemMemory(
      file: file, run: run, libvips: libvips, state: state, output: output, recorder: recorder)
    let runner = runner(memory, fetcher, pool)
    // Cancelled or failed, the run drops what is on its way: tasks that wait for a transfer or a
    // worker then end at once.
    let stopManifest = manifest.stopper()
    let stop = { @Sendable in
      pool.close()
      fetcher.close()
      stopManifest()
    }
    do {
      try await withTaskCancellationHandler {
        try await processAll(
          manifest, with: runner, state: state, run: run, recorder: recorder, stop: stop)
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
    try await writer.write(run: run)
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

  private func runner(
    _ memory: ItemMemory, _ fetcher: Fetcher, _ pool: WorkerPool
  ) -> any ItemRunning {
    let limits = Intake.Limits(accept: file.accept, pixels: file.limits.pixels)
    let recorder = memory.recorder
    switch extent {
    case .everything:
      return ItemRunner(
        memory: memory,
        fetch: ItemFetch(
          fetcher: fetcher, settings: file.fetch, limits: limits, recorder: recorder),
        transcode: ItemTranscode(
          pool: pool, output: memory.output, maximumPixels: file.limits.pixels,
          maximumFrames: file.limits.frames, failOn: file.failOn, recorder: recorder))
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

  /// Sends every entry of the manifest on its way, so many at a time, and waits for the last.
  private func processAll(
    _ manifest: ManifestStream, with runner: any ItemRunning, state: StateStore, run: Int,
    recorder: RunRecorder, stop: @escaping @Sendable () -> Void
  ) async throws {
    // Enough that all transfers and all workers have something to do, and that a slow host, whose
    // items wait here for their turn, does not hold up the others at once.
    let window = max(1_000, file.fetch.concurrency * 4)
    // One task at a time for each URL, in the order of the manifest.
    let sources = KeyedQueue<FetchError>()
    var entries = EntryStream(manifest, ledger: state, run: run)
    try await withThrowingTaskGroup(of: Void.self) { group in
      var underWay = 0
      while let batch = try await entries.next() {
        for record in batch {
          try Task.checkCancellation()
          guard case .entry(let entry, let position) = record else {
            if case .problem(let problem) = record { report(problem, recorder) }
            continue
          }
          if underWay >= window {
            try await group.next()
            underWay -= 1
          }
          underWay += 1
          let turn = sources.place(file.sourceKey(for: entry))
          group.addTask {
            do {
              try await sources.work(turn) { failure in
                let clock = ContinuousClock.now
                let (image, finding) = try await runner.image(
                  for: entry, position: position, failure: failure)
                try await finish(image, of: entry, since: clock, state, recorder)
                return ((), finding)
              }
            } catch {
              stop()
              throw error
            }
          }
          observer.progress(
            RunProgress(
              recorder.current, started: position + 1, manifest: manifest, isAllRead: false))
        }
      }
      // A list without one good line is no list: a page in its place, a damaged file.
      if entries.count == 0, let problem = entries.firstProblem {
        throw PipelineError.manifest(
          path: manifest.path,
          reason: "not one line of it can be used; line \(problem.line): \(problem.message)")
      }
      while try await group.next() != nil {
        observer.progress(
          RunProgress(recorder.current, started: entries.count, manifest: manifest, isAllRead: true)
        )
      }
    }
  }

  private func finish(
    _ image: CatalogImage, of entry: ManifestEntry, since start: ContinuousClock.Instant,
    _ state: StateStore, _ recorder: RunRecorder
  ) async throws {
    let line = CatalogWriter.line(image, extra: entry.extra)
    try await state.finish(id: entry.id, result: line)
    recorder.add(image, seconds: start.duration(to: .now).inSeconds)
    if let error = image.error { observer.failed(image.id, error) }
  }

  private func report(_ problem: ManifestProblem, _ recorder: RunRecorder) {
    recorder.add(problem)
    observer.problem(problem)
  }

  /// Moves a damaged state out of the way and says so.
  private func setAside(
    _ output: DirectoryOutput, _ error: StateError
  ) throws(PipelineError) -> String {
    let aside = "\(output.statePath).damaged"
    try PipelineError.wrap {
      try FileSystem.rename(output.statePath, to: aside)
      for suffix in ["-wal", "-shm"] { try FileSystem.remove(output.statePath + suffix) }
    }
    return "\(error); it was set aside as \"\(aside)\", and everything is fetched anew"
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
    return settings
  }
}

extension Duration {
  fileprivate var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

extension RunReport {
  fileprivate mutating func take(_ fetch: FetchStatistics) {
    requests = fetch.requests
    notModified = fetch.notModified
    bytesFetched = fetch.bytes
  }
}
