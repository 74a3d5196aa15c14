internal import Synchronization
internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWorkers

/// One run on an output that this process has locked: opens the parts, runs the items, and writes the
/// documents.
struct RunSession: Sendable {
  let file: PipelineFile
  let extent: RunExtent
  let options: RunOptions
  let held: HeldOutput
  let services: RunServices
  let recorder = RunRecorder()
  let meter: ProgressMeter
  let observer: any RunObserving
  private let shardParent = ShardParent()

  /// For images that are being decoded when the run's deadline passes.
  private static let grace = Duration.seconds(1)

  var setup: RunSetup {
    RunSetup(file: file, options: options, held: held, services: services, meter: meter)
  }
  var output: any Output { held.output }
  var workspace: Workspace { held.workspace }

  init(
    _ pipeline: Pipeline, _ held: HeldOutput, _ services: RunServices,
    _ observer: any RunObserving
  ) {
    file = pipeline.file
    extent = pipeline.extent
    options = pipeline.options
    self.held = held
    self.services = services
    self.observer = observer
    meter = ProgressMeter(recorder, observer)
    let now = services.clock.now()
    recorder.update { $0.started = now }
  }

  /// Whether the catalog has been replaced.
  var isPublished: Bool { recorder.current.isPublished }

  /// The report of a run whose catalog was replaced, and that could not do the rest.
  func report(after error: any Error) -> RunReport {
    meter.warn(
      "the catalog was written, but the run could not be completed: \(TesseraError(error))")
    recorder.update { $0.isIncomplete = true }
    return recorder.current
  }

  func prepare() async throws {
    try await held.prepare()
    guard let shard = options.shard else { return }
    let path = ShardHeader.path(shard.index, of: shard.count)
    shardParent.document.withLock { [document = try await output.open(path, workspace)] in
      $0 = document
    }
    // A result of an earlier run must not be taken for this one's, whatever happens to it.
    try await output.delete(path)
  }

  /// The last result of the shard, once it is deleted.
  final class ShardParent: Sendable {
    let document = Mutex<OpenDocument?>(nil)
  }

  /// Moves a damaged state out of the way. The session that is returned begins with an empty one.
  func afterSettingAside(_ error: StateError) async throws -> RunSession {
    let warning = try await Recovery(held).setAside(error)
    let next = RunSession(Pipeline(file, extent, options), held, services, observer)
    let started = recorder.current.started
    next.recorder.update { $0.started = started }
    next.meter.warn(warning)
    return next
  }

  func run() async throws -> RunReport {
    let begun = ContinuousClock.now
    let end = options.deadline.map { begun.advanced(by: $0) }
    let state = try StateStore(path: workspace.statePath())
    return try await held.keepingState(
      copy: { try await state.copy(to: $0) },
      work: {
        let report = try await run(state, since: begun, end: end)
        await countOutput(state)
        return report
      })
  }

  private func run(
    _ state: StateStore, since begun: ContinuousClock.Instant, end: ContinuousClock.Instant?
  ) async throws -> RunReport {
    // The manifest first: one that does not exist is the most common mistake.
    let manifest = try await ManifestStream.open(
      file, in: workspace.spoolDirectory, end: end, needsDigest: extent == .everything)
    let (checks, owner) = try await setup.checks(state)
    try await setup.takeOut(checks.forgotten, of: state)
    return try await beginning(state, manifest, checks, owner) { beginning in
      try await run(beginning, since: begun, end: end)
    }
  }

  /// What a run, or a look at the next one, begins with.
  struct Beginning {
    let state: StateStore
    let manifest: ManifestStream
    let checks: RunChecks
    let owner: OutputOwner
    let pool: any Transcoding
    /// See ``Fingerprint/run(_:_:without:memory:libvips:)``.
    let settings: String
    /// How the last run ended, if the output is as it was then.
    let last: LastEnd?
    /// All of the manifest, if nothing has changed since.
    let unchanged: Chunk?
  }

  func beginning<Value>(
    _ state: StateStore, _ manifest: ManifestStream, _ checks: RunChecks, _ owner: OutputOwner,
    _ work: (Beginning) async throws -> Value
  ) async throws -> Value {
    // Before any image is requested: if no worker can start, nothing is fetched.
    let pool = try await setup.startWorkers()
    defer { pool.close() }
    let settings = Fingerprint.run(
      file, owner, without: checks.forgotten, memory: setup.budget.memory,
      libvips: pool.capabilities.libvips)
    let last = try await lastEnd(state)
    return try await work(
      Beginning(
        state: state, manifest: manifest, checks: checks, owner: owner, pool: pool,
        settings: settings, last: last,
        unchanged: try await wholeChunk(since: last, manifest, settings)))
  }

