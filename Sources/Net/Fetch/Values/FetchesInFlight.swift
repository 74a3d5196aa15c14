/// The requests that have left the queue and have not ended.
package struct FetchesInFlight: Sendable, Equatable {
  /// The one that left the queue first.
  package struct Oldest: Sendable, Equatable {
    /// With the port of its URL; empty for a source that needs no server.
    package var host: String
    package var started: ContinuousClock.Instant

    package init(host: String, started: ContinuousClock.Instant) {
      (self.host, self.started) = (host, started)
    }
  }

  package var count = 0
  /// Of bodies, as far as they have arrived.
  package var bytes = 0
  package var oldest: Oldest?

  package init(count: Int = 0, bytes: Int = 0, oldest: Oldest? = nil) {
    (self.count, self.bytes, self.oldest) = (count, bytes, oldest)
  }

  mutating func add(_ job: FetchJob, host: String, bytes: Int) {
    count += 1
    self.bytes += bytes
    guard let started = job.started, oldest.map({ started < $0.started }) ?? true else { return }
    oldest = Oldest(host: host, started: started)
  }
}
