/// How workers are started and limited.
package struct WorkerSettings: Sendable {
  /// The path of `tessera-worker`.
  package var executable: String
  package var count: Int
  /// The address space of one worker, in bytes.
  package var memory: Int
  /// Wall-clock time for one job. The kernel limits the worker's processor time to little more.
  package var time: Duration
  /// A worker is replaced after this many jobs, so that leaks do not add up. Another one is forked in
  /// a few milliseconds.
  package var jobsPerWorker = 100
  /// Called when a worker has crashed, hung or sent garbage, with a clause with "it" as its subject.
  package var replaced: @Sendable (_ reason: String) -> Void

  package init(
    executable: String, count: Int, memory: Int, time: Duration,
    replaced: @escaping @Sendable (_ reason: String) -> Void = { _ in }
  ) {
    self.executable = executable
    self.count = count
    self.memory = memory
    self.time = time
    self.replaced = replaced
  }
}

/// What the pool has done so far.
package struct WorkerStatistics: Sendable, Equatable {
  package var jobs = 0
  /// Workers that were replaced because they crashed, hung or sent garbage.
  package var replaced = 0
  /// Jobs that wait for a worker, and jobs that workers have.
  package var waiting = 0
  package var working = 0

  package init() {}
}
