internal import TesseraFetch
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

// What is counted, for those who print it.
extension OutputStatus {
  /// The hosts that ban, and what to do: a clause each.
  package var banNotes: [String] { bans.map { "\($0.clause); \($0.remedy)" } }

  /// Files that the state records; nil if it can't be read.
  package var recorded: (count: Int, bytes: Int)? {
    guard let count = figures.files, let bytes = figures.fileBytes else { return nil }
    return (count, bytes)
  }

  /// ``busySince`` in UTC.
  package var busyTime: String? { busySince.map(Host.timestamp) }

  /// In bytes.
  package var stateSize: Int? { figures.stateBytes }
  /// In bytes; nil for an object store.
  package var freeSpace: Int? { figures.freeBytes }
  package var ageOfOldestStale: Int? { figures.oldestStaleSeconds }
  /// How long stale images are shown, in seconds; nil if no run has recorded it.
  package var keepStale: Int? { figures.keepStaleSeconds }
  /// Until when the oldest stale image is shown if its server does not confirm it, in UTC.
  package var staleEnd: String? { failures.oldestStale.flatMap(staleEnd(of:)) }

  /// The same of one that was last confirmed at a time in seconds since 1970.
  package func staleEnd(of checked: Double) -> String? {
    keepStale.map { Host.timestamp(checked + Double($0)) }
  }

  /// In bytes a day.
  package var growth: Int? { figures.bytesPerDay }
  /// In seconds.
  package var timeToFull: Int? { figures.secondsToFull }

  /// Files that `prune` would delete now, and files that it would delete later.
  package var prunableNow: (count: Int, bytes: Int) { (unnamed.deletable, unnamed.deletableBytes) }
  package var prunableLater: (count: Int, bytes: Int) { (unnamed.waiting, unnamed.waitingBytes) }
  /// When the first of these may be deleted, in UTC.
  package var nextPrunable: String? { unnamed.nextDeletion.map(Host.timestamp) }
}
