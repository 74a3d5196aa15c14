internal import Dispatch
internal import Synchronization
internal import TesseraWire

/// What the lanes of a pool share: waiting jobs, running workers, and whether the pool was closed.
final class JobQueue: Sendable {
  typealias Answer = Result<TranscodeReply, WorkerStartError>

  struct Entry: Sendable {
    let job: TranscodeJob
    /// Has to be called once.
    let finish: @Sendable (Answer) -> Void
  }

  private struct State {
    var entries: [Entry] = []
    var isClosed = false
    /// Why no worker can be started any more.
    var startError: WorkerStartError?
    var live: [ObjectIdentifier: WorkerProcess] = [:]
    var statistics = WorkerStatistics()
  }

  private let state = Mutex(State())
  /// Counts entries, and at the end one signal for each lane.
  private let available = DispatchSemaphore(value: 0)

  var isClosed: Bool { state.withLock { $0.isClosed } }
  var statistics: WorkerStatistics { state.withLock { $0.statistics } }

  // MARK: Jobs

  /// Appends a job, or finishes it at once if the pool takes no more jobs.
  func add(_ entry: Entry) {
    let rejection = state.withLock { state -> Answer? in
      if let error = state.startError { return .failure(error) }
      if state.isClosed { return .success(.failed(.stopped)) }
      state.entries.append(entry)
      return nil
    }
    // Outside the lock, because `finish` runs code of the caller.
    if let rejection { entry.finish(rejection) } else { available.signal() }
  }

  /// Blocks until there is a job. Nil once the queue is closed.
  func next() -> Entry? {
    while true {
      available.wait()
      let (entry, isClosed) = state.withLock { state -> (Entry?, Bool) in
        guard !state.entries.isEmpty else { return (nil, state.isClosed) }
        state.statistics.jobs += 1
        return (state.entries.removeFirst(), state.isClosed)
      }
      if let entry { return entry }
      // A signal without an entry: its job was finished by `fail`.
      if isClosed { return nil }
    }
  }

  /// Fails all waiting jobs, and all that come later, because workers cannot be started.
  func fail(_ error: WorkerStartError) {
    let waiting = state.withLock { state in
      state.startError = state.startError ?? error
      defer { state.entries = [] }
      return state.entries
    }
    for entry in waiting { entry.finish(.failure(error)) }
  }

  /// Kills all workers and cancels all waiting jobs.
  ///
  /// - Parameter lanes: how many callers of ``next()`` there are.
  func close(lanes: Int) {
    let (waiting, live) = state.withLock { state in
      state.isClosed = true
      defer { state.entries = [] }
      return (state.entries, Array(state.live.values))
    }
    // Outside the lock: `kill` waits for the process's own lock, which `end` may hold for 100 ms.
    for process in live { process.kill() }
    for entry in waiting { entry.finish(.success(.failed(.stopped))) }
    for _ in 0..<lanes { available.signal() }
  }

  // MARK: Workers

  /// Records a worker, so that ``close(lanes:)`` can kill it.
  func register(_ process: WorkerProcess) {
    let isClosed = state.withLock { state in
      state.live[ObjectIdentifier(process)] = process
      return state.isClosed
    }
    // Closed while this worker was starting: `close` did not see it.
    if isClosed { process.kill() }
  }

  /// Removes a worker that has ended.
  ///
  /// - Parameter isReplaced: whether it failed, which the statistics count.
  func unregister(_ process: WorkerProcess, isReplaced: Bool) {
    state.withLock { state in
      state.live[ObjectIdentifier(process)] = nil
      if isReplaced { state.statistics.replaced += 1 }
    }
  }
}
