internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

extension Pipeline {
  /// What the next run will do. It sends no request for an image and changes nothing.
  ///
  /// - Returns: nil if the output has had no run, and if the manifest can be read only once.
  /// - Throws: as ``run(observer:)`` if that would reject the manifest or the selection.
  package func forecast(
    report: (_ line: Int, _ message: String) -> Void = { _, _ in }
  ) async throws -> RunForecast? {
    guard !file.manifest.isReadOnce,
      let place = try await OpenOutput.readableState(
        of: file.output, file.state, file.store.settings)
    else { return nil }
    let state = try StateReading(path: place.path)
    let open = try OpenOutput(file.output, state: file.state, file.store.settings, creates: false)
    let cache = file.fetch.cache == nil ? nil : try open.readableCache()
    let history = try await open.histories().first { $0.shard == options.shard }
    return try await forecast(
      open.output, state.store, cache, history ?? RunHistory(), .system, report)
  }

  /// - Parameters:
  ///   - cache: sources that are kept; nil for none.
  ///   - history: of the output.
  func forecast(
    _ output: any Output, _ state: StateStore, _ cache: SourceCache?, _ history: RunHistory,
    _ services: RunServices,
    _ report: (_ line: Int, _ message: String) -> Void = { _, _ in }
  ) async throws -> RunForecast? {
    guard let last = try await state.lastCompletedRun() else { return nil }
    let folder = try TemporaryDirectory()
    let workspace = Workspace(
      try Directory(folder.path), of: "a forecast")
    // The lock is that of the temporary folder: a run may go on meanwhile.
    let held = try await HeldOutput(reading: output, workspace)
    let session = RunSession(self, held, services, NoObserver())
    return try await session.forecast(state, last, cache, history, report)
  }
}

/// Observes nothing.
private struct NoObserver: RunObserving {
  func began(_ progress: @escaping @Sendable () -> RunProgress) {}
  func happened(_ event: RunEvent) {}
}

extension RunSession {
  fileprivate func forecast(
    _ state: StateStore, _ before: StateStore.CompletedRun, _ cache: SourceCache?,
    _ history: RunHistory, _ report: (_ line: Int, _ message: String) -> Void
  ) async throws -> RunForecast {
    let manifest = try await ManifestStream.open(file, needsDigest: extent == .everything)
    let (checks, owner) = try await setup.checks(state)
    return try await beginning(state, manifest, checks, owner) { beginning in
      let reading = try await reading(
        beginning, run: { .max }, NoFetching(), cache: cache,
        lines: FileSystem.temporaryDirectory)
      var tally = try ForecastTally(reading.runContext, extent, history, before: before.items)
      if let whole = beginning.unchanged {
        tally.stand(whole)
        return try await tally.end(gone: 0, held.room)
      }
      try await read(reading, manifest, &tally, report)
      // A state that was set aside has no items, and a run of some images leaves the others.
      let isCounted = try await state.hasItems() && reading.selection == nil
      let gone = before.items - reading.runContext.claims.kept
      return try await tally.end(gone: isCounted ? max(0, gone) : 0, held.room)
    }
  }

  private func read(
    _ reading: ManifestReading, _ manifest: ManifestStream, _ tally: inout ForecastTally,
    _ report: (_ line: Int, _ message: String) -> Void
  ) async throws {
    var entries = reading.entries(manifest, ledger: try StateStore(path: ""))
    try await reading.read(&entries) { batch in
      try Task.checkCancellation()
      for record in batch {
        if case .problem(let problem) = record { report(problem.line, problem.message) }
      }
      try await tally.add(batch)
      return true
    }
    do {
      try reading.checks.check(entries, manifest, reading.runContext.claims)
    } catch {
      tally.stop(error)
    }
    _ = try await reading.selection?.check(output, reading.checks.forgotten)
  }
}

/// A fetcher that never sends anything.
struct NoFetching: Fetching {
  var end: ContinuousClock.Instant? { nil }
  var counts: FetchStatistics { FetchStatistics() }
  var inFlight: FetchesInFlight { FetchesInFlight() }
  var isBlocked: Bool { false }
  func whenBlocked(_ action: (@Sendable () -> Void)?) {}
  func hold(_ change: Int, limit: Int) {}
  func close() {}

  func fetch(
    _ request: FetchRequest, host: String, into receiver: any BodyReceiving
  ) async -> FetchResult {
    FetchResult(
      result: .failure(FetchError(.cancelled, "a forecast sends no request")), begun: nil, bytes: 0,
      requests: 0, time: .zero)
  }
}

