internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// A run that finds everything as the last one left it does nothing.
extension RunSession {
  /// Whether another run of all images, in the usual way, may leave out what would change nothing.
  private var mayStand: Bool { isUsual && options.selection == nil }

  /// Whether a run like this one, of all images, may.
  private var isUsual: Bool {
    extent == .everything && options.shard == nil && !options.onlyFailed
  }

  /// How the last run ended, if the output is as it was then, and the clock was not set back: sources would be fresh for too
  /// long.
  func lastEnd(_ state: StateStore) async throws -> LastEnd? {
    guard isUsual, let last = try await state.lastEnd(), services.clock.now() >= last.ended,
      let mark = try await output.mark(), mark.text == last.output
    else { return nil }
    return LastEnd(end: last, mark: mark)
  }

  /// How the last run ended, and what the output was like then, and still is.
  struct LastEnd {
    var end: StateStore.RunEnd
    let mark: OutputMark
  }

  /// The whole manifest, as a chunk that needs nothing new; nil if the run has to look at its chunks.
  func wholeChunk(
    since last: LastEnd?, _ manifest: ManifestStream, _ settings: String
  ) async throws -> Chunk? {
    guard mayStand, !observer.followsItems, let whole = last?.end.whole,
      Verdicts.copies(whole, isWanted: true, now: services.clock.now()),
      let digest = try await manifest.wholeDigest(),
      whole.key == ChunkReuse.key(settings, digest)
    else { return nil }
    return whole
  }

  /// Reports a run in which nothing had to be done.
  func reportUnchanged(_ whole: Chunk) async throws {
    let tables = try await tableFiles()
    recorder.update { report in
      report.counts[CatalogImage.Status.ok.rawValue] = whole.count
      report.changes[.reused] = whole.count
      (report.variantsAsked, report.variantsReused) = (whole.places, whole.files)
      report.tablesReused = tables
    }
    meter.endReading(whole.count)
    meter.begin { _ in }
  }

  /// The files of tables that the catalog names.
  private func tableFiles() async throws -> Int {
    guard !file.tables.isEmpty else { return 0 }
    var catalog = CatalogTexts(CurrentCatalog.path, in: output)
    _ = try await catalog.readHead()
    return catalog.tables.reduce(0) { $0 + $1.files.count }
  }

  /// Kept catalogs leave on time, as in a run that publishes.
  func dropOldCatalogs(_ state: StateStore, since last: LastEnd?) async throws {
    let dropped = try await CatalogHistory(of: output, workspace).dropOld(
      now: services.clock.now())
    guard dropped > 0, let last, let mark = try await output.mark(after: last.mark) else { return }
    var end = last.end
    end.output = mark.text
    try await state.note(end)
  }

  /// Finds chunks of the manifest that have not changed; nil for a run that has to look at each item.
  func chunkReuse(
    _ parent: ParentLines, since last: LastEnd?, _ settings: String
  ) -> ChunkReuse? {
    mayStand ? usualChunks(parent, since: last, settings) : nil
  }

  /// Chunks of the manifest as runs of all images know them; nil if such a run has to look at each item.
  func usualChunks(
    _ parent: ParentLines, since last: LastEnd?, _ settings: String
  ) -> ChunkReuse? {
    // Each of these needs more of an item than whether it stands.
    guard isUsual, !observer.followsItems, !file.fetch.hasUnboundHeaders, file.upgrade == nil
    else { return nil }
    return ChunkReuse(
      parent: parent, settings: settings, finds: last != nil, clock: services.clock)
  }

  /// Leaves for the next run what it has to find unchanged.
  func noteRunEnd(
    _ runContext: RunContext, _ settings: String, _ manifest: ManifestStream
  ) async throws {
    guard mayStand, let mark = try await output.mark() else { return }
    let whole = manifest.digest.map {
      Chunk(ChunkReuse.key(settings, $0), of: recorder.current)
    }
    try await runContext.state.note(
      StateStore.RunEnd(output: mark.text, ended: services.clock.now(), whole: whole),
      of: runContext.run)
  }
}

extension Chunk {
  /// All that a run did, as one chunk: it needs nothing in the next run if all images are `ok` and nothing is left to do.
  init(_ key: Key, of report: RunReport) {
    self.init(key, count: report.total, line: 1)
    freshUntil = report.freshUntil
    places = report.variantsAsked
    files = report.variantsMade + report.variantsReused
    mayStand =
      report.total > 0 && report.count("ok") == report.total && !report.hasFailures
      && report.forgotten == 0 && report.upgradesWaiting == 0 && report.tablesUnmade == 0
      && !report.isBehind
  }
}
