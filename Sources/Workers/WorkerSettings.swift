/// How workers are started and limited.
package struct WorkerSettings: Sendable {
  /// The path of `tessera-worker`.
  package var executable: String
  package var count: Int
  /// The address space of one worker, in bytes.
  package var memory: Int
  /// Wall-clock time for one job. The kernel limits the worker's processor time to little more.
  package var time: Duration
  /// The folder that workers read sources from. Besides this folder, the one for results, and the
  /// system's libraries and fonts, a confined worker can open nothing.
  package var sources: String
  /// The folder that workers create files in.
  package var results: String
  /// A worker is replaced after this many jobs, so that leaks do not add up.
  package var jobsPerWorker = 1_000

  package init(
    executable: String, count: Int, memory: Int, time: Duration, sources: String, results: String
  ) {
    self.executable = executable
    self.count = count
    self.memory = memory
    self.time = time
    self.sources = sources
    self.results = results
  }
}

/// Workers cannot be started at all. This is not one item's failure but the end of the run.
package struct WorkerStartError: Error, Sendable, CustomStringConvertible {
  /// A sentence without its full stop.
  package var description: String
}

/// What the pool has done so far.
package struct WorkerStatistics: Sendable, Equatable {
  package var jobs = 0
  /// Workers that were replaced because they crashed, hung or sent garbage.
  package var replaced = 0
}
