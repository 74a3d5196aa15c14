internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// A run that finds everything as the last one left it does nothing.
extension RunSession {
  /// Whether another run of all images, in the usual way, may leave out what would change nothing.
  private var mayStand: Bool {
    extent == .everything && options.shard == nil && !options.onlyFailed
      && !options.refreshesQuality && file.fetch.revalidation != .always
  }

  /// Whether nothing has changed since the last run, so that this one is done.
  func isUnchanged(
    _ state: StateStore, _ manifest: ManifestStream, _ settings: String
  ) async throws -> Bool {
    guard mayStand, !observer.followsItems,
      let last = try await state.standing().flatMap(StandingRun.init(stored:)),
      last.stands(settings, now: services.clock.now()),
      try await output.mark() == last.output, try await manifest.wholeDigest() == last.manifest
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
  func dropOldCatalogs() async throws {
    _ = try await CatalogHistory(of: output, workspace).dropOld(now: services.clock.now())
  }

  /// Leaves for the next run what it has to find unchanged.
  func noteStanding(
    _ parts: RunParts, _ settings: String, _ manifest: ManifestStream
  ) async throws {
    guard mayStand else { return }
    let standing = StandingRun(
      recorder.current, manifest: manifest.digest, settings: settings,
      output: try await output.mark(), ended: services.clock.now(),
      isAlwaysFresh: file.fetch.revalidation == .never)
    try await parts.state.noteStanding(standing?.stored, of: parts.run)
  }
}
