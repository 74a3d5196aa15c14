internal import TesseraOutput
internal import TesseraSystem

/// A run, or a tool that has changed an output, which has left an entry in the history of an output.
struct RecordedRun: Sendable {
  let entry: HistoryEntry
  /// The shard of a run: `3/8`; nil for one of all items, and for tools.
  let shard: String?

  init(_ entry: HistoryEntry, shard: String?) { (self.entry, self.shard) = (entry, shard) }

  /// In seconds since 1970.
  var ended: Double { entry.ended }
  /// The same in UTC.
  var time: String { Host.timestamp(entry.ended) }
  var seconds: Double { entry.seconds }
  var isRun: Bool { entry.kind == .run }
  var isStopped: Bool { entry.outcome == .stopped }
  var isMerge: Bool { entry.kind == .merge }
  var isRollback: Bool { entry.kind == .rollback }
  var isPrune: Bool { entry.kind == .prune }
  /// Whether `run.json` is of it, if it came to a result.
  var hasReport: Bool { entry.kind == .merge || (entry.kind == .run && shard == nil) }
  /// Whether it came to a result.
  var isSuccess: Bool { entry.outcome.isSuccess }
  /// `run`, `run of some`, `shard 3/8`, or the name of the tool.
  var name: String {
    shard.map { "shard \($0)" } ?? entry.kind.rawValue + (others == nil ? "" : " of some")
  }
  /// `done`, or `failed: lost-images`.
  var result: String {
    entry.reason.map { "\(entry.outcome.rawValue): \($0)" } ?? entry.outcome.rawValue
  }

  /// Images of a status; nil if they were not counted.
  func count(_ status: String) -> Int? { entry.counts[status] }

  /// Images of a run of some that stayed as the catalog had them; nil for a run of all.
  var others: Int? { entry.counts[HistoryEntry.others] }

  var requests: Int? { entry.work[.requests] }
  var fetchedBytes: Int? { entry.work[.fetchedBytes] }
  var writtenBytes: Int? { entry.work[.writtenBytes] }
  var encodes: Int? { entry.work[.encodes] }
  var deletedFiles: Int? { entry.work[.deletedFiles] }
  var deletedBytes: Int? { entry.work[.deletedBytes] }
}
