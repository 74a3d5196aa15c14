internal import TesseraJSON
internal import TesseraSystem

/// What `prune` did, or would do.
package struct PruneReport: Sendable {
  /// What becomes of a variant.
  enum Fate {
    /// The catalog names it.
    case kept
    /// It is unnamed, but not for long enough.
    case waiting(until: Double)
    case deleted
  }

  package var kept = 0
  package var deleted = 0
  package var deletedBytes = 0
  package var waiting = 0
  package var waitingBytes = 0
  /// When the first of the waiting files may be deleted, in seconds since 1970; nil if none waits.
  package private(set) var nextDeletion: Double?
  /// Files that no run made. They stay.
  package var foreign = 0
  /// Rows of the state that left it, by table.
  package private(set) var rows: [(table: String, deleted: Int)] = []
  package private(set) var waitingRows = 0

  /// ``nextDeletion`` in UTC.
  package var nextDeletionTime: String? { nextDeletion.map(Host.timestamp) }

  package var deletedRows: Int { rows.reduce(0) { $0 + $1.deleted } }

  mutating func count(_ fate: Fate, bytes: Int) {
    switch fate {
    case .kept: kept += 1
    case .waiting(let end):
      waiting += 1
      waitingBytes += bytes
      nextDeletion = min(nextDeletion ?? end, end)
    case .deleted:
      deleted += 1
      deletedBytes += bytes
    }
  }

  mutating func count(rows table: String, deleted: Int, waiting: Int) {
    rows.append((table, deleted))
    waitingRows += waiting
  }

  /// The document that `prune --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("kept", kept)
      object.member("deleted", deleted)
      object.member("deletedBytes", deletedBytes)
      object.member("waiting", waiting)
      object.member("waitingBytes", waitingBytes)
      if let nextDeletionTime { object.member("nextDeletion", nextDeletionTime) }
      object.member("foreign", foreign)
      object.name("rows")
      object.object { tables in for row in rows { tables.member(row.table, row.deleted) } }
      object.member("waitingRows", waitingRows)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
