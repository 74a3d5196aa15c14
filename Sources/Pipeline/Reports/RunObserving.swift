internal import TesseraNet

/// Observes a run while it works. Calls come from several tasks.
package protocol RunObserving: Sendable {
  /// The output is this run's now, and nothing has been done yet.
  ///
  /// - Throws: what keeps the run from going on.
  func held() throws
  /// The run begins with its items. `progress` says how far it is, whenever it is called.
  func began(_ progress: @escaping @Sendable () -> RunProgress)
  func happened(_ event: RunEvent)
  /// Whether it has to hear of each item, also of a run that has nothing to do.
  var followsItems: Bool { get }
}

extension RunObserving {
  package func held() throws {}
  package var followsItems: Bool { false }
}

/// The progress of a run.
package struct RunProgress: Sendable, Equatable {
  /// Items with a result.
  package var done = 0
  /// Items with an error among them, by its code.
  package var errors: [String: Int] = [:]
  /// All items: exact after the end of the manifest has been read, before that an estimate from the
  /// share of its bytes that was read, and nil if the manifest's size is unknown.
  package var total: Int?
  /// Whether the end of the manifest has been read.
  package var isTotalExact = false
  /// Requests in flight.
  package var fetching = 0
  /// Images that wait for their next attempt.
  package var pausing = 0
  /// Images that wait for a worker.
  package var waiting = 0
  /// Jobs that workers have.
  package var transcoding = 0
  /// Images that got files of the better format.
  package var upgraded = 0
  /// Bytes that were fetched, those of requests in flight included.
  package var bytes = 0
  /// Those of requests in flight.
  package var bytesInFlight = 0
  /// The request that has been in flight for longest.
  package var oldest: Oldest?

  package struct Oldest: Sendable, Equatable {
    /// Empty for a source that needs no server.
    package var host: String
    package var age: Duration
  }

  package init() {}

  /// - Parameter bytes: of the requests that have ended.
  mutating func take(
    _ inFlight: FetchesInFlight, after bytes: Int, now: ContinuousClock.Instant
  ) {
    (fetching, bytesInFlight) = (inFlight.count, inFlight.bytes)
    self.bytes = bytes + inFlight.bytes
    oldest = inFlight.oldest.map { Oldest(host: $0.host, age: $0.started.duration(to: now)) }
  }
}

/// Several observers as one.
package struct RunObservers: RunObserving {
  private let all: [any RunObserving]

  package init(_ all: [any RunObserving]) { self.all = all }

  package var followsItems: Bool { all.contains(where: \.followsItems) }

  package func held() throws {
    for observer in all { try observer.held() }
  }

  package func began(_ progress: @escaping @Sendable () -> RunProgress) {
    for observer in all { observer.began(progress) }
  }

  package func happened(_ event: RunEvent) {
    for observer in all { observer.happened(event) }
  }
}
