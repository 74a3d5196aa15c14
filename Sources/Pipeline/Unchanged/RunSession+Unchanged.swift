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

  /// Whether nothing has changed since the last run, so that this one is done.
  func isUnchanged(
    since last: LastEnd?, _ manifest: ManifestStream, _ settings: String
  ) async throws -> Bool {
    guard mayStand, !observer.followsItems,
      let last = last?.end.standing.flatMap(StandingRun.init(stored:)),
      last.stands(settings, now: services.clock.now()),
      try await manifest.wholeDigest() == last.manifest
    else { return false }
    recorder.update { report in
      report.counts[CatalogImage.Status.ok.rawValue] = last.items
      report.changes[.reused] = last.items
      (report.variantsAsked, report.variantsReused) = (last.places, last.files)
      report.tablesReused = last.tables
    }
    meter.endReading(last.items)
    meter.begin { _ in }
    return true
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
    _ parts: RunParts, _ settings: String, _ manifest: ManifestStream
  ) async throws {
    guard mayStand, let mark = try await output.mark() else { return }
    let now = services.clock.now()
    let standing = StandingRun(
      recorder.current, manifest: manifest.digest, settings: settings, ended: now)
    try await parts.state.note(
      StateStore.RunEnd(output: mark.text, ended: now, standing: standing?.stored), of: parts.run)
  }
}