  /// The manifest's reading, and what its items need.
  ///
  /// - Parameter run: its number.
  func reading(
    _ beginning: Beginning, run: () async throws -> Int, _ fetcher: any Fetching,
    cache: SourceCache?, lines directory: String
  ) async throws -> ManifestReading {
    let (state, settings) = (beginning.state, beginning.settings)
    let parent = try await parent(state)
    let selection = try await entrySelection(
      state, settings, parent, beginning.pool.capabilities.libvips)
    let runContext = RunContext(
      file, extent, run: try await run(), onlyFailed: options.onlyFailed,
      selection: options.selection, clock: services.clock, state: state, fetcher: fetcher,
      transcoder: beginning.pool, memory: setup.budget.memory, output: output,
      workspace: workspace, cache: cache, recorder: recorder,
      lines: try RunLines(parent, in: directory),
      chunks: chunkReuse(parent, since: beginning.last, settings))
    return ManifestReading(
      runContext: runContext, checks: beginning.checks, shard: options.shard, selection: selection)
  }

  private func run(
    _ beginning: Beginning, since begun: ContinuousClock.Instant, end: ContinuousClock.Instant?
  ) async throws -> RunReport {
    let (state, pool, manifest) = (beginning.state, beginning.pool, beginning.manifest)
    if let whole = beginning.unchanged {
      try await reportUnchanged(whole)
      try await dropOldCatalogs(state, since: beginning.last)
      return try await writeReport(since: begun, nil, pool)
    }
    let fetcher = try setup.startFetcher(end: end)
    defer {
      fetcher.close()
      // The history has them of a run that fails or is stopped, too.
      noteNetwork(fetcher.counts)
    }
    let closing = end.map { close(pool, after: $0) }
    defer { closing?.cancel() }
    // What never depended on this machine stays valid after it is gone.
    let boot = output.isDurable ? "" : Host.bootIdentifier
    try await setup.recover(state, boot: boot)
    let reading = try await reading(
      beginning, run: { try await state.beginRun(boot: boot) }, fetcher,
      cache: setup.openCache(), lines: workspace.spoolDirectory)
    let runContext = reading.runContext
    recorder.update { $0.number = runContext.run }
    return try await warningOfBans(fetcher) {
      let items = try await runItems(reading, manifest, pool, fetcher)
      let result = try await finish(
        runContext, manifest, beginning.owner, reading.selection, items, since: beginning.last)
      let isStopped = try await addBetterFiles(runContext, result, pool, fetcher, boot: boot)
      if !isStopped { try await noteRunEnd(runContext, beginning.settings, manifest) }
      let report = try await writeReport(since: begun, fetcher, pool)
      if isStopped { throw CancellationError() }
      return report
    }
  }

  /// At the run's deadline transfers end at once, and workers after the grace.
  private func close(
    _ pool: any Transcoding, after end: ContinuousClock.Instant
  ) -> Task<Void, any Error> {
    Task {
      try await Task.sleep(until: end.advanced(by: Self.grace))
      pool.close()
    }
  }

  /// The lines of the last catalog, or of the shard's last result.
  func parent(_ state: StateStore) async throws -> ParentLines {
    let index = try await state.chunkIndex()
    if options.shard != nil {
      return ParentLines(index, in: shardParent.document.withLock(\.self))
    }
    // From a store, all of it is read. A run of some images copies the lines of the others, whatever the state knows.
    guard index.count > 0 || options.selection != nil else { return ParentLines(index) }
    return ParentLines(index, in: try await output.open(CurrentCatalog.path, workspace))
  }

  /// Runs all items to their ends. Returns how many there were.
  private func runItems(
    _ reading: ManifestReading, _ manifest: ManifestStream, _ pool: any Transcoding,
    _ fetcher: any Fetching
  ) async throws -> Int {
    meter.tell(of: manifest)
    let stopManifest = manifest.stopper()
    let items = ItemLoop(
      Pipeline.itemPipeline(extent, reading.runContext), reading, meter: meter,
      stop: {
        pool.close()
        fetcher.close()
        stopManifest()
      },
      drain: {
        pool.drain()
        fetcher.close()
        stopManifest()
      })
    options.stop.onRequest { items.drain() }
    defer { options.stop.onRequest(nil) }
    meter.begin { progress in
      let workers = pool.statistics
      (progress.waiting, progress.transcoding) = (workers.waiting, workers.working)
      progress.take(fetcher.inFlight, after: fetcher.counts.bytes, now: .now)
    }
    return try await items.run(manifest)
  }

