internal import TesseraJSON
internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// What a person on call wants to know of an output: the last runs, what fails, what is kept and why, and how it grows.
///
/// It takes no lock and writes nothing, so it holds up no run; of one that is at work it shows what is saved so far.
struct OutputStatus: Sendable {
  /// The output as it was named.
  var output: String
  /// In seconds since 1970.
  var now: Double
  /// The process that is at work on it: a clause; nil if none is.
  var holder: String?
  /// Since when, in seconds since 1970; nil if its lock does not say.
  var busySince: Double?
  /// How many images the run that is at work has done; nil if it has not begun with them.
  var imagesDone: Int?
  /// The newest first.
  var runs: [RecordedRun] = []
  var summary: HistorySummary { HistorySummary(runs.map(\.entry), now: now) }
  var failures = FailureCensus()
  /// Hosts that rejected all or nearly all requests of the last run. Empty if that has no result: then it has no report, and
  /// the errors of ``failures`` have the HTTP statuses.
  var bans: [HostBan] = []
  var unnamed = StateStore.UnnamedFiles()
  var kept = KeptPlaces()
  var figures = OutputFigures()
  /// Whether there is a state, of the whole or of a shard.
  var hasState = false
  /// Whether a run began after all that left an entry, and no process is at work: it was killed.
  var wasKilled = false
  /// Why a part of it is missing: a sentence each.
  var problems: [String] = []

  private static let batch = 500

