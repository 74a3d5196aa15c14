internal import TesseraCatalog
internal import TesseraNet
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// Deletes variants that neither the catalog nor a kept one names, and what the state knows of images that the
/// manifest no longer names, some time after they left the catalog, or were first seen to have left it: clients that
/// hold yesterday's catalog still find their files.
struct Pruning: Sendable {
  /// How long a damaged state that a run has set aside is kept for a report, in seconds.
  private static let damagedAge = 30.0 * 86_400

  private let root: String
  private let grace: Duration
  private let isDryRun: Bool
  private let now: Double
  private let state: String?
  private let store: StoreSettings

  /// - Parameters:
  ///   - grace: how long a file or a row stays after it left the catalog, or was first seen to be unnamed.
  ///   - isDryRun: whether nothing is deleted or recorded.
  ///   - now: in seconds since 1970.
  ///   - state: the directory of the state of an output in an object store.
  init(
    _ root: String, grace: Duration, isDryRun: Bool, now: Double = Host.now, state: String? = nil,
    store: StoreSettings = StoreSettings()
  ) {
    (self.root, self.store) = (root, store)
    self.state = state
    self.grace = grace
    self.isDryRun = isDryRun
    self.now = now
  }

  /// - Parameters:
  ///   - onDelete: called for each file before it is deleted, or would be.
  ///   - onStay: called for each file that stays although the current catalog does not name it, with the reason: a
  ///     clause.
  ///   - repaired: called with a warning, a clause, if a damaged state was set aside.
  /// - Throws: ``TesseraError`` if the catalog is missing, or a run holds the output; or
  ///   `CancellationError`.
  func run(
    onDelete: @escaping @Sendable (_ path: String) -> Void,
    onStay: @escaping @Sendable (_ path: String, _ reason: String) -> Void = { _, _ in },
    repaired: (String) -> Void = { _ in }
  ) async throws -> PruneReport {
    let output = try OutputFolder(root, state: state, store: store)
    // Before the lock, which creates a folder: a folder that is not an output stays as it is.
    _ = try CatalogFile(of: try await LocalOutput(root, store: store)).head()
    return try await output.holding(
      withShards: false, damage: isDryRun ? .stays : .setAside, repaired: repaired
    ) {
      held, states in
      let begun = ContinuousClock.now
      let report = try await delete(output, held, states[0], onDelete, onStay)
      if !isDryRun { try await note(report, begun.duration(to: .now), held) }
      return report
    }
  }

  /// The history of the output has what was deleted, and how large it is now.
  private func note(_ report: PruneReport, _ time: Duration, _ held: HeldOutput) async throws {
    var entry = HistoryEntry(.prune, ended: now, seconds: time.inSeconds, .done)
    entry.work = [.deletedFiles: report.deleted, .deletedBytes: report.deletedBytes]
    entry.figures.files = report.kept + report.waiting
    entry.figures.fileBytes = report.keptBytes + report.waitingBytes
    entry.figures.stateBytes = held.workspace.stateBytes
    entry.figures.freeBytes = held.freeBytes
    try await held.note(entry)
  }

  private func delete(
    _ output: OutputFolder, _ held: HeldOutput, _ state: StateStore,
    _ onDelete: @Sendable (_ path: String) -> Void,
    _ onStay: @Sendable (_ path: String, _ reason: String) -> Void
  ) async throws -> PruneReport {
    var report = PruneReport()
    let last = try await state.lastEnd()
    let before = isDryRun ? nil : try await held.output.mark()
    if !isDryRun {
      report.dropped = try await CatalogHistory(of: held.output, held.workspace).dropOld(now: now)
    }
    try await NamedFiles(output: output.published, now: now).list(in: state)
    // A catalog that was current again has named its files anew, until a time that is not known.
    let rollback =
      try await output.histories().flatMap(\.entries)
      .filter { $0.kind == .rollback }.map(\.ended).max() ?? -.infinity
    for place in OutputPlace.allCases {
      for folder in try await folders(of: place, output, &report) {
        // A run that has taken over may name them again.
        try await held.confirm()
        try await prune(
          folder, of: output.fenced(by: held), state, since: rollback, &report, onDelete, onStay)
      }
    }
    try await collectRows(state, &report)
    if !isDryRun {
      for workspace in try held.workspaces() {
        try workspace.removeDamagedStates(before: now - Self.damagedAge)
      }
      try await state.forgetFormer()
      try await state.shrink()
    }
    // What was deleted here is not missing from the next run.
    if let before, var last, last.output == before.text,
      let mark = try await held.output.mark(after: before)
    {
      last.output = mark.text
      try await state.note(last)
    }
    return report
  }