  private func writeReport(
    since begun: ContinuousClock.Instant, _ fetcher: (any Fetching)?, _ pool: any Transcoding
  ) async throws -> RunReport {
    if let counts = fetcher?.counts {
      noteHosts(counts.hosts)
      noteNetwork(counts)
    }
    recorder.update { report in
      report.seconds = begun.duration(to: .now).inSeconds
      report.workers = setup.budget.count
      report.workersReplaced = pool.statistics.replaced
      report.peakMemory = Host.peakMemory
    }
    let path = options.shard.map { ShardHeader.reportPath($0.index, of: $0.count) }
    try await LineGate(of: output).publishReport(
      recorder.current.json(below: [file.output, output.location]),
      as: path ?? "run.json", path == nil ? workspace : nil)
    return recorder.current
  }

  /// The catalog is written from the state, and only then do items that the manifest no longer names
  /// leave the state: a kill in between repeats the run and loses nothing.
  private func finish(
    _ runContext: RunContext, _ manifest: ManifestStream, _ owner: OutputOwner,
    _ selection: EntrySelection?, _ items: Int,
    since last: LastEnd?
  ) async throws -> RunResult {
    if let selection {
      return try await finishSelection(selection, runContext, items, since: last)
    }
    let libvips = runContext.transcoder.capabilities.libvips
    let lines = runContext.lines
    meter.tell(ofMistakes: manifest)
    if options.shard == nil, recorder.current.total == 0 { meter.warn(manifest.emptiness) }
    // A shard has no catalog: `merge` counts what that loses.
    if options.shard == nil, !options.allowsLoss {
      try await runContext.state.commit()
      try await LossGuard(
        limit: file.lostAbove, output: output, state: runContext.state, run: runContext.run,
        claims: runContext.claims, extent: extent,
        hasOtherAddresses: owner.hasOtherAddresses
      ).check(recorder.current)
    }
    // Before the catalog, which names them.
    let tables = extent == .layout ? nil : try await TableWriter(runContext, lines, meter).write()
    let result = RunResult(
      file: file, libvips: libvips, tables: tables, lines: lines,
      shard: options.shard.map {
        .init(shard: $0, lines: lines, state: runContext.state, manifest: manifest.digest)
      })
    let chunks = try await publish(result, runContext)
    let isBehind = try await runContext.state.endRun(
      runContext.run, owner.completed(items: items), chunks, runContext.claims,
      gone: runContext.lines.parent.ids(notIn: runContext.claims), settings: Fingerprint.line(file))
    recorder.update { $0.isBehind = isBehind }
    return result
  }

  /// - Parameter replaces: whether this run has published a result already.
  /// - Returns: the chunks of the document.
  func publish(
    _ result: RunResult, _ runContext: RunContext, replaces: Bool = false
  ) async throws -> ChunkList {
    try await runContext.state.commit()
    try await held.confirm()
    // Who goes back wants the catalog of a run before this one.
    let isIntermediate = replaces && recorder.current.hasReplaced
    let chunks = try await result.publish(
      recorder.current, to: output, workspace, now: services.clock.now(), replaces: replaces,
      keeping: isIntermediate ? nil : CatalogRetention(file)
    ) { isOther in
      recorder.update { report in
        report.isPublished = true
        report.hasReplaced = report.hasReplaced || isOther
      }
    }
    // If these files are dropped again, `prune` waits again.
    if options.shard == nil, try await runContext.state.hasNotes() {
      try await CurrentCatalog.forEachFiles(in: output) {
        try await runContext.state.clearNotes(on: $0)
      }
    }
    recorder.update { $0.isPublished = true }
    return chunks
  }
}

