package import TesseraSystem

/// Has jobs done by workers. The run depends on this protocol, and a pool of processes implements it; a test
/// may replace it with a fake that starts no process.
package protocol Transcoding: Sendable {
  /// What the workers work with.
  var capabilities: WorkerCapabilities { get }

  /// Has one job done. Waits for a free worker. A failure of the image is an answer.
  ///
  /// - Parameter watch: measures the work, without the wait for a worker.
  /// - Throws: ``TesseraError`` if no worker can be started any more.
  func perform(
    _ job: TranscodeJob, of source: JobSource, watch: JobWatch?
  ) async throws(TesseraError) -> TranscodeAnswer

  /// Has a part of a table made.
  ///
  /// - Throws: ``TesseraError`` if no worker can be started any more.
  func perform(_ job: TableJob, of source: JobSource) async throws(TesseraError) -> TableAnswer

  /// To be called when no other images will come than those in flight. From then on the largest job
  /// waits least, and workers that have none help with the files of others.
  func expectLastJobs()

  /// Totals so far, and what is being done.
  var statistics: WorkerStatistics { get }

  /// Has jobs finished that workers have; all others end as cancelled.
  func drain()

  /// Ends all jobs as cancelled, and every later one at once.
  func close()
}

extension Transcoding {
  /// Has one job done, and does not measure it.
  package func perform(
    _ job: TranscodeJob, of source: JobSource
  ) async throws(TesseraError) -> TranscodeAnswer {
    try await perform(job, of: source, watch: nil)
  }
}