/// Takes the entries of the next run, and counts what it will do.
struct ForecastTally {
  private let runContext: RunContext
  private let check: CheckItem
  private let lookUp: LookUp
  private let entries: ImageEntries
  /// Nil in a run that makes files.
  private let sizes: UseKnownSize?
  private let pace: RunPace
  private let hosts: HostRules
  /// The sources that are requested, and the files that are made: each once.
  private let once: NameSet
  private var forecast = RunForecast()
  /// Images whose files are known, and these: what a new image is taken to need.
  private var planned = (images: 0, files: 0)
  /// New images, whose files follow from the others.
  private var unknown = (expected: 0, most: 0)

  /// - Parameters:
  ///   - history: of the output.
  ///   - before: the images of the last run of all.
  init(
    _ runContext: RunContext, _ extent: RunExtent, _ history: RunHistory, before: Int
  ) throws(StateError) {
    self.runContext = runContext
    (check, lookUp, entries) = (
      CheckItem(runContext), LookUp(runContext), ImageEntries(runContext.file)
    )
    sizes = extent == .layout ? UseKnownSize(runContext) : nil
    pace = RunPace(history, runContext.file.fetch)
    hosts = runContext.file.fetch.retryPolicy.hosts
    once = try NameSet()
    forecast.before = before
  }

  /// The run needs nothing of a chunk.
  mutating func stand(_ chunk: Chunk) {
    forecast.images += chunk.count
    forecast.fresh += chunk.count
    planned.images += chunk.count
    planned.files += chunk.files
  }

  /// The run would not accept the manifest.
  mutating func stop(_ error: any Error) { forecast.stop = "\(error)" }

  mutating func add(_ batch: [EntryStream.Record]) async throws {
    var found: [(item: Item, lookup: LineReuse.Lookup?)] = []
    for record in batch {
      switch record {
      case .repeated: break
      case .problem: forecast.problems += 1
      case .forgotten: forecast.forgotten += 1
      case .standing(let chunk): stand(chunk)
      case .item(let item, let lookup): found.append((item, lookup))
      }
    }
    let known = try await runContext.state.known(found.map { ($0.item.id, $0.item.entryDigest) })
    for ((item, lookup), known) in zip(found, known) {
      if let known, runContext.claims.standingLine(of: known.chunk) != nil {
        // A chunk that is copied has it: the line is repeated, or a mistake.
        if !known.isSame { forecast.problems += 1 }
        continue
      }
      forecast.images += 1
      if let known {
        if !known.isSame { forecast.changed += 1 }
        if known.isOfLastRun { runContext.claims.keep() }
        runContext.claims.leave(known.chunk)
      } else {
        forecast.new += 1
      }
      try await add(item, lookup, known)
    }
  }

  // MARK: Items

  private mutating func add(
    _ item: Item, _ lookup: LineReuse.Lookup?, _ known: StateStore.KnownItem?
  ) async throws {
    if case .stands(let line)? = lookup {
      planned.images += 1
      planned.files += line.kept.files
      return try add(
        line.verdict, item, known, all: line.kept.files, missing: [], isRejected: false)
    }
    if check.failure(of: item) != nil {
      forecast.fresh += 1
      return
    }
    let context = ItemContext(item)
    if let sizes {
      let source = try await lookUp.source(of: item)
      if KnownSize(source).map({ !entries.needsFiles(item, $0) }) ?? true {
        let verdict = sizes.outcome(source, context).0
        // Of what the service can't make, files may have to be made.
        let mayNeedFiles = runContext.file.deliveringService?.filesFor.isEmpty == false
        return try add(
          verdict, item, known, all: 0, missing: mayNeedFiles ? nil : [], isRejected: false)
      }
    }
    guard case .known(let stage) = try await lookUp.perform(lookup, context) else {
      return
    }
    let source = stage.source
    if let plan = source.filePlan {
      planned.images += 1
      planned.files += plan.keys.count
    }
    let missing = source.filePlan.map { plan in
      runContext.freshness.refreshes ? plan.keys : plan.missing.map { plan.keys[$0] }
    }
    try add(
      stage.verdict, item, known, all: source.filePlan?.keys.count ?? 0,
      missing: source.isFinished && !runContext.freshness.refreshes ? [] : missing,
      isRejected: source.rejection != nil)
  }

