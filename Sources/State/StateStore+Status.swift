/// What `tessera status` and the end of a run count. Each method reads a part of a table in one statement, so that a run
/// which writes meanwhile is not held up, and memory does not grow with the state.
extension StateStore {
  /// The files that the state records, and their bytes: one that two records name counts for each. To count paths would sort
  /// all of them at the end of each run (4.7 µs a file, instead of 0.1).
  package func fileTotals() throws(StateError) -> (files: Int, bytes: Int) {
    let select = try database.prepare(
      "SELECT count(*), coalesce(sum(bytes), 0) FROM variants")
    return try select.first([]) { ($0.int(0), $0.int(1)) } ?? (0, 0)
  }

  /// When the server last confirmed the source of a stale image, of the one where it is longest ago; nil without any. Images
  /// that are gone do not count: `keep-lost` decides how long they are shown.
  package func oldestStale() throws(StateError) -> Double? {
    let select = try database.prepare(
      "SELECT min(checked) FROM items JOIN sources ON key = source"
        + " WHERE status = 'stale' AND lost IS NULL")
    return try select.first([]) { $0.optionalDouble(0) } ?? nil
  }

  /// An item whose last result has an error.
  package struct TroubledItem: Sendable {
    /// In the state.
    package var number: Int
    package var id: String
    /// Why: as in its line of the catalog.
    package var code: String
    package var message: String
    /// Of its URL; nil if that has none, or is not shown.
    package var host: String?
    package var isStale: Bool
    /// When the server last confirmed its source, in seconds since 1970; nil if it never did.
    package var checked: Double?
    /// Whether its source is gone, so that `keep-lost` decides how long it is shown.
    package var isLost = false
  }

  /// Failed and stale items in the order of their numbers, from the one after `number` on: up to `limit`.
  package func troubledItems(after number: Int, limit: Int) throws(StateError) -> [TroubledItem] {
    let select = try database.prepare(
      "SELECT number, id, status, checked, lost, reason, host FROM items"
        + " LEFT JOIN sources ON key = source"
        + " WHERE number > ? AND status IN ('failed', 'stale') ORDER BY number LIMIT ?")
    var items: [TroubledItem] = []
    try select.run([.int(number), .int(limit)]) { row in
      var (code, failure) = ("unknown", "")
      for reason in row.optionalText(5).map(Reason.list(stored:)) ?? [] {
        if case .failed(let name, let message) = reason { (code, failure) = (name, message) }
      }
      items.append(
        TroubledItem(
          number: row.int(0), id: row.text(1), code: code, message: failure,
          host: row.optionalText(6), isStale: row.text(2) == "stale",
          checked: row.optionalDouble(3), isLost: row.optionalDouble(4) != nil))
    }
    return items
  }

  /// Files that `prune` has seen to be unnamed.
  package struct UnnamedFiles: Sendable, Equatable {
    /// Those for which this was long enough ago, and the bytes of those that are recorded.
    package var deletable = 0
    package var deletableBytes = 0
    /// The others, and when it is long enough for the first of them, in seconds since 1970.
    package var waiting = 0
    package var waitingBytes = 0
    package var nextDeletion: Double?

    package init() {}
  }

  /// - Parameters:
  ///   - now: in seconds since 1970.
  ///   - grace: how long a file stays after it was first seen to be unnamed, in seconds.
  package func unnamedFiles(now: Double, grace: Double) throws(StateError) -> UnnamedFiles {
    var files = UnnamedFiles()
    try database.prepare(
      "SELECT since <= ?, count(*), min(since), coalesce(sum(bytes), 0) FROM retired GROUP BY 1"
    ).run([.double(now - grace)]) { row in
      if row.int(0) == 1 {
        (files.deletable, files.deletableBytes) = (row.int(1), row.int(3))
      } else {
        (files.waiting, files.waitingBytes) = (row.int(1), row.int(3))
        files.nextDeletion = row.double(2) + grace
      }
    }
    return files
  }

  /// How many items that a run has looked at have a result so far.
  package func doneItems(of run: Int) throws(StateError) -> Int {
    try database.prepare("SELECT count(*) FROM items WHERE run = ? AND done").first([.int(run)]) {
      $0.int(0)
    } ?? 0
  }

  /// The number of the last run that began, and whether it has made its catalog; nil if none began.
  package func lastBegunRun() throws(StateError) -> (number: Int, isCompleted: Bool)? {
    try database.prepare("SELECT number, items IS NOT NULL FROM runs ORDER BY number DESC LIMIT 1")
      .first([]) { ($0.int(0), $0.int(1) == 1) }
  }
}