  /// - Parameters:
  ///   - root: the output of a run.
  ///   - state: the directory of the state of an output in an object store.
  ///   - now: in seconds since 1970; nil for the present.
  /// - Throws: ``TesseraError`` if it is not the output of a run, or this user may not read its state; or
  ///   `CancellationError`.
  static func read(
    _ root: String, state: String? = nil, store: StoreSettings = StoreSettings(), now: Double? = nil
  ) async throws -> OutputStatus {
    let folder = try OutputFolder(root, state: state, store: store)
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
      throw TesseraError(
        .output,
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

// What is counted, for those who print it.
extension OutputStatus {
  /// The hosts that ban, and what to do: a clause each.
  var banNotes: [String] { bans.map { "\($0.clause); \($0.remedy)" } }

  /// Files that the state records; nil if it can't be read.
  var recorded: (count: Int, bytes: Int)? {
    guard let count = figures.files, let bytes = figures.fileBytes else { return nil }
    return (count, bytes)
  }

  /// ``busySince`` in UTC.
  var busyTime: String? { busySince.map(Host.timestamp) }

  /// In bytes.
  var stateSize: Int? { figures.stateBytes }
  /// In bytes; nil for an object store.
  var freeSpace: Int? { figures.freeBytes }
  var ageOfOldestStale: Int? { figures.oldestStaleSeconds }
  /// How long stale images are shown, in seconds; nil if no run has recorded it.
  var keepStale: Int? { figures.keepStaleSeconds }
  /// Until when the oldest stale image is shown if its server does not confirm it, in UTC.
  var staleEnd: String? { failures.oldestStale.flatMap(staleEnd(of:)) }

  /// The same of one that was last confirmed at a time in seconds since 1970.
  func staleEnd(of checked: Double) -> String? {
    keepStale.map { Host.timestamp(checked + Double($0)) }
  }

  /// In bytes a day.
  var growth: Int? { figures.bytesPerDay }
  /// In seconds.
  var timeToFull: Int? { figures.secondsToFull }

  /// Files that `prune` would delete now, and files that it would delete later.
  var prunableNow: (count: Int, bytes: Int) { (unnamed.deletable, unnamed.deletableBytes) }
  var prunableLater: (count: Int, bytes: Int) { (unnamed.waiting, unnamed.waitingBytes) }
  /// When the first of these may be deleted, in UTC.
  var nextPrunable: String? { unnamed.nextDeletion.map(Host.timestamp) }
}

// Which run the parts of a status are of.
extension OutputStatus {
  /// The run whose results ``failures`` has, if it left the catalog as it was; nil if they are those of the catalog, and for a
  /// run that was killed (``wasKilled``).
  var runWithoutCatalog: RecordedRun? {
    // One without a number had not begun with its images.
    guard !wasKilled, let last = runs.first(where: { $0.entry.run != nil }), !last.isSuccess else {
      return nil
    }
    return last
  }

  /// What follows if there is a catalog and no state: a sentence; nil if all is as it should be.
  var missingState: String? {
    // A run that begins makes one; a catalog that was merged may have all its states on other machines.
    guard let current = kept.current, holder == nil, kept.shards == 0, lastReported?.isMerge != true
    else { return nil }
    let images = current.images.map { $0 == 1 ? "the image" : "all \($0) images" } ?? "all images"
    return "there is no state: the next run fetches \(images)"
      + (isInStore
        ? "; if \"state\" in the pipeline file names its directory, name it, too (--state)" : "")
  }

  /// What is wrong with the catalog that apps read: a sentence; nil if nothing is.
  var catalogProblem: String? {
    let back = kept.catalogs.isEmpty ? "" : ", and tessera rollback makes an earlier one current"
    if let damage = kept.damage {
      return "catalog.json \(damage): the next run writes it again\(back)"
    }
    // A shard writes none.
    guard kept.current == nil, holder == nil,
      runs.contains(where: { $0.shard == nil && $0.hasReport && $0.isSuccess })
    else { return nil }
    return
      "there is no catalog.json, though a run has written one: the next run writes it again\(back)"
  }

  private var isInStore: Bool { OpenOutput.isInStore(output) }

  /// The last run with a result; nil if it is not known.
  private var lastReported: RecordedRun? { runs.first { $0.hasReport && $0.isSuccess } }

  /// The run that the current catalog is of, or the rollback that made it current; nil if it is not known.
  var catalogRun: RecordedRun? { rollback ?? lastReported }

  private var rollback: RecordedRun? {
    let last = runs.first { ($0.hasReport && $0.isSuccess) || $0.isRollback }
    // A run that was killed may have replaced it since.
    return last?.isRollback == true && kept.hasCurrent ? last : nil
  }

  /// When the current catalog, an earlier one, became that again, in UTC; nil if it is that of the last run.
  var rollbackTime: String? { rollback?.time }
}

extension OutputStatus {
  /// The document that `status --json` prints.
  ///
  /// - Parameter count: how many of the last runs it has.
  func json(runs count: Int) -> [UInt8] { StatusDocument(self, runs: count).json }
}

private struct StatusDocument: JSONDocument {
  let schema = "tessera-status/1"
  let output, time: String
  let inProgress, inProgressSince: String?
  let imagesDone: Int?
  let killed: Bool
  let problems: [String]
  let runs: [RecordedRun]
  let summary: HistorySummary
  let failures: Failures
  let bans: [HostBan]
  let kept: Kept
  let prune: Prune
  let figures: OutputFigures

  /// A person gets fewer.
  private static let listedHosts = 1_000

  struct Failures: Encodable {
    let ofRun: String?
    let failed, stale: Int
    let staleUntil: String?
    let byCode, byHost: [Group]
    let withoutHost: Int
    let isApproximate: Bool
  }

  struct Group: Encodable {
    let name: String
    let images: Int
    let ids: [String]
    let staleUntil: String?
    let httpStatuses: JSONMembers<Int>?
  }

  struct Kept: Encodable {
    let catalog: Catalog?
    let catalogs: [KeptCatalogList.Entry]
    let screens, changes, shardResults: Int
  }

  struct Catalog: Encodable {
    let path: String
    let images: Int?
    let bytes: Int
    let digest: String
    let rolledBack: String?
  }

  struct Prune: Encodable {
    let deletable, deletableBytes, waiting, waitingBytes: Int
    let nextDeletion: String?
  }

  init(_ status: OutputStatus, runs count: Int) {
    func groups(_ groups: some Sequence<FailureCensus.Group>) -> [Group] {
      groups.map { group in
        Group(
          name: group.name, images: group.count, ids: group.ids,
          staleUntil: group.oldestStale.flatMap(status.staleEnd(of:)),
          httpStatuses: group.httpStatuses.isEmpty
            ? nil : JSONMembers(group.statuses.map { ("\($0.status)", $0.count) }))
      }
    }
    let (failed, places, unnamed) = (status.failures, status.kept, status.unnamed)
    (output, time) = (status.output, Host.timestamp(status.now))
    (inProgress, inProgressSince) = (status.holder, status.busySince.map(Host.timestamp))
    (imagesDone, killed, problems) = (status.imagesDone, status.wasKilled, status.problems)
    (runs, summary) = (Array(status.runs.prefix(count)), status.summary)
    failures = Failures(
      ofRun: status.runWithoutCatalog?.time, failed: failed.failed, stale: failed.stale,
      staleUntil: status.staleEnd, byCode: groups(failed.byCode),
      byHost: groups(failed.byHost.prefix(Self.listedHosts)), withoutHost: failed.withoutHost,
      isApproximate: failed.isApproximate)
    bans = status.bans
    kept = Kept(
      catalog: places.current.map { current in
        Catalog(
          path: current.name, images: current.images, bytes: current.bytes, digest: current.digest,
          rolledBack: status.rollbackTime)
      }, catalogs: places.catalogs, screens: places.screens, changes: places.changes,
      shardResults: places.shards)
    prune = Prune(
      deletable: unnamed.deletable, deletableBytes: unnamed.deletableBytes,
      waiting: unnamed.waiting, waitingBytes: unnamed.waitingBytes,
      nextDeletion: unnamed.nextDeletion.map(Host.timestamp))
    figures = status.figures
  }
}

extension RecordedRun: Encodable {
  private enum CodingKeys: CodingKey { case time, shard }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: CodingKeys.self)
    try object.encode(time, forKey: .time)
    try object.encodeIfPresent(shard, forKey: .shard)
    try entry.encode(to: encoder)
  }
}

/// A run, or a tool that has changed an output, which has left an entry in the history of an output.
struct RecordedRun: Sendable {
  let entry: HistoryEntry
  /// The shard of a run: `3/8`; nil for one of all items, and for tools.
  let shard: String?

