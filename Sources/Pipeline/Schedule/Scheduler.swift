internal import Synchronization
internal import TesseraCatalog
internal import TesseraNet
internal import TesseraState
internal import TesseraSystem

/// Runs many items at once: enough that all transfers and all workers are busy, and few enough that
/// memory does not grow with the manifest.
final class Scheduler: Sendable {
  private let itemPipeline: any ItemPipeline
  private let turns: SourceTurns
  private let copies: RunCopies
  private let upgrades: UpgradeQueue?
  private let lines: RunLines
  private let gate: Gate
  private let sharedFailures: SharedFailures
  private let failures: Mutex<FailureWatch>
  private let meter: ProgressMeter
  private let firstError: FirstError
  private let stop: @Sendable () -> Void
  private let drain: @Sendable () -> Void
  private let draining = Mutex(false)

  /// The manifest's entries that are in flight take at most about this much memory, in bytes. Their
  /// lines of the catalog, which wait for the state, may take as much again.
  private static let entryBytes = 32 << 20

  /// - Parameters:
  ///   - turns: the queue of each source; `copies` are those that items in it wait for.
  ///   - concurrency: transfers at a time.
  ///   - failAbove: in per cent, see ``FailureWatch``.
  ///   - stop: ends everything that is in flight. Called after the first error was noted.
  ///   - drain: ends everything in flight but what is being decoded.
  init(
    itemPipeline: any ItemPipeline, turns: SourceTurns, copies: RunCopies,
    upgrades: UpgradeQueue? = nil,
    lines: RunLines,
    fetcher: any Fetching, concurrency: Int, failAbove: Double, meter: ProgressMeter,
    firstError: FirstError,
    stop: @escaping @Sendable () -> Void, drain: @escaping @Sendable () -> Void
  ) {
    self.itemPipeline = itemPipeline
    self.drain = drain
    self.turns = turns
    self.copies = copies
    (self.upgrades, self.lines) = (upgrades, lines)
    self.meter = meter
    self.firstError = firstError
    self.stop = stop
    // Four items for each transfer: some wait for a worker, for a turn, or for the state.
    let window = max(1_000, concurrency * 4)
    // By bytes, too: two hundred lines with 1 MB of `extra` each must take less than 150 MB.
    let gate = Gate(items: window, bytes: Self.entryBytes) { fetcher.isBlocked }
    // Weak, because the gate holds the fetcher: neither would ever be freed.
    fetcher.whenBlocked { [weak gate] in gate?.wake() }
    self.gate = gate
    sharedFailures = SharedFailures(window: window * Gate.reach)
    failures = Mutex(FailureWatch(limit: failAbove))
  }

  /// Starts an item when there is room for it. Returns at once if an item has failed the run.
  ///
  /// - Parameter lookup: what was known of it when it was read.
  func start(
    _ item: Item, _ lookup: LineReuse.Lookup?,
    in group: inout ThrowingDiscardingTaskGroup<any Error>
  ) async {
    await gate.enter(item.weight)
    // Here and not in the task: places follow the manifest, whichever task runs first.
    // From here on no other item changes the source; if none has since it was looked up, the lookup holds.
    let holds = lookup?.isFresh == false && turns.isUndisturbed(item.sourceKey)
    let (place, known) = (turns.queue.place(item.sourceKey), holds ? lookup : nil)
    meter.started()
    group.addTask { [self] in
      try await run(item, known, at: place)
      gate.leave(item.weight)
    }
  }

  /// Counts an item whose line still applies. Returns false if it has to be processed all the same.
  func takes(_ item: Item, _ lookup: LineReuse.Lookup) throws -> Bool {
    guard case .stands(let line) = lookup, line.verdict.needsNothing,
      turns.isUndisturbed(item.sourceKey)
    else { return false }
    try lines.keep(line.range, of: item)
    meter.standing(line, item)
    try lines.ended(item, line.kept)
    if let value = line.upgrade { upgrades?.offer(value, item) }
    // For `fail-above` it is a success, but not of its host, which was not asked.
    failures.withLock { $0.take(successes: 1) }
    return true
  }

  /// Counts the items of a chunk that is copied.
  func take(_ chunk: Chunk) {
    meter.standing(chunk)
    failures.withLock { $0.take(successes: chunk.count) }
  }

  /// Whether only items that are being decoded are finished.
  var isDraining: Bool { draining.withLock { $0 } }

  /// Has items that are being decoded finished; all others end at once, and none is recorded.
  func beginDraining() {
    draining.withLock { $0 = true }
    drain()
    gate.close()
  }

  /// Ends what is in flight. Items that are still to start end at once.
  func cancel() {
    stop()
    gate.close()
  }

  private func run(
    _ item: Item, _ lookup: LineReuse.Lookup?, at place: KeyedQueue.Place
  ) async throws {
    do {
      await turns.queue.turn(place)
      defer { turns.queue.leave(place) }
      defer { copies.release(item.sourceKey) }
      try Task.checkCancellation()
      if isDraining { throw CancellationError() }
      let context = begin(item)
      try end(try await itemPipeline.result(of: context, lookup), item)
    } catch is CancellationError where isDraining {
      // The others are finished.
    } catch {
      // Before the others are cancelled, whose errors would hide this one.
      firstError.note(error)
      cancel()
      throw error
    }
  }

  @inline(never)
  private func begin(_ item: Item) -> ItemContext {
    failures.withLock { $0.begin(item.host) }
    // After the wait for its turn: an item with the same request may have failed just before.
    return ItemContext(item, sharedFailure: sharedFailures[item.exactKey])
  }

  @inline(never)
  private func end(_ done: ItemDone, _ item: Item) throws {
    if let failure = done.sharedFailure { sharedFailures.add(failure, for: item.exactKey) }
    meter.ended(done.report)
    try lines.ended(item, done.report.kept)
    try watch(done, of: item.host)
    turns.noteEnd(item.sourceKey)
  }

  /// - Throws: ``TesseraError`` of the code `tooManyFailures`.
  private func watch(_ done: ItemDone, of host: String) throws {
    // An item that ran out of the run's time is not a failure of anything, and what failed in an
    // earlier run is not a reason to stop this one.
    let counts =
      done.report.error?.code != FetchError.Code.runDeadline.rawValue
      && done.sharedFailure?.isRemembered != true
    // A stale image is shown as it was: nothing is lost by going on.
    let error = done.report.status == .stale ? nil : done.report.error
    let diagnosis = failures.withLock {
      $0.diagnosis(after: error.map { ($0.code, $0.message) }, of: host, counts: counts)
    }
    if let diagnosis { throw TesseraError.tooManyFailures(diagnosis) }
  }
}