/// What a run says of the hosts that it has sent requests to.
extension RunSession {
  /// Does the work of a run, and says which hosts ban it if the run stops because of what failed: it then has no report.
  func warningOfBans<Value>(
    _ fetcher: any Fetching, _ work: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await work()
    } catch  where !(error is CancellationError) && !isPublished {
      for ban in fetcher.counts.hosts.bans { meter.warn("\(ban.clause); \(ban.remedy)") }
      throw error
    }
  }

  func noteNetwork(_ counts: FetchStatistics) {
    recorder.update { report in
      report.requests = counts.requests
      report.notModified = counts.notModified
      report.bytesFetched = counts.bytes
    }
  }

  func noteHosts(_ hosts: HostTally) {
    recorder.update { report in
      report.bans = hosts.bans
      report.showsHosts = file.urls == .shown
    }
    // A report is public, and hosts are not to be.
    if file.urls == .shown {
      for clause in hosts.otherPorts(file.fetch.hosts, file.fetch.headers) { meter.warn(clause) }
    }
    // Only of requests to servers that others run: one's own need no contact.
    if hosts.hasPublicHost, let gap = UserAgent.gap(in: file.fetch.userAgent) {
      meter.warn(gap.clause)
    }
  }
}

/// What a run leaves for `tessera status`: a line of the history, and what is counted of the output.
extension RunSession {
  /// Counts the output after a run. What can't be counted is left out: the catalog is published, and the run is done.
  func countOutput(_ state: StateStore) async {
    let now = services.clock.now()
    var figures = OutputFigures()
    // A run that found nothing to do has changed nothing, and reads no table.
    if recorder.current.number != nil {
      let totals = try? await state.fileTotals()
      (figures.files, figures.fileBytes) = (totals?.files, totals?.bytes)
    }
    if let unnamed = try? await state.unnamedFiles(now: now, grace: CatalogRetention.pruneGrace) {
      (figures.prunableFiles, figures.prunableBytes) = (unnamed.deletable, unnamed.deletableBytes)
    }
    if recorder.current.count("stale") > 0, let oldest = try? await state.oldestStale() {
      figures.oldestStaleSeconds = max(0, Int(now - oldest))
    }
    recorder.update { $0.figures = figures }
  }

  /// Adds the run to the history of the output, whatever came of it. Returns its result, whose report has all figures.
  func noting(
    _ result: Result<RunReport, any Error>, since begun: ContinuousClock.Instant
  ) async -> Result<RunReport, any Error> {
    let now = services.clock.now()
    var entry = HistoryEntry(
      .run, ended: now, seconds: begun.duration(to: .now).inSeconds, Self.outcome(of: result))
    if case .failure(let error) = result, !(error is CancellationError) {
      entry.reason = TesseraError(error).code.rawValue
    }
    let recorded = recorder.current
    entry.take(recorded)
    entry.figures = recorded.figures
    do {
      let history = try await held.runHistory()
      entry.figures = await figures(after: history, now: now)
      try await held.note(entry, after: history)
    } catch {
      // The error of a run that failed matters more.
      if case .success = result { meter.warn("the history of runs was not written: \(error)") }
    }
    return result.map { report in
      var report = report
      (report.figures, report.warnings) = (entry.figures, recorder.current.warnings)
      return report
    }
  }

  private static func outcome(of result: Result<RunReport, any Error>) -> HistoryEntry.Outcome {
    switch result {
    case .success(let report): report.hasFailures ? .someFailed : .done
    case .failure(let error): error is CancellationError ? .stopped : .failed
    }
  }

  private func figures(after history: RunHistory, now: Double) async -> OutputFigures {
    var figures = recorder.current.figures
    figures.keepStaleSeconds = Int(file.fetch.keepStale.inSeconds)
    if figures.fileBytes == nil {
      let last = history.entries.last { $0.figures.fileBytes != nil }?.figures
      (figures.files, figures.fileBytes) = (last?.files, last?.fileBytes)
    }
    figures.stateBytes = workspace.stateBytes
    figures.freeBytes = held.freeBytes
    // A list that can't be read is reported where it is needed.
    figures.keptCatalogs = (try? await CatalogHistory.kept(in: output))?.map(\.catalogs.count) ?? 0
    // Of one shard's files nothing follows for the disk.
    guard options.shard == nil, let bytes = figures.fileBytes else { return figures }
    let point = DiskForecast.Point(time: now, bytes: bytes + (figures.stateBytes ?? 0))
    figures.foresee(RunHistory.sizes(in: [history]) + [point], now: now)
    return figures
  }
}

extension HistoryEntry {
  /// What the run did.
  fileprivate mutating func take(_ report: RunReport) {
    run = report.number
    (counts, errors) = (report.counts, report.errors)
    counts[Self.others] = report.others
    work = [
      .requests: report.requests, .fetchedBytes: report.bytesFetched,
      .writtenBytes: report.bytesWritten, .decodes: report.decodes, .encodes: report.variantsMade,
      .newFailures: report.failures[.new] ?? 0, .solvedFailures: report.failures[.solved] ?? 0,
    ]
  }
}
