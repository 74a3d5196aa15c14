/// The tables `items` (an item's position in a run) and `results` (its line of the catalog).
final class ItemTable {
  private let selectItem: Statement
  private let selectClaim: Statement
  private let upsertItem: Statement
  private let moveItem: Statement
  private let finishItem: Statement
  private let upsertResult: Statement
  private let selectLastResult: Statement
  private let selectResults: Statement
  private let selectStatus: Statement
  private let noteLost: Statement

  init(_ database: Database) throws(StateError) {
    selectItem = try database.prepare("SELECT line, entry, position FROM items WHERE id = ?")
    selectClaim = try database.prepare(
      "SELECT id FROM items INDEXED BY items_by_position WHERE position = ? AND run = ?")
    // Neither changes an item that this run has claimed before.
    upsertItem = try database.prepare(
      "INSERT INTO items (id, run, position, line, entry, done, reason) VALUES (?, ?, ?, ?, ?, ?, ?)"
        // Not REPLACE, which would change the number.
        + " ON CONFLICT (id) DO UPDATE SET run = excluded.run, position = excluded.position,"
        + " line = excluded.line, entry = excluded.entry, done = excluded.done,"
        + " reason = excluded.reason WHERE run <> excluded.run")
    // Without the position, so that its index is not written.
    moveItem = try database.prepare(
      "UPDATE items SET run = ?1, line = ?2, entry = ?3, done = ?4, reason = ?5"
        + " WHERE id = ?6 AND run <> ?1")
    finishItem = try database.prepare(
      "UPDATE items SET done = 1, reason = ?1, lost = CASE WHEN ?3 THEN lost END WHERE id = ?2")
    upsertResult = try database.prepare(
      "INSERT OR REPLACE INTO results (item, result, status, content, settings, mark, source,"
        + " request, placeholder, sum) SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM items"
        + " WHERE id = ?1")
    selectLastResult = try database.prepare(
      "SELECT \(LastResult.columns) FROM items JOIN results ON item = number WHERE id = ?")
    selectResults = try database.prepare(
      "SELECT i.position, r.result, i.line, i.id, r.sum FROM items i INDEXED BY items_by_position"
        + " JOIN results r ON r.item = i.number WHERE i.position > ? AND i.run = ?"
        + " ORDER BY i.position LIMIT ?")
    selectStatus = try database.prepare(
      "SELECT status FROM items JOIN results ON item = number WHERE id = ? AND run = ?")
    // The first time stays.
    noteLost = try database.prepare(
      "UPDATE items SET lost = min(coalesce(lost, ?1), ?1) WHERE id = ?2 RETURNING lost")
  }

  /// What the manifest said about an item that a run has claimed; nil if it has not: a row that says so is damaged.
  ///
  /// - Parameter position: the first that the run has not given to any item.
  func claimed(
    _ id: String, by run: Int, before position: Int
  ) throws(StateError) -> (line: Int, entry: String)? {
    guard
      let found = try selectItem.first([.text(id)], { ($0.int(0), $0.text(1), $0.int(2)) }),
      found.2 < position
    else { return nil }
    // The index has another copy of the position, and a run gives each position to one item.
    var ids: [String] = []
    try selectClaim.run([.int(found.2), .int(run)]) { ids.append($0.text(0)) }
    return ids == [id] ? (found.0, found.1) : nil
  }

  /// Gives an item its position in a run. Returns false if the run has claimed the id before.
  ///
  /// - Parameters:
  ///   - isMoved: whether the position may differ from the stored one.
  ///   - reasons: why the earlier result still applies; nil if the item has to be processed.
  func claim(
    _ id: String, run: Int, position: Int, isMoved: Bool, line: Int, entry: String,
    reasons: String?
  ) throws(StateError) -> Bool {
    let values: [Statement.Value] = [
      .int(line), .text(entry), .bool(reasons != nil), .optional(reasons),
    ]
    let changes =
      isMoved
      ? try upsertItem.change([.text(id), .int(run), .int(position)] + values)
      : try moveItem.change([.int(run)] + values + [.text(id)])
    return changes > 0
  }

  /// - Parameter isLost: whether its source is gone, and has been since the time that is noted.
  func finish(_ id: String, reasons: String, isLost: Bool = false) throws(StateError) {
    try finishItem.run([.text(reasons), .text(id), .bool(isLost)])
  }

  /// Notes that an item's source is gone. Returns since when, in seconds since 1970.
  func lostSince(_ id: String, now: Double) throws(StateError) -> Double {
    try noteLost.first([.double(now), .text(id)]) { $0.double(0) } ?? now
  }

  /// The status that a run has given an item; nil if it does not have the item.
  func status(of id: String, in run: Int) throws(StateError) -> String? {
    try selectStatus.first([.text(id), .int(run)]) { $0.text(0) }
  }

  /// - Parameters:
  ///   - settings: what else shaped the line; nil if the line is not reusable.
  ///   - mark: covers the line, the settings and the source.
  ///   - keys: of the rows that the line was made from.
  func save(
    _ id: String, line: String, status: String, content: String?, settings: String?, mark: Int?,
    keys: (source: String, request: String, placeholder: String?)
  ) throws(StateError) {
    try upsertResult.run([
      .text(id), .text(line), .text(status), .optional(content), .optional(settings),
      .optional(mark), .text(keys.source),
      .optional(keys.request == keys.source ? nil : keys.request), .optional(keys.placeholder),
      .int(RecordMark.of(id, [.text(line)])),
    ])
  }

  func lastResult(of id: String) throws(StateError) -> LastResult? {
    try selectLastResult.first([.text(id)]) { LastResult($0) }
  }

  /// Lines are as long as the user's own data in them: at most one more than these bytes is returned
  /// at once.
  private static let resultBytes = 1 << 20

  /// An image's position among the items, its line of the catalog, its line in the manifest, and its id.
  typealias Result = (position: Int, line: String, manifestLine: Int, id: String)

  /// Up to `limit` lines; fewer if they are long; and whether each is what was saved.
  func results(
    of run: Int, after position: Int, limit: Int
  ) throws(StateError) -> (results: [Result], areSound: Bool) {
    var results: [Result] = []
    var bytes = 0
    var areSound = true
    try selectResults.runWhile([.int(position), .int(run), .int(limit)]) { row in
      let (line, id) = (row.text(1), row.text(3))
      if row.optionalInt(4) != RecordMark.of(id, [.text(line)]) { areSound = false }
      results.append((row.int(0), line, row.int(2), id))
      bytes += row.utf8(1).count
      return areSound && bytes < Self.resultBytes
    }
    return (results, areSound)
  }
}
