internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// What `prune` did, or would do.
struct PruneReport: Sendable, JSONDocument {
  /// What becomes of a variant.
  enum Fate {
    /// Something names it.
    case kept(by: StateStore.Naming)
    /// It is unnamed, but not for long enough.
    case waiting(until: Double)
    case deleted

    /// Why a file stays that the current catalog does not name: a clause; nil for all others.
    var reasonToStay: String? {
      switch self {
      case .kept(let naming) where naming.place == OutputPlace.catalog.rawValue: nil
      case .kept(let naming) where naming.place == OutputPlace.screens.rawValue: nil
      case .kept(let naming):
        "stays: named by \(naming.place)"
          + (naming.until.map { ", until \(Host.timestamp($0)) at the latest" } ?? "")
      case .waiting(let end):
        "stays until \(Host.timestamp(end)): clients with an earlier catalog may fetch it"
      case .deleted: nil
      }
    }
  }

  let schema = "tessera-prune/1"
  var kept = 0
  private(set) var keptBytes = 0
  /// Files that stay because an earlier catalog, or the result of a shard, names them, by place.
  private(set) var keptByOthers: [String: Int] = [:]
  /// When the last of the kept catalogs that name files ends, in seconds since 1970.
  private var lastEnd: Double? { didSet { keptUntil = lastEnd.map(Host.timestamp) } }
  /// The same in UTC.
  private(set) var keptUntil: String?
  /// Kept catalogs that were dropped because of their age.
  var dropped = 0
  var deleted = 0
  var deletedBytes = 0
  var waiting = 0
  var waitingBytes = 0
  /// When the first of the waiting files may be deleted, in seconds since 1970; nil if none waits.
  private(set) var nextDeletion: Double? {
    didSet { nextDeletionTime = nextDeletion.map(Host.timestamp) }
  }
  /// The same in UTC.
  private(set) var nextDeletionTime: String?
  /// Files that no run made. They stay.
  var foreign = 0
  /// Rows of the state that left it, by table.
  private var rows = JSONMembers<Int>()
  private(set) var deletedRows = 0
  private(set) var waitingRows = 0

  private enum CodingKeys: String, CodingKey {
    case schema, kept
    case keptByOthers = "keptBy"
    case keptUntil
    case dropped = "droppedCatalogs"
    case deleted, deletedBytes, waiting, waitingBytes
    case nextDeletionTime = "nextDeletion"
    case foreign, rows, waitingRows
  }

  mutating func count(_ fate: Fate, bytes: Int) {
    switch fate {
    case .kept(let naming):
      kept += 1
      keptBytes += bytes
      if fate.reasonToStay != nil { keptByOthers[naming.place, default: 0] += 1 }
      lastEnd = [lastEnd, naming.until].compactMap(\.self).max()
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
    rows.append(table, deleted)
    deletedRows += deleted
    waitingRows += waiting
  }
}
