package import TesseraCatalog
internal import TesseraSystem

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

  package var id: String
  package var position: Int
  package var status: CatalogImage.Status
  package var error: CatalogImage.Failure?
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
