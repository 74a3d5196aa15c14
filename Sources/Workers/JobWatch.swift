internal import Synchronization
package import TesseraWire

/// Adds up the time that workers spend on an image.
package final class JobWatch: Sendable {
  private let total = Mutex(Duration.zero)

  package init() {}

  package var time: Duration { total.withLock { $0 } }

  func add(_ time: Duration) { total.withLock { $0 += time } }
}

extension Transcoding {
  /// Has one job done, and does not measure it.
  package func perform(
    _ job: TranscodeJob, of source: JobSource
  ) async throws(WorkerStartError) -> TranscodeAnswer {
    try await perform(job, of: source, watch: nil)
  }
}
