package import TesseraCatalog
internal import TesseraNet
internal import TesseraState
internal import TesseraSystem

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

/// Something that happened in a run.
package enum RunEvent: Sendable {
  /// An item has its result.
  case item(ItemReport)
  /// A line of the manifest can't be used; `message` is a sentence.
  case problem(line: Int, message: String)
  /// Requests to a host begin to wait, because it is busy or fails.
  case hostSlowed(host: String, reason: String, pause: Duration)
  /// A worker crashed, hung or sent garbage; `reason` is a clause with "it" as its subject.
  case workerReplaced(reason: String)
  case warning(String)
}

/// What a run did with one item.
package struct ItemReport: Sendable {
  /// Its entry of the catalog, compared with what the last run came to, also one that was stopped.
  package enum Change: String, Sendable, Encodable, CaseIterable {
    /// It had none.
    case new
    /// It is another one.
    case changed
    /// It is the same, whether or not files had to be made again.
    case reused
  }

  /// How its error relates to the runs before that were completed.
  package enum FailureChange: String, Sendable, Encodable, CaseIterable {
    /// It had none, or its last good files were shown until now.
    case new
    /// It had one.
    case known
    /// It had one, and has none any more.
    case solved

    /// Nil without an error, now and before, and where the run says nothing of it.
    init?(
      from former: StateStore.FormerResult?, to failure: ItemResult.Failure,
      _ status: CatalogImage.Status
    ) {
      let wasFailing = former?.isFailing == true
      switch failure {
      case .unknown: return nil
      case .none:
        guard wasFailing else { return nil }
        self = .solved
      case .seen:
        let isLost =
          status == .failed && former?.status == CatalogImage.Status.stale.rawValue
        self = wasFailing && !isLost ? .known : .new
      }
    }
  }

  package var id: String
  package var position: Int
  package var status: CatalogImage.Status
  package var error: CatalogImage.Failure?
  package var failure: FailureChange?
  /// Of a stale item: when its source was last confirmed, in seconds since 1970, and the host that was requested; empty
  /// for a file.
  var confirmed: Double?
  var host = ""
  /// Nil for an item with an error.
  package var change: Change?
  /// Files that were made, and their bytes.
  package var made = 0
  package var bytes = 0
  /// What a later run has to know of it as long as nothing changes; nil unless its status is `ok`.
  var kept: KeptLine?
  /// The time of its requests, without the wait in queues and between attempts.
  package var fetching = Duration.zero
  /// The time of the workers that had it, without its wait for one.
  package var transcoding = Duration.zero

  /// The time that was spent on it alone.
  var ownTime: Duration { fetching + transcoding }
  package var ownSeconds: Double { ownTime.inSeconds }

  /// Its error as a message shows it, with the code; nil if it has none.
  package var problem: String? { error.map { "\($0.message) (\($0.code))" } }
}

/// A line of the catalog that may stand in later runs.
struct KeptLine: Sendable, Equatable {
  /// Until when its source is fresh, in seconds since 1970; 0 if it is not.
  var freshUntil: Double
  /// Slots at scales that its files serve, in each format, and the files.
  var places: Int
  var files: Int
}