  init(_ entry: HistoryEntry, shard: String?) { (self.entry, self.shard) = (entry, shard) }

  /// In seconds since 1970.
  var ended: Double { entry.ended }
  /// The same in UTC.
  var time: String { Host.timestamp(entry.ended) }
  var seconds: Double { entry.seconds }
  var isRun: Bool { entry.kind == .run }
  var isStopped: Bool { entry.outcome == .stopped }
  var isMerge: Bool { entry.kind == .merge }
  var isRollback: Bool { entry.kind == .rollback }
  var isPrune: Bool { entry.kind == .prune }
  /// Whether `run.json` is of it, if it came to a result.
  var hasReport: Bool { entry.kind == .merge || (entry.kind == .run && shard == nil) }
  /// Whether it came to a result.
  var isSuccess: Bool { entry.outcome.isSuccess }
  /// `run`, `run of some`, `shard 3/8`, or the name of the tool.
  var name: String {
    shard.map { "shard \($0)" } ?? entry.kind.rawValue + (others == nil ? "" : " of some")
  }
  /// `done`, or `failed: lost-images`.
  var result: String {
    entry.reason.map { "\(entry.outcome.rawValue): \($0)" } ?? entry.outcome.rawValue
  }

  /// Images of a status; nil if they were not counted.
  func count(_ status: String) -> Int? { entry.counts[status] }

  /// Images of a run of some that stayed as the catalog had them; nil for a run of all.
  var others: Int? { entry.counts[HistoryEntry.others] }

  var requests: Int? { entry.work[.requests] }
  /// Images that failed since the run, and that worked again.
  var newFailures: Int? { entry.work[.newFailures] }
  var solvedFailures: Int? { entry.work[.solvedFailures] }
  var fetchedBytes: Int? { entry.work[.fetchedBytes] }
  var writtenBytes: Int? { entry.work[.writtenBytes] }
  var encodes: Int? { entry.work[.encodes] }
  var deletedFiles: Int? { entry.work[.deletedFiles] }
  var deletedBytes: Int? { entry.work[.deletedBytes] }
}
