/// How workers are started and held in check.
package struct WorkerSettings: Sendable {
  /// The path of `tessera-worker`.
  package var executable: String
  package var count: Int
  /// Address space of one worker, in bytes.
  package var memory: Int
  /// Wall time for one job; processor time is limited to the same by the kernel.
  package var time: Duration
  /// The folder that it reads sources from, and the one that it makes files in: beside the system's libraries and fonts no other
  /// is open to it.
  package var sources: String
  package var results: String
  /// A worker is replaced after so many jobs, so that nothing it leaks adds up.
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

/// Workers can't be had at all: not one item's fault, but the end of the run.
package struct WorkerStartError: Error, Sendable, CustomStringConvertible {
  /// A sentence without its full stop.
  package var description: String
}

/// What the pool did.
package struct WorkerStatistics: Sendable, Equatable {
  package var jobs = 0
  /// Workers that had to be replaced because they crashed, hung or made no sense.
  package var replaced = 0
}
