internal import Synchronization
internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraManifest
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// Many items on their way at once: so many that all transfers and all workers have something to do, and not so
/// many that memory grows with the manifest.
final class ItemFlow: Sendable {
  private let runner: any ItemRunning
  private let memory: ItemMemory
  private let fetcher: Fetcher
  private let observer: any RunObserving
  private let stop: @Sendable () -> Void
  private let failures: Mutex<FailureWatch>
  /// One task at a time for each source, in the order in which they were started.
  private let sources: KeyedQueue
  private let copies: RunCopies
  /// What was found out about URLs that there is nothing to show of, by their digests: nobody asks for them again in
  /// this run. By what is asked for, and not by the source's key: another token may lead to another answer.
  private let findings: Mutex<RecentValues<ItemFinding>>
  private let underWay = Mutex(0)
  /// The sources of items that have ended since the last verdicts were begun; nil when there will be no more verdicts.
  private let ended = Mutex<Set<String>?>([])
  /// So many items at once.
  private let window: Int
  /// Nil in runs whose lines are not for others.
  private let standing: StandingItems?

  /// Where the items of the window wait for slow hosts, so many times the window are looked through for others.
  private static let reach = 4
  /// So many findings are kept at least: more than a window has items, and no more than a few megabytes.
  private static let findingsKept = 10_000

  /// - Parameters:
  ///   - sources: the queue of each source; `copies` are those that are awaited in it.
  ///   - standing: nil in runs whose lines do not stand for others.
  ///   - stop: ends what is on its way; called before an error is thrown.
  init(
    runner: any ItemRunning, memory: ItemMemory, sources: KeyedQueue, copies: RunCopies,
    standing: StandingItems?, fetcher: Fetcher, observer: any RunObserving,
    stop: @escaping @Sendable () -> Void
  ) {
    self.sources = sources
    self.copies = copies
    self.standing = standing
    self.runner = runner
    self.memory = memory
    self.fetcher = fetcher
    self.observer = observer
    self.stop = stop
    window = max(1_000, memory.file.fetch.concurrency * 4)
    findings = Mutex(RecentValues(atLeast: max(Self.findingsKept, window * Self.reach)))
    failures = Mutex(FailureWatch(limit: memory.file.failAbove))
  }

  /// Sends an entry on its way, when there is a place for it. Returns at once where the group has an error.
  func start(
    _ entry: ManifestEntry, _ position: Int,
    in group: inout ThrowingDiscardingTaskGroup<any Error>
  ) async throws {
    // Places become free, and hosts turn out to be slow, at any time; waiting for one of both would miss the other.
    while isFull {
      if group.isCancelled { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    underWay.withLock { $0 += 1 }
    let turn = sources.place(memory.file.sourceKey(for: entry))
    group.addTask { [self] in
      defer { underWay.withLock { $0 -= 1 } }
      do {
        try await sources.work(turn) {
          defer { copies.release(turn.key) }
          let clock = ContinuousClock.now
          let url = memory.urlDigest(entry)
          let finding = findings.withLock { $0[url] }
          let result = try await runner.result(
            for: entry, position: position, finding: finding)
          if let found = result.finding { findings.withLock { $0[url] = found } }
          try await finish(result, of: entry, since: clock)
          // Before the source is let go: who looks for both must find one.
          ended.withLock { _ = $0?.insert(turn.key) }
        }
      } catch {
        stop()
        throw error
      }
    }
  }

  /// To be called before verdicts are asked for.
  func beginVerdicts() { ended.withLock { $0 = [] } }

  /// To be called when no more verdicts will be asked for.
  func endVerdicts() { ended.withLock { $0 = nil } }

  /// Counts an entry whose line stands. Returns false where it has to be worked on all the same: another item with
  /// its source is on its way, or was when the verdict was made, and may have found that it has changed.
  func stands(_ verdict: StandingItems.Verdict) -> Bool {
    if sources.hasPlaces(verdict.source) || ended.withLock({ $0?.contains(verdict.source) ?? true })
    {
      return false
    }
    memory.recorder.add(verdict)
    _ = failures.withLock { $0.diagnosis(after: nil, isOfDeadHost: false) }
    return true
  }

  /// Whether items are on their way.
  var isBusy: Bool { underWay.withLock(\.self) > 0 }

  private var isFull: Bool {
    let count = underWay.withLock(\.self)
    return count >= window && !(count < window * Self.reach && fetcher.isBlocked)
  }

  private func finish(
    _ result: ItemResult, of entry: ManifestEntry, since start: ContinuousClock.Instant
  ) async throws {
    var image = result.image
    if memory.file.profile == .full, [.ok, .stale].contains(image.status) {
      image.source = try await memory.provenance(entry)
    }
    let line = CatalogWriter.line(image, extra: entry.extra)
    try await memory.state.finish(
      id: entry.id, result: line, status: image.status.rawValue, reason: result.reason,
      content: result.content, basis: image.status == .ok ? standing?.basis(entry) : nil)
    memory.recorder.add(image, seconds: start.duration(to: .now).inSeconds)
    if let error = image.error { observer.failed(image.id, error) }
    // That the time was up is nobody's failure.
    guard image.error?.code != FetchError.Code.runDeadline.rawValue else { return }
    let isGivenUp =
      if case .unreachable(let error) = result.finding { error.isHostGivenUp } else { false }
    let diagnosis = failures.withLock {
      $0.diagnosis(after: image.error.map { ($0.code, $0.message) }, isOfDeadHost: isGivenUp)
    }
    if let diagnosis { throw PipelineError.tooManyFailures(diagnosis) }
  }
}
