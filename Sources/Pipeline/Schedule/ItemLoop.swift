internal import Synchronization
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// Reads the manifest and has the scheduler run its items, in the configured order.
struct ItemLoop: Sendable {
  private let runContext: RunContext
  private let reading: ManifestReading
  private let scheduler: Scheduler
  private let meter: ProgressMeter
  private let firstError = FirstError()

  /// - Parameters:
  ///   - stop: ends everything that is in flight.
  ///   - drain: ends everything in flight but what is being decoded.
  init(
    _ itemPipeline: any ItemPipeline, _ reading: ManifestReading, meter: ProgressMeter,
    stop: @escaping @Sendable () -> Void, drain: @escaping @Sendable () -> Void = {}
  ) {
    (runContext, self.reading, self.meter) = (reading.runContext, reading, meter)
    scheduler = Scheduler(
      itemPipeline: itemPipeline, turns: runContext.turns, copies: runContext.copies.run,
      upgrades: runContext.upgrades,
      lines: runContext.lines,
      fetcher: runContext.fetcher,
      concurrency: runContext.file.fetch.concurrency,
      failAbove: reading.checks.allowsFailures ? 100 : runContext.file.failAbove, meter: meter,
      firstError: firstError, stop: stop, drain: drain)
  }

  /// Has items that are being decoded finished, and ``run(_:)`` end with a `CancellationError`.
  func drain() { scheduler.beginDraining() }

  /// Runs all items to their ends. Returns how many there were.
  ///
  /// - Throws: the first error that any item failed with. What was done is kept.
  func run(_ manifest: ManifestStream) async throws -> Int {
    do {
      let items = try await withTaskCancellationHandler {
        try await runAll(manifest)
      } onCancel: {
        // Transfers and workers end at once, and with them the tasks that wait for them.
        scheduler.cancel()
      }
      try Task.checkCancellation()
      return items
    } catch {
      // As far as the state can still be written; the error below is the reason either way.
      try? await runContext.state.commit()
      throw firstError.error ?? error
    }
  }

  private func runAll(_ manifest: ManifestStream) async throws -> Int {
    var entries = reading.entries(manifest)
    try await withThrowingDiscardingTaskGroup { group in
      do {
        try await startAll(&entries, of: manifest, in: &group)
      } catch  where scheduler.isDraining {
        // The manifest was closed. What is being decoded is waited for.
      } catch {
        // Before the group cancels its tasks, whose errors would only be consequences.
        firstError.note(error)
        throw error
      }
    }
    if scheduler.isDraining { throw CancellationError() }
    return entries.count
  }

  /// Starts every item of the manifest. Returns early if an item has failed the run: the group throws
  /// its error when all tasks have ended.
  private func startAll(
    _ entries: inout EntryStream, of manifest: ManifestStream,
    in group: inout ThrowingDiscardingTaskGroup<any Error>
  ) async throws {
    var backwards: NewestFirst?
    // Named images wait until all names have been found.
    if runContext.file.fetch.order == .newestFirst || reading.selection?.wanted.ids.isEmpty == false
    {
      backwards = try NewestFirst(in: runContext.workspace.spoolDirectory)
    }
    var isStopped = false
    try await reading.read(&entries) { batch in
      meter.read(manifest.bytesRead, of: manifest.size)
      for record in batch {
        try Task.checkCancellation()
        switch record {
        case .repeated: break
        case .standing(let chunk): scheduler.take(chunk)
        case .forgotten: meter.forgotten()
        case .problem(let problem): meter.problem(problem)
        case .item(let item, let lookup?) where try scheduler.takes(item, lookup): break
        case .item(let item, let lookup):
          if try backwards?.add(item) != nil { continue }
          await scheduler.start(item, lookup, in: &group)
          isStopped = group.isCancelled || scheduler.isDraining
          if isStopped { return false }
        }
      }
      return true
    }
    if isStopped { return }
    meter.endReading(entries.count)
    // Each shard reads all lines of a manifest that is not split; the first one counts for all of them.
    if reading.shard?.index ?? 0 == 0 || manifest.shard != nil { meter.encoded(manifest.encoded) }
    for sentence in try await reading.check(entries, manifest) { meter.warn(sentence) }
    while let (entry, position, chunk, slot) = try backwards?.next() {
      try Task.checkCancellation()
      let item = Item(entry, position: position, runContext.file.fetch, shown: manifest.shown)
        .placed(at: position, in: chunk, slot: slot)
      await scheduler.start(item, nil, in: &group)
      if group.isCancelled || scheduler.isDraining { return }
    }
    // Upgrades come later.
    if runContext.upgrades == nil { runContext.transcoder.expectLastJobs() }
  }
}

/// Keeps the first error of many tasks: those that follow are mostly its consequences, since the
/// others are stopped because of it.
final class FirstError: Sendable {
  private let first = Mutex<(any Error)?>(nil)

  var error: (any Error)? { first.withLock(\.self) }

  func note(_ error: any Error) { first.withLock { $0 = $0 ?? error } }
}

/// Reads the manifest of a run, or of a look at the next one, to its end.
struct ManifestReading: Sendable {
  let runContext: RunContext
  let checks: RunChecks
  /// Whose items are read; nil for all.
  let shard: Shard?
  /// Selects the items that the run is for; nil for all.
  let selection: EntrySelection?

  /// The entries, whose ids `ledger` remembers: the state of the run, which has its lines, too; another one if nothing is
  /// changed.
  func entries(_ manifest: ManifestStream, ledger: StateStore? = nil) -> EntryStream {
    if runContext.chunks != nil || selection?.needsParts == true { manifest.makeParts() }
    return EntryStream(
      manifest, runContext.file.fetch, ledger: ledger ?? runContext.state,
      run: ledger == nil ? runContext.run : 1, standing: runContext.standing,
      chunks: runContext.chunks, claims: runContext.claims,
      lines: ledger == nil ? runContext.lines : nil,
      filter: ShardFilter(shard: shard, hasUnboundHeaders: runContext.file.fetch.hasUnboundHeaders),
      forgotten: checks.forgotten, selection: selection)
  }

  /// Has all entries taken, in batches, until `take` returns false.
  func read(
    _ entries: inout EntryStream, _ take: ([EntryStream.Record]) async throws -> Bool
  ) async throws {
    while true {
      // Before `next`, which looks items up: items that end meanwhile may have changed a source.
      runContext.turns.beginVerdicts()
      guard let batch = try await entries.next() else { break }
      guard try await take(batch) else { return }
    }
    runContext.turns.endVerdicts()
  }

  /// What is to be said of a manifest that was read to its end.
  ///
  /// - Throws: if the run does not accept it.
  func check(_ entries: EntryStream, _ manifest: ManifestStream) async throws -> [String] {
    try checks.check(entries, manifest, runContext.claims)
    let note = checks.shrinking?.note(onItems: entries.count)
    return [note].compactMap(\.self)
      + (try await selection?.check(runContext.output, checks.forgotten) ?? [])
  }
}
