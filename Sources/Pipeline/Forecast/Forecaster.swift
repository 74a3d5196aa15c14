internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraWire
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
    let state = try await StateReading(path: place.path)
    let open = try PipelineError.wrap {
      try OpenOutput(file.output, state: file.state, file.store.settings, creates: false)
    }
    let cache = try PipelineError.wrap {
      file.fetch.cache == nil ? nil : try open.readableCache()
    }
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
    let folder = try PipelineError.wrap { try TemporaryDirectory() }
    let workspace = Workspace(
      try PipelineError.wrap { try Directory(folder.path) }, of: "a forecast")
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
    let manifest = try await ManifestStream.open(
      file, needsDigest: extent == .everything)
    let (guards, owner) = try await opening.guards(state)
    let pool = try await opening.startWorkers()
    defer { pool.close() }
    let settings = StandingRun.settings(
      file, owner, without: guards.forgotten, memory: opening.budget.memory,
      libvips: pool.hello.libvips)
    let last = try await lastEnd(state)
    let parent = try await parent(state)
    let selection = try await entrySelection(state, settings, parent, pool.hello.libvips)
    let parts = RunParts(
      file, extent, run: .max, onlyFailed: options.onlyFailed,
      selection: options.selection,
      clock: services.clock, state: state, fetcher: NoFetching(), transcoder: pool,
      memory: opening.budget.memory, output: output, workspace: workspace, cache: cache,
      recorder: recorder, lines: try RunLines(parent, in: FileSystem.temporaryDirectory),
      chunks: chunkReuse(parent, since: last, settings))
    var tally = try ForecastTally(
      parts, extent, history, before.items, isSelection: selection != nil)
    if try await isUnchanged(since: last, manifest, settings) {
      tally.standAll(recorder.current.total)
    } else {
      try await read(manifest, parts, guards, selection, &tally, report)
    }
    return try await tally.end(output, held.room)
  }

  private func read(
    _ manifest: ManifestStream, _ parts: RunParts, _ guards: RunGuards,
    _ selection: EntrySelection?, _ tally: inout ForecastTally,
    _ report: (_ line: Int, _ message: String) -> Void
  ) async throws {
    if parts.chunks != nil || selection?.needsParts == true { manifest.makeParts() }
    var entries = EntryStream(
      manifest, file.fetch, ledger: try StateStore(path: ""), run: 1, standing: parts.standing,
      chunks: parts.chunks, claims: parts.claims,
      filter: ShardFilter(shard: options.shard, hasUnboundHeaders: file.fetch.hasUnboundHeaders),
      forgotten: guards.forgotten, selection: selection)
    while let batch = try await entries.next() {
      try Task.checkCancellation()
      for record in batch {
        if case .problem(let problem) = record { report(problem.line, problem.message) }
      }
      try await tally.add(batch)
    }
    if let error = guards.rejection(of: entries, manifest) { tally.stop(error) }
    _ = try await selection?.check(output, guards.forgotten)
  }
}
