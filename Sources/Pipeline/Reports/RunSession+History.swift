internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// What a run leaves for `tessera status`: a line of the history, and what is counted of the output.
extension RunSession {
  /// How long `prune` leaves an unnamed file by default.
  private static let grace = CatalogRetention.pruneGrace

  /// Counts the output after a run. What can't be counted is left out: the catalog is published, and the run is done.
  func countOutput(_ state: StateStore) async {
    let now = services.clock.now()
    var figures = OutputFigures()
    // A run that found nothing to do has changed nothing, and reads no table.
    if recorder.current.number != nil {
      let totals = try? await state.fileTotals()
      (figures.files, figures.fileBytes) = (totals?.files, totals?.bytes)
    }
    if let unnamed = try? await state.unnamedFiles(now: now, grace: Self.grace) {
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
      entry.reason = PipelineError(error).failure.rawValue
    }
    let recorded = recorder.current
    entry.take(recorded)
    entry.figures = recorded.figures
    do throws(OutputError) {
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
    ]
  }
}