  /// - Parameters:
  ///   - all: how many files the image has.
  ///   - missing: the keys of those that are not there; nil if they are not known.
  private mutating func add(
    _ verdict: Verdict, _ item: Item, _ known: StateStore.KnownItem?, all: Int,
    missing: [String]?, isRejected: Bool
  ) throws {
    switch verdict.need {
    case .nothing: forecast.fresh += 1
    case .copy:
      forecast.copied += 1
      try make(missing ?? [])
    case .confirmation:
      let makes = isRejected ? [] : missing ?? []
      // Another image of this source asks for it.
      if try isFirst("source \(item.sourceKey)") {
        forecast.revalidated += 1
        request(item, known)
      } else {
        forecast.fresh += 1
        if all > 0 { requestAgain(item) }
      }
      forecast.expected.files += try new(makes)
      forecast.most.files += all
    case .bytes:
      forecast.fetched += 1
      let files = isRejected ? nil : missing
      if try isFirst("source \(item.sourceKey)") {
        request(item, known)
        if files == nil {
          unknown.most += 1
          if !isRejected, !hasFailed(known) { unknown.expected += 1 }
        }
      } else if files?.isEmpty != true {
        requestAgain(item)
      }
      try make(files ?? [])
    }
  }

  // MARK: Requests

  /// Requests of a source: one, or as many as it is tried if it failed the last time. A run's deadline says nothing of the
  /// source. A source of a host that was given up may have had no request, and one of a busy host fails at once if it is to
  /// wait for too long.
  private func tries(
    _ item: Item, _ known: StateStore.KnownItem?
  ) -> (expected: Int, most: Int) {
    guard let known, hasFailed(known),
      let line = runContext.lines.parent.line(item.id, inChunk: known.chunk),
      let image = try? CatalogImage(reading: Array(line.text), runContext.names.formats),
      let error = image.error, error.retryable, error.code != RunReport.deadlineCode
    else { return (1, 1) }
    let all = 1 + runContext.file.fetch.retryPolicy.at(item.requestURL).retries
    if FetchError.wasWaiting(message: error.message) { return (0, all) }
    return (HTTPStatus.isBusy(message: error.message) ? 1 : all, all)
  }

  /// Counts the requests of an item. Files and data URLs need none.
  private mutating func request(_ item: Item, _ known: StateStore.KnownItem?) {
    if hasFailed(known) { forecast.retried += 1 }
    if item.host.isEmpty { return }
    let tries = tries(item, known)
    let host = hosts.pacedHost(at: item.requestURL)
    forecast.expected.add(requests: tries.expected, of: host)
    forecast.most.add(requests: tries.most, of: host)
  }

  /// Counts the request of an item whose source another one has, too: the bytes may be gone by then.
  private mutating func requestAgain(_ item: Item) {
    if item.host.isEmpty { return }
    forecast.most.add(requests: 1, of: hosts.pacedHost(at: item.requestURL))
  }

  private func hasFailed(_ known: StateStore.KnownItem?) -> Bool {
    known?.status == "failed" || known?.status == "stale"
  }

  // MARK: Files

  /// Files of known bytes, each once.
  private mutating func make(_ keys: [String]) throws {
    let count = try new(keys)
    forecast.expected.files += count
    forecast.most.files += count
  }

  private func new(_ keys: [String]) throws -> Int {
    try keys.count { try isFirst("file \($0)") }
  }

  /// Whether a source, or a file, is the run's first of its name. With `--refresh`, each image has its own.
  private func isFirst(_ name: String) throws -> Bool {
    try runContext.freshness.refreshes || once.add(name)
  }

  // MARK: The end

  /// - Parameters:
  ///   - room: on the output's disk; nil if that is not known.
  ///   - gone: images that the manifest no longer has.
  mutating func end(gone: Int, _ room: FileSystem.Room?) async throws -> RunForecast {
    forecast.gone = gone
    forecast.room = room.map { .init(bytes: $0.freeBytes, inodes: $0.freeInodes) }
    let totals = try await runContext.state.fileTotals()
    forecast.disk = .init(count: totals.files, bytes: totals.bytes)
    if planned.images == 0 { planned = (forecast.before ?? 0, totals.files) }
    if planned.images > 0 {
      let each = Double(planned.files) / Double(planned.images)
      forecast.expected.files += Int((each * Double(unknown.expected)).rounded())
      forecast.most.files += Int((each * Double(unknown.most)).rounded())
    }
    let bytes = totals.files > 0 ? Double(totals.bytes) / Double(totals.files) : 0
    for path in [\RunForecast.expected, \RunForecast.most] {
      let work = forecast[keyPath: path]
      forecast[keyPath: path].bytes = Int((bytes * Double(work.files)).rounded())
      forecast[keyPath: path].seconds = pace.seconds(of: work)
    }
    return forecast
  }
}
