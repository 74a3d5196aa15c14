/// The tables `items` (an item's position in a run) and `results` (its line of the catalog).
final class ItemTable {
  private let selectItem: Statement
  private let upsertItem: Statement
  private let moveItem: Statement
  private let finishItem: Statement
  private let upsertResult: Statement
  private let selectStanding: Statement
  private let selectLastResult: Statement
  private let selectResults: Statement

  init(_ database: Database) throws(StateError) {
    selectItem = try database.prepare("SELECT run, line, entry, position FROM items WHERE id = ?")
    upsertItem = try database.prepare(
      "INSERT INTO items (id, run, position, line, entry, done, reason) VALUES (?, ?, ?, ?, ?, ?, ?)"
        // Not REPLACE, which would change the number.
        + " ON CONFLICT (id) DO UPDATE SET run = excluded.run, position = excluded.position,"
        + " line = excluded.line, entry = excluded.entry, done = excluded.done,"
        + " reason = excluded.reason")
    // Without the position, so that its index is not written.
    moveItem = try database.prepare(
      "UPDATE items SET run = ?, line = ?, entry = ?, done = ?, reason = ? WHERE id = ?")
    finishItem = try database.prepare("UPDATE items SET done = 1, reason = ? WHERE id = ?")
    upsertResult = try database.prepare(
      "INSERT OR REPLACE INTO results (item, result, status, content, settings, mark, source,"
        + " request, placeholder) SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM items"
        + " WHERE id = ?1")
    selectStanding = try database.prepare(
      "SELECT settings, status, result, mark, source FROM items JOIN results ON item = number"
        + " WHERE id = ?")
    selectLastResult = try database.prepare(
      "SELECT status, result FROM items JOIN results ON item = number WHERE id = ?")
    selectResults = try database.prepare(
      "SELECT i.position, r.result FROM items i INDEXED BY items_by_position JOIN results r"
        + " ON r.item = i.number WHERE i.position > ? AND i.run = ? ORDER BY i.position LIMIT ?")
  }

  struct Item {
    var run: Int
    var line: Int
    var entry: String
    var position: Int
  }

  func find(_ id: String) throws(StateError) -> Item? {
    try selectItem.first([.text(id)]) { row in
      Item(run: row.int(0), line: row.int(1), entry: row.text(2), position: row.int(3))
    }
  }

  /// - Parameters:
  ///   - isMoved: whether the position differs from the stored one.
  ///   - reasons: why the earlier result still applies; nil if the item has to be processed.
  func claim(
    _ id: String, _ item: Item, isMoved: Bool, reasons: String?
  ) throws(StateError) {
    let values: [Statement.Value] = [
      .int(item.line), .text(item.entry), .bool(reasons != nil), .optional(reasons),
    ]
    if isMoved {
      try upsertItem.run([.text(id), .int(item.run), .int(item.position)] + values)
    } else {
      try moveItem.run([.int(item.run)] + values + [.text(id)])
    }
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

  /// The line of an item with status `ok` that was made with these settings from this source, and its
  /// mark.
  func standing(
    _ id: String, settings: String, source: String
  ) throws(StateError) -> (line: String, mark: Int)? {
    try selectStanding.first([.text(id)]) { row in
      row.text(0) == settings && row.text(1) == "ok" && row.text(4) == source
        ? (row.text(2), row.int(3)) : nil
    } ?? nil
  }

  func lastResult(of id: String) throws(StateError) -> (status: String, line: String)? {
    try selectLastResult.first([.text(id)]) { ($0.text(0), $0.text(1)) }
  }

  /// Lines are as long as the user's own data in them: at most one more than these bytes is returned
  /// at once.
  private static let resultBytes = 1 << 20

  /// Up to `limit` lines; fewer if they are long.
  func results(
    of run: Int, after position: Int, limit: Int
  ) throws(StateError) -> [(position: Int, line: String)] {
    var results: [(Int, String)] = []
    var bytes = 0
    try selectResults.runWhile([.int(position), .int(run), .int(limit)]) { row in
      results.append((row.int(0), row.text(1)))
      bytes += row.utf8(1).count
      return bytes < Self.resultBytes
    }
    return results
  }
}
