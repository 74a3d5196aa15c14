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
      "SELECT min(checked) FROM results JOIN sources ON key = source JOIN items ON number = item"
        + " WHERE status = 'stale' AND lost IS NULL")
    return try select.first([]) { $0.optionalDouble(0) } ?? nil
  }

  /// An item whose last result has an error.
  package struct TroubledItem: Sendable {
    /// In the state.
    package var number: Int
    package var id: String
    /// Its line of the catalog.
    package var line: String
    package var isStale: Bool
    /// When the server last confirmed its source, in seconds since 1970; nil if it never did.
    package var checked: Double?
    /// Whether its source is gone, so that `keep-lost` decides how long it is shown.
    package var isLost = false
  }

  /// Failed and stale items in the order of their numbers, from the one after `number` on: up to `limit`.
  package func troubledItems(after number: Int, limit: Int) throws(StateError) -> [TroubledItem] {
    let select = try database.prepare(
      "SELECT \(PackedLines.columns), number, status, checked, lost FROM results"
        + " JOIN items ON number = item LEFT JOIN sources ON key = source"
        + " WHERE item > ? AND status IN ('failed', 'stale') ORDER BY item LIMIT ?")
    var items: [TroubledItem] = []
    try select.run([.int(number), .int(limit)]) { row in
      let rest = row.dropFirst(PackedLines.width)
      // Of a line that is damaged, the status is known all the same.
      items.append(
        TroubledItem(
          number: rest.int(0), id: row.text(3), line: packed.line(in: row) ?? "",
          isStale: rest.text(1) == "stale", checked: rest.optionalDouble(2),
          isLost: rest.optionalDouble(3) != nil))
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

  /// How many items of a run have a result so far.
  package func doneItems(of run: Int) throws(StateError) -> Int {
    // Items of a stretch that stands are not looked at.
    try database.prepare(
      "SELECT coalesce(sum(CASE WHEN s.stood THEN s.items ELSE"
        + " (SELECT count(*) FROM items i WHERE i.stretch = s.number AND i.done) END), 0)"
        + " FROM stretches s WHERE s.run = ?"
    ).first([.int(run)]) { $0.int(0) } ?? 0
  }

  /// The number of the last run that began, and whether it has made its catalog; nil if none began.
  package func lastBegunRun() throws(StateError) -> (number: Int, isCompleted: Bool)? {
    try database.prepare("SELECT number, items IS NOT NULL FROM runs ORDER BY number DESC LIMIT 1")
      .first([]) { ($0.int(0), $0.int(1) == 1) }
  }
}