  /// The folders of a place that has files which may be unnamed.
  private func folders(
    of place: OutputPlace, _ output: OutputFolder, _ report: inout PruneReport
  ) async throws -> [String] {
    switch place {
    case .files: return try await folders(below: FileName.folder, levels: 2, output, &report)
    case .tables: return try await folders(below: "tables", levels: 1, output, &report)
    case .screens: return try await ScreenFolder.all(in: output.published)
    // Each of these is replaced as a whole, or ends by itself.
    case .catalog, .changes, .shards, .keptCatalogs, .derived, .report, .state, .history, .cache,
      .forgotten, .work:
      return []
    }
  }

  /// Those that are this many levels below a folder. What else is on the way is not Tessera's.
  private func folders(
    below top: String, levels: Int, _ output: OutputFolder, _ report: inout PruneReport
  ) async throws -> [String] {
    guard levels > 0 else { return [top] }
    var found: [String] = []
    for entry in try await output.published.listIfThere(top) {
      if entry.kind == .folder {
        found += try await folders(
          below: "\(top)/\(entry.name)", levels: levels - 1, output, &report)
      } else {
        report.foreign += 1
      }
    }
    return found
  }

  /// After the files: records of files that are gone leave with them.
  private func collectRows(_ state: StateStore, _ report: inout PruneReport) async throws {
    try await state.nameRows()
    for table in StateStore.Table.allCases {
      var (deleted, waiting) = (0, 0)
      var last: String? = ""
      while let key = last {
        try Task.checkCancellation()
        let part = try await state.collect(
          table, after: key, now: now, grace: grace.inSeconds, isDryRun: isDryRun)
        last = part.last
        deleted += part.deleted
        waiting += part.waiting
      }
      if table != .retired {
        report.count(rows: table.rawValue, deleted: deleted, waiting: waiting)
      }
    }
  }

  /// Files with names that no run gives are not deleted.
  private func prune(
    _ folder: String, of output: OutputFolder, _ state: StateStore, since rollback: Double,
    _ report: inout PruneReport, _ onDelete: (String) -> Void, _ onStay: (String, String) -> Void
  ) async throws {
    for file in try await output.published.listIfThere(folder) {
      try Task.checkCancellation()
      let path = "\(folder)/\(file.name)"
      let place = OutputPlace.of(path)
      if ScreenFolder.isFirst(path) || place == .derived { continue }
      guard place != nil, case .file(let bytes) = file.kind else {
        report.foreign += 1
        continue
      }
      let fate = try await decide(about: path, bytes, state, since: rollback)
      report.count(fate, bytes: bytes)
      if let reason = fate.reasonToStay { onStay(path, reason) }
      guard case .deleted = fate else { continue }
      onDelete(path)
      if !isDryRun {
        // The file first: a kill in between leaves a note without a file, which does no harm.
        try await output.remove(path)
        try await state.forgetRetired(path)
      }
    }
  }

  /// Decides about a file, and records when it left the catalog, or was first seen to have left it.
  private func decide(
    about path: String, _ bytes: Int, _ state: StateStore, since rollback: Double
  ) async throws -> PruneReport.Fate {
    if let naming = try await state.naming(of: path) {
      if isDryRun { return .kept(by: naming) }
      // A file that is named again begins a new grace period when it is dropped again.
      try await state.forgetRetired(path)
      if let since = naming.since {
        // It has begun already, and it ends with the catalog that is kept at the earliest.
        let begun = max(since, (naming.until ?? since) - grace.inSeconds)
        if begun <= now {
          _ = try await state.retired(path, bytes: bytes, now: begun, notes: true)
        }
      }
      return .kept(by: naming)
    }
    var since = try await state.retired(path, bytes: bytes, now: now, notes: !isDryRun)
    if since <= rollback, rollback <= now {
      since = now
      if !isDryRun {
        try await state.forgetRetired(path)
        _ = try await state.retired(path, bytes: bytes, now: now, notes: true)
      }
    }
    if now - since >= grace.inSeconds { return .deleted }
    // Its record stays with it.
    try await state.name([path], by: .init("grace"))
    return .waiting(until: since + grace.inSeconds)
  }
}
