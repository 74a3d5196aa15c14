internal import TesseraOutput
internal import TesseraSystem

/// A run, or a tool that has changed an output, which has left an entry in the history of an output.
package struct RecordedRun: Sendable {
  let entry: HistoryEntry
  /// The shard of a run: `3/8`; nil for one of all items, and for tools.
  package let shard: String?

  init(_ entry: HistoryEntry, shard: String?) { (self.entry, self.shard) = (entry, shard) }

  /// In seconds since 1970.
  package var ended: Double { entry.ended }
  /// The same in UTC.
  package var time: String { Host.timestamp(entry.ended) }
  package var seconds: Double { entry.seconds }
  package var isRun: Bool { entry.kind == .run }
  package var isStopped: Bool { entry.outcome == .stopped }
  var isMerge: Bool { entry.kind == .merge }
  var isRollback: Bool { entry.kind == .rollback }
  package var isPrune: Bool { entry.kind == .prune }
  /// Whether `run.json` is of it, if it came to a result.
  var hasReport: Bool { entry.kind == .merge || (entry.kind == .run && shard == nil) }
  /// Whether it came to a result.
  package var isSuccess: Bool { entry.outcome.isSuccess }
  /// `run`, `run of some`, `shard 3/8`, or the name of the tool.
  package var name: String {
    shard.map { "shard \($0)" } ?? entry.kind.rawValue + (others == nil ? "" : " of some")
  }
  /// `done`, or `failed: lost-images`.
  package var result: String {
    entry.reason.map { "\(entry.outcome.rawValue): \($0)" } ?? entry.outcome.rawValue
  }

  /// Images of a status; nil if they were not counted.
  package func count(_ status: String) -> Int? { entry.counts[status] }

  /// Images of a run of some that stayed as the catalog had them; nil for a run of all.
  package var others: Int? { entry.counts[HistoryEntry.others] }

  package var requests: Int? { entry.work[.requests] }
  package var fetchedBytes: Int? { entry.work[.fetchedBytes] }
  package var writtenBytes: Int? { entry.work[.writtenBytes] }
  package var encodes: Int? { entry.work[.encodes] }
  package var deletedFiles: Int? { entry.work[.deletedFiles] }
  package var deletedBytes: Int? { entry.work[.deletedBytes] }
}
