/// The tables `items` (an item's position in a run) and `results` (its line of the catalog).
final class ItemTable {
  private let selectItem: Statement
  private let upsertItem: Statement
  private let moveItem: Statement
  private let finishItem: Statement
  private let upsertResult: Statement
  private let selectLastResult: Statement
  private let selectResults: Statement

  init(_ database: Database) throws(StateError) {
    selectItem = try database.prepare("SELECT line, entry FROM items WHERE id = ?")
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
    finishItem = try database.prepare("UPDATE items SET done = 1, reason = ? WHERE id = ?")
    upsertResult = try database.prepare(
      "INSERT OR REPLACE INTO results (item, result, status, content, settings, mark, source,"
        + " request, placeholder) SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM items"
        + " WHERE id = ?1")
    selectLastResult = try database.prepare(
      "SELECT status, result FROM items JOIN results ON item = number WHERE id = ?")
    selectResults = try database.prepare(
      "SELECT i.position, r.result, i.line FROM items i INDEXED BY items_by_position JOIN results r"
        + " ON r.item = i.number WHERE i.position > ? AND i.run = ? ORDER BY i.position LIMIT ?")
  }

  /// What the manifest said about an item.
  func find(_ id: String) throws(StateError) -> (line: Int, entry: String)? {
    try selectItem.first([.text(id)]) { ($0.int(0), $0.text(1)) }
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

  func finish(_ id: String, reasons: String) throws(StateError) {
    try finishItem.run([.text(reasons), .text(id)])
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
    ])
  }

  func lastResult(of id: String) throws(StateError) -> (status: String, line: String)? {
    try selectLastResult.first([.text(id)]) { ($0.text(0), $0.text(1)) }
  }

  /// Lines are as long as the user's own data in them: at most one more than these bytes is returned
  /// at once.
  private static let resultBytes = 1 << 20

  /// An image's position among the items, its line of the catalog, and its line in the manifest.
  typealias Result = (position: Int, line: String, manifestLine: Int)

  /// Up to `limit` lines; fewer if they are long.
  func results(
    of run: Int, after position: Int, limit: Int
  ) throws(StateError) -> [Result] {
    var results: [Result] = []
    var bytes = 0
    try selectResults.runWhile([.int(position), .int(run), .int(limit)]) { row in
      results.append((row.int(0), row.text(1), row.int(2)))
      bytes += row.utf8(1).count
      return bytes < Self.resultBytes
    }
    return results
  }
}
