package import TesseraPlan
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

/// What became of a job.
package enum TranscodeAnswer: Sendable {
  case made(MadeFiles)
  /// No file is made: the source is not what the plan was made for.
  case differs(SourceFacts)
  case failed(TranscodeFailure)
}

/// The files of a job, which no process can change any more, and what the worker learned of the source.
package struct MadeFiles: Sendable {
  package let result: TranscodeResult
  private let read: @Sendable (_ index: Int) throws(SystemError) -> [UInt8]

  /// - Parameter read: reads a file whole, by its position in the job.
  package init(
    _ result: TranscodeResult,
    read: @escaping @Sendable (_ index: Int) throws(SystemError) -> [UInt8]
  ) {
    self.result = result
    self.read = read
  }

  package func bytes(of index: Int) throws(SystemError) -> [UInt8] { try read(index) }
}

/// What became of a job for a part of a table.
package enum TableAnswer: Sendable {
  /// An entry's bytes for each entry, or an atlas; and the entries that could not be decoded, ascending.
  case made([UInt8], leftOut: [Int])
  case failed(TranscodeFailure)
}

extension TranscodeAnswer {
  init(_ outcome: JobOutcome) {
    switch (outcome.reply, outcome.made) {
    case (.files(let result), let made?):
      self = .made(
        MadeFiles(result) { index throws(SystemError) in
          let start = result.lengths[..<index].reduce(0, +)
          return try made.read(result.lengths[index], at: start)
        })
    case (.differs(let facts), _): self = .differs(facts)
    case (let reply, _): self = .failed(reply.failure)
    }
  }
}
