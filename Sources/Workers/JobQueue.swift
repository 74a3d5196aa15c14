internal import Dispatch
internal import Synchronization
internal import TesseraSystem

/// What the lanes of a pool share: waiting jobs, the fork server, and whether the pool was closed.
final class JobQueue: Sendable {
  typealias Answer = Result<JobOutcome, TesseraError>

  struct Entry: Sendable {
    let job: any WorkerJob
    let source: JobSource
    let watch: JobWatch?
    /// Has to be called once.
    let finish: @Sendable (Answer) -> Void
  }

  private struct State {
    var entries: [Entry] = []
    /// Callers of ``next()`` that have no job yet.
    var waiting = 0
    /// Whether no more jobs will come than those of the images in flight.
    var isLast = false
    var isClosed = false
    /// Whether only jobs in progress are finished.
    var isDraining = false
    /// Why no worker can be started any more.
    var startError: TesseraError?
    var server: ForkServer?
    var statistics = WorkerStatistics()

    mutating func takeEntry() -> Entry {
      let largest =
        isLast ? entries.indices.min { entries[$0].job.work > entries[$1].job.work } : nil
      return entries.remove(at: largest ?? 0)
    }
  }

  private let state = Mutex(State())
  /// Counts entries, and at the end one signal for each lane.
  private let available = DispatchSemaphore(value: 0)

  var isClosed: Bool { state.withLock { $0.isClosed } }
  var statistics: WorkerStatistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.waiting = state.entries.count
      return statistics
    }
  }

  // MARK: Jobs

  /// Appends a job, or finishes it at once if the pool takes no more jobs.
  func add(_ entry: Entry) {
    let rejection = state.withLock { state -> Answer? in
      if let error = state.startError { return .failure(error) }
      if state.isClosed || state.isDraining { return .success(.stopped) }
      state.entries.append(entry)
      return nil
    }
    // Outside the lock, because `finish` runs code of the caller.
    if let rejection { entry.finish(rejection) } else { available.signal() }
  }

  /// To be called when no more jobs will come than those of the images in flight. From then on the
  /// largest job is the next one, so that no worker has it alone at the end.
  func beginLast() { state.withLock { $0.isLast = true } }

  /// How many of the last jobs could start at once; 0 as long as others may come.
  var room: Int {
    state.withLock { $0.isLast ? max(0, $0.waiting - $0.entries.count) : 0 }
  }

  /// Blocks until there is a job. Nil once the queue is closed.
  func next() -> Entry? {
    state.withLock { $0.waiting += 1 }
    while true {
      available.wait()
      let (entry, isClosed) = state.withLock { state -> (Entry?, Bool) in
        guard !state.entries.isEmpty else { return (nil, state.isClosed) }
        state.statistics.jobs += 1
        state.statistics.working += 1
        state.waiting -= 1
        return (state.takeEntry(), state.isClosed)
      }
      if let entry { return entry }
      // A signal without an entry: its job was finished by `fail`.
      if isClosed { return nil }
    }
  }

  /// Fails all waiting jobs, and all that come later, because workers cannot be started.
  func fail(_ error: TesseraError) {
    let waiting = state.withLock { state in
      state.startError = state.startError ?? error
      defer { state.entries = [] }
      return state.entries
    }
    for entry in waiting { entry.finish(.failure(error)) }
  }

  /// A caller of ``next()`` has done its job.
  func endJob() { state.withLock { $0.statistics.working -= 1 } }

  /// Cancels all waiting jobs, and all that come later. Those in progress are finished.
  func drain() {
    let waiting = state.withLock { state in
      state.isDraining = true
      defer { state.entries = [] }
      return state.entries
    }
    for entry in waiting { entry.finish(.success(.stopped)) }
  }

  /// Ends all workers and cancels all waiting jobs.
  ///
  /// - Parameter lanes: how many callers of ``next()`` there are.
  func close(lanes: Int) {
    let (waiting, server) = state.withLock { state in
      state.isClosed = true
      defer { state.entries = [] }
      return (state.entries, state.server)
    }
    // Outside the lock, because it waits for the process to end.
    server?.end()
    for entry in waiting { entry.finish(.success(.stopped)) }
    for _ in 0..<lanes { available.signal() }
  }

  // MARK: Workers

  /// The fork server, as long as it is not known to have ended.
  var server: ForkServer? { state.withLock { $0.server } }

  /// Makes a fork server the current one, unless another lane was faster.
  ///
  /// - Returns: the current one.
  func register(_ server: ForkServer) -> ForkServer {
    let (current, isClosed) = state.withLock { state in
      let current = state.server ?? server
      state.server = current
      return (current, state.isClosed)
    }
    // Closed while it was starting: `close` did not see it.
    if isClosed { current.end() }
    return current
  }

  /// Forgets a fork server that has ended.
  func unregister(_ server: ForkServer) {
    state.withLock { state in if state.server === server { state.server = nil } }
  }

  /// Counts a worker that failed.
  func countReplaced() { state.withLock { $0.statistics.replaced += 1 } }
}

/// Adds up the time that workers spend on an image.
package final class JobWatch: Sendable {
  private let total = Mutex(Duration.zero)

  package init() {}

  package var time: Duration { total.withLock { $0 } }

  package func add(_ time: Duration) { total.withLock { $0 += time } }
}
