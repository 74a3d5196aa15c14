internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
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
