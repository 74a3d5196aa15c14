/// The tables `items` and `results` (an item's line of the catalog).
final class ItemTable {
  private let finishItem: Statement
  private let upsertResult: Statement
  private let selectLastResult: Statement
  private let selectResults: Statement
  private let selectStatus: Statement
  private let noteLost: Statement
  private let selectLost: Statement
  private let packed: PackedLines

  init(_ database: Database, _ packed: PackedLines) throws(StateError) {
    self.packed = packed
    finishItem = try database.prepare(
      "UPDATE items SET done = 1, reason = ?1, lost = CASE WHEN ?3 THEN lost END WHERE id = ?2")
    upsertResult = try database.prepare(
      "INSERT OR REPLACE INTO results (item, settings, result, sum, status, content, mark, source,"
        + " request, placeholder) SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM items"
        + " WHERE id = ?1")
    selectLastResult = try database.prepare(
      "SELECT \(LastResult.columns) FROM items JOIN results ON item = number WHERE id = ?")
    // A stretch that ends after a position begins not far before it.
    selectResults = try database.prepare(
      "SELECT \(PackedLines.columns), s.position + i.place, s.line + i.line, i.place"
        + " FROM stretches s INDEXED BY stretches_by_position CROSS JOIN items i INDEXED BY"
        + " items_by_stretch ON i.stretch = s.number JOIN results ON results.item = i.number"
        + " WHERE s.run = ?2 AND s.position > ?1 - \(StretchSum.most)"
        + " AND s.position + s.items > ?1 AND s.position + i.place > ?1"
        + " ORDER BY s.position, i.place LIMIT ?3")
    selectStatus = try database.prepare(
      "SELECT \(LastResult.status) FROM items JOIN results ON item = items.number"
        + " JOIN stretches ON stretches.number = stretch WHERE id = ? AND run = ?")
    // The first time stays.
    noteLost = try database.prepare(
      "UPDATE items SET lost = min(coalesce(lost, ?1), ?1) WHERE id = ?2 RETURNING lost")
    selectLost = try database.prepare("SELECT lost FROM items WHERE id = ?")
  }

  /// - Parameter isLost: whether its source is gone, and has been since the time that is noted.
  func finish(_ id: String, reasons: String, isLost: Bool = false) throws(StateError) {
    try finishItem.run([.text(reasons), .text(id), .bool(isLost)])
  }

  /// Notes that an item's source is gone. Returns since when, in seconds since 1970.
  func lostSince(_ id: String, now: Double) throws(StateError) -> Double {
    try noteLost.first([.double(now), .text(id)]) { $0.double(0) } ?? now
  }

  /// Since when an item's source is gone, as the last run that reached it has noted; nil if it was not.
  func lostBefore(_ id: String) throws(StateError) -> Double? {
    try selectLost.first([.text(id)]) { $0.optionalDouble(0) } ?? nil
  }

  /// The status that a run has given an item; nil if it does not have the item.
  func status(of id: String, in run: Int) throws(StateError) -> String? {
    try selectStatus.first([.text(id), .int(run)]) { $0.text(0) }
  }

  /// - Parameters:
  ///   - settings: what else shaped the line.
  ///   - mark: covers the line, the settings and the source; nil if the line is not reusable.
  ///   - keys: of the rows that the line was made from.
  func save(
    _ id: String, line: String, status: String, content: String?, settings: String, mark: Int?,
    keys: (source: String, request: String, placeholder: String?)
  ) throws(StateError) {
    let line = try packed.pack(line, id: id, settings: settings)
    try upsertResult.run(
      [.text(id)] + line + [
        .optional(status == "ok" ? nil : status), .optional(key: content), .optional(mark),
        .key(keys.source),
        .optional(key: keys.request == keys.source ? nil : keys.request),
        .optional(key: keys.placeholder),
      ])
  }

  func lastResult(of id: String) throws(StateError) -> LastResult? {
    try selectLastResult.first([.text(id)]) { LastResult($0, packed) }
  }

  /// Lines are as long as the user's own data in them: at most one more than these bytes is returned
  /// at once.
  private static let resultBytes = 1 << 20

  /// Up to `limit` lines; fewer if they are long; and whether each is what was saved.
  func results(
    of run: Int, after position: Int, limit: Int
  ) throws(StateError) -> (results: [ResultLine], areSound: Bool) {
    var results: [ResultLine] = []
    var bytes = 0
    var areSound = true
    try selectResults.runWhile([.int(position), .int(run), .int(limit)]) { row in
      let rest = row.dropFirst(PackedLines.width)
      guard let line = packed.line(in: row) else {
        areSound = false
        return false
      }
      results.append((rest.int(0), line, rest.int(1), row.text(3), rest.int(2)))
      bytes += line.utf8.count
      return bytes < Self.resultBytes
    }
    return (results, areSound)
  }
}
