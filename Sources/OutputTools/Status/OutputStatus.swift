internal import TesseraFetch
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// What a person on call wants to know of an output: the last runs, what fails, what is kept and why, and how it grows.
///
/// It takes no lock and writes nothing, so it holds up no run; of one that is at work it shows what is saved so far.
package struct OutputStatus: Sendable {
  /// The output as it was named.
  package var output: String
  /// In seconds since 1970.
  package var now: Double
  /// The process that is at work on it: a clause; nil if none is.
  package var holder: String?
  /// Since when, in seconds since 1970; nil if its lock does not say.
  package var busySince: Double?
  /// How many images the run that is at work has done; nil if it has not begun with them.
  package var imagesDone: Int?
  /// The newest first.
  package var runs: [RecordedRun] = []
  package var summary: HistorySummary { HistorySummary(runs.map(\.entry), now: now) }
  package var failures = FailureCensus()
  /// Hosts that rejected all or nearly all requests of the last run. Empty if that has no result: then it has no report, and
  /// the errors of ``failures`` have the HTTP statuses.
  var bans: [HostBan] = []
  var unnamed = StateStore.UnnamedFiles()
  package var kept = KeptPlaces()
  var figures = OutputFigures()
  /// Whether there is a state, of the whole or of a shard.
  package var hasState = false
  /// Whether a run began after all that left an entry, and no process is at work: it was killed.
  package var wasKilled = false
  /// Why a part of it is missing: a sentence each.
  package var problems: [String] = []

  private static let batch = 500

  /// - Parameters:
  ///   - root: the output of a run.
  ///   - state: the directory of the state of an output in an object store.
  ///   - now: in seconds since 1970; nil for the present.
  /// - Throws: ``OutputToolError`` if it is not the output of a run, or this user may not read its state; or
  ///   `CancellationError`.
  package static func read(
    _ root: String, state: String? = nil, now: Double? = nil
  ) async throws -> OutputStatus {
    let folder = try OutputFolder(root, state: state)
    let now = now ?? Host.now
    var status = OutputStatus(output: root, now: now)
    // First: a run that ends meanwhile is then not taken for one that was killed.
    let activity = try await folder.activity()
    (status.holder, status.busySince) = (activity?.holder, activity?.since)
    let histories = try await folder.histories()
    status.runs = histories.flatMap { history in
      history.entries.map { RecordedRun($0, shard: history.shard?.description) }
    }.enumerated().sorted {
      // Of the same second, the one that was noted later.
      ($0.element.ended, $0.offset) > ($1.element.ended, $1.offset)
    }.map(\.element)
    status.kept = try await KeptPlaces.read(in: folder.published, now: now)
    try await status.countStates(folder, histories)
    if let problem = status.catalogProblem { status.problems.insert(problem, at: 0) }
    if status.runs.first(where: \.hasReport)?.isSuccess != false {
      status.bans = await HostBan.inReport(of: folder)
    }
    guard status.hasState || !status.runs.isEmpty || status.kept.current != nil else {
      throw OutputToolError(
        "no run has left anything in \"\(root)\": it has neither a catalog nor a state; tessera run PIPELINE "
          + "makes both" + (status.holder.map { "; \($0) is at work on it" } ?? ""))
    }
    status.figures.freeBytes = folder.freeBytes
    status.figures.keptCatalogs = status.kept.catalogs.count
    status.figures.oldestStaleSeconds = status.failures.oldestStale.map { max(0, Int(now - $0)) }
    status.figures.keepStaleSeconds =
      status.runs.lazy.compactMap(\.entry.figures.keepStaleSeconds).first
    status.figures.foresee(RunHistory.sizes(in: histories), now: now)
    return status
  }

  private mutating func countStates(_ folder: OutputFolder, _ histories: [RunHistory]) async throws
  {
    var (files, fileBytes, stateBytes) = (0, 0, 0)
    try await folder.forEachState { state, bytes, shard in
      hasState = true
      stateBytes += bytes
      do {
        let reading = try StateReading(path: state.path)
        let totals = try await count(
          reading.store, histories.first { $0.shard == shard }?.entries ?? [])
        (files, fileBytes) = (files + totals.files, fileBytes + totals.bytes)
      } catch let error as StateError {
        problems.append(Self.problem(error, of: shard))
      }
    }
    guard hasState else {
      if let sentence = missingState { problems.append(sentence) }
      return
    }
    figures.stateBytes = stateBytes
    // Of a part nothing follows for the whole.
    guard problems.isEmpty else { return }
    (figures.files, figures.fileBytes) = (files, fileBytes)
    (figures.prunableFiles, figures.prunableBytes) = (unnamed.deletable, unnamed.deletableBytes)
  }

  /// - Parameter entries: the history of the same runs.
  /// - Returns: the files of the state.
  private mutating func count(
    _ state: StateStore, _ entries: [HistoryEntry]
  ) async throws -> (files: Int, bytes: Int) {
    let begun = try await state.lastBegunRun()
    if begun == nil, holder == nil, entries.contains(where: { $0.run != nil }) {
      problems.append(
        "the state has no run in it, though there were some; the next run fetches all sources again"
      )
    }
    // A run that found nothing to do has no number, and a state that was set aside begins with 1 again.
    let noted = entries.compactMap(\.run).max()
    // Runs of versions without a history left no entry either, and made their catalogs.
    if let begun, noted.map({ begun.number > $0 }) ?? !begun.isCompleted {
      wasKilled = holder == nil || wasKilled
      if holder != nil {
        imagesDone = try await (imagesDone ?? 0) + state.doneItems(of: begun.number)
      }
    }
    try await countFailures(state)
    unnamed += try await state.unnamedFiles(now: now, grace: CatalogRetention.pruneGrace)
    return try await state.fileTotals()
  }

  private static func problem(_ error: StateError, of shard: Shard?) -> String {
    switch error.kind {
    case .corrupt, .incomplete, .rejected:
      let repair =
        shard == nil
        ? "tessera prune sets it aside, as does a run" : "a run of its shard sets it aside"
      return
        "\(error.finding), so it is damaged; \(repair) that needs what is lost, and what can be read "
        + "of it is kept"
    case .unavailable, .newer, .older: return "\(error)"
    }
  }

  private mutating func countFailures(_ state: StateStore) async throws {
    // With a condition: the compiler's optimizer crashes on a loop without one that throws between two waits.
    var last: Int? = 0
    while let number = last {
      let items = try await state.troubledItems(after: number, limit: Self.batch)
      for item in items { failures.add(item) }
      last = items.last?.number
      try Task.checkCancellation()
    }
  }
}

extension StateStore.UnnamedFiles {
  fileprivate static func += (left: inout Self, right: Self) {
    left.deletable += right.deletable
    left.deletableBytes += right.deletableBytes
    left.waiting += right.waiting
    left.waitingBytes += right.waitingBytes
    left.nextDeletion = [left.nextDeletion, right.nextDeletion].compactMap(\.self).min()
  }
}
