internal import Synchronization
internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraManifest
internal import TesseraPipelineFile
internal import TesseraState

/// Many items on their way at once: so many that all transfers and all workers have something to do, and not so
/// many that memory grows with the manifest.
final class ItemFlow: Sendable {
  private let runner: any ItemRunning
  private let memory: ItemMemory
  private let fetcher: Fetcher
  private let observer: any RunObserving
  private let stop: @Sendable () -> Void
  private let failures: Mutex<FailureWatch>
  /// One task at a time for each URL, in the order in which they were started.
  private let sources = KeyedQueue<ItemFinding>()
  private let underWay = Mutex(0)
  /// So many items at once.
  private let window: Int

  /// Where the items of the window wait for slow hosts, so many times the window are looked through for others.
  private static let reach = 4

  /// - Parameter stop: ends what is on its way; called before an error is thrown.
  init(
    runner: any ItemRunning, memory: ItemMemory, fetcher: Fetcher, observer: any RunObserving,
    stop: @escaping @Sendable () -> Void
  ) {
    self.runner = runner
    self.memory = memory
    self.fetcher = fetcher
    self.observer = observer
    self.stop = stop
    window = max(1_000, memory.file.fetch.concurrency * 4)
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
        try await sources.work(turn) { finding in
          let clock = ContinuousClock.now
          let result = try await runner.result(
            for: entry, position: position, finding: finding)
          try await finish(result, of: entry, since: clock)
          return ((), result.finding)
        }
      } catch {
        stop()
        throw error
      }
    }
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
      content: result.content)
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
