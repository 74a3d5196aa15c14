/// The table `items`.
final class ItemTable {
  private let database: Database
  private let selectClaim: Statement
  private let insert: Statement
  private let move: Statement
  private let finishItem: Statement
  private let saveItem: Statement
  private let selectState: Statement
  private let noteLost: Statement
  private let selectLost: Statement

  init(_ database: Database) throws(StateError) {
    self.database = database
    selectClaim = try database.prepare(
      "SELECT \(Claimed.columns), mark, number FROM items WHERE id = ?")
    insert = try database.prepare(
      "INSERT INTO items (id, \(Claimed.columns), mark, done, reason)"
        + " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
    move = try database.prepare(
      "UPDATE items SET chunk = ?2, place = ?3, slot = ?4, line = ?5, run = ?6, entry = ?7, mark = ?8,"
        + " done = ?9, reason = ?10 WHERE id = ?1")
    finishItem = try database.prepare(
      "UPDATE items SET done = 1, reason = ?1, lost = NULL WHERE id = ?2")
    saveItem = try database.prepare(
      "UPDATE items SET done = 1, reason = ?2, lost = CASE WHEN ?3 THEN lost END, status = ?4,"
        + " sum = ?5, made = ?6, source = ?7, request = ?8, placeholder = ?9, files = ?10, host = ?11,"
        + " failing = CASE ?12 WHEN 1 THEN failing WHEN 2 THEN coalesce(failing, run) END"
        + " WHERE id = ?1")
    selectState = try database.prepare("SELECT \(ItemState.columns) FROM items WHERE id = ?")
    // The first time stays.
    noteLost = try database.prepare(
      "UPDATE items SET lost = min(coalesce(lost, ?1), ?1) WHERE id = ?2 RETURNING lost")
    selectLost = try database.prepare("SELECT lost FROM items WHERE id = ?")
  }

  // MARK: Claims

  /// Where a run has an item.
  struct Claimed {
    var chunk: Int
    /// In the manifest, from the first line of the chunk.
    var place: Int
    var slot: Int
    var line: Int
    var run: Int
    var entry: Int
    /// Nil for one that is not stored.
    var number: Int?

    static let columns = "chunk, place, slot, line, run, entry"

    fileprivate var values: [Statement.Value] {
      [.int(chunk), .int(place), .int(slot), .int(line), .int(run), .int(entry)]
    }

    fileprivate func row(_ id: String) -> [Statement.Value] {
      [.text(id)] + values + [.int(RecordMark(id, values).checksum)]
    }
  }

  /// - Throws: if the row is not what was stored: a damaged one would drop an image as a repeated one.
  func claimed(_ id: String) throws(StateError) -> Claimed? {
    let found = try selectClaim.first([.text(id)]) { row in
      let claimed = Claimed(
        chunk: row.int(0), place: row.int(1), slot: row.int(2), line: row.int(3), run: row.int(4),
        entry: row.int(5), number: row.int(7))
      return (claimed, isSound: row.int(6) == RecordMark(id, claimed.values).checksum)
    }
    guard let found else { return nil }
    guard found.isSound else {
      throw StateError(
        kind: .incomplete, path: database.path, message: "what it says of an item is damaged")
    }
    return found.0
  }

  /// - Parameters:
  ///   - isNew: whether there is no row.
  ///   - standing: why the earlier result of the item still applies; nil if it has to be processed.
  func claim(
    _ id: String, _ claimed: Claimed, isNew: Bool, standing: Reason?
  ) throws(StateError) {
    try (isNew ? insert : move).run(
      claimed.row(id) + [
        .bool(standing != nil), .optional(standing.map { Reason.stored([$0]) }),
      ])
  }

  // MARK: Results

  func finish(_ id: String, reasons: String) throws(StateError) {
    try finishItem.run([.text(reasons), .text(id)])
  }

  /// - Parameter made: what a later run recognizes the line by; nil if it is not reusable.
  func save(_ result: ItemResult, _ state: ItemState, made: Int?) throws(StateError) {
    let failure =
      switch result.failure {
      case .none: 0
      case .unknown: 1
      case .seen: 2
      }
    try saveItem.run([
      .text(result.id), .text(Reason.stored(result.reasons)), .bool(result.isLost),
      .optional(state.status == "ok" ? nil : state.status), .int(state.sum), .optional(made),
      .key(state.source), .optional(key: state.request), .optional(key: state.placeholder),
      .optional(key: state.files), .optional(result.host), .int(failure),
    ])
  }

  func state(of id: String) throws(StateError) -> ItemState? {
    try selectState.first([.text(id)]) { ItemState($0) } ?? nil
  }

  /// Notes that an item's source is gone. Returns since when, in seconds since 1970.
  func lostSince(_ id: String, now: Double) throws(StateError) -> Double {
    try noteLost.first([.double(now), .text(id)]) { $0.double(0) } ?? now
  }

  /// Since when an item's source is gone, as the last run that reached it has noted; nil if it was not.
  func lostBefore(_ id: String) throws(StateError) -> Double? {
    try selectLost.first([.text(id)]) { $0.optionalDouble(0) } ?? nil
  }
}
