/// Copies what can still be read of a damaged state into this one.
extension StateStore {
  /// A new state in the place of a damaged one, which is at another path now.
  ///
  /// - Parameters:
  ///   - error: about the damage.
  ///   - aside: where the damaged state is, and its name for the user.
  ///   - keepsRecords: whether what can be read of it is copied. Whose the records are is not among it.
  /// - Returns: a warning: a clause.
  package static func replace(
    after error: StateError, by path: String, aside: (path: String, name: String),
    keepsRecords: Bool = true
  ) async throws(StateError) -> String {
    let state = try StateStore(path: path)
    let count = keepsRecords ? try await state.salvage(from: aside.path) : 0
    try await state.close()
    guard keepsRecords else {
      return "\(error.finding); it was replaced by an empty one, and everything is fetched again"
    }
    let rest =
      count > 0
      ? "\(count) records could be read, and their sources are revalidated"
      : "nothing in it could be read, and everything is fetched again"
    return "\(error.finding); it was set aside as \"\(aside.name)\"; \(rest)"
  }

  /// Copies the records whose marks match.
  ///
  /// A source loses its freshness, because its record may be an outdated one: it is revalidated with
  /// its validators. Files are examined before a catalog names them.
  ///
  /// - Returns: how many records were copied.
  package func salvage(from path: String) throws(StateError) -> Int {
    // Files belong to a run of no known boot, which makes them doubtful.
    try begin()
    try database.execute("INSERT OR REPLACE INTO runs (number, boot) VALUES (0, '')")
    // A file that SQLite cannot open holds nothing to copy; the damage itself is already reported.
    guard let damaged = try? Database(path, isReadOnly: true) else {
      try commit()
      return 0
    }
    // If this fails, no table can be read either, and nothing is copied.
    try? damaged.limitSteps()
    defer { damaged.unlimitSteps() }
    try salvageLastRun(from: damaged)
    // Without it, a store is believed that says there are no marks of forgotten images.
    if let marks = try? Self.forgottenMarks(in: damaged) { try note(forgottenMarks: marks) }
    let count =
      try salvage(SourceRecord.self, from: damaged, Self.withoutFreshness)
      + salvage(HeaderRecord.self, from: damaged, Self.withoutFreshness)
      + salvage(ContentRecord.self, from: damaged)
      + salvage(VariantRecord.self, from: damaged, extra: (column: "run", value: .int(0)))
      + salvage(RejectionRecord.self, from: damaged)
      + salvage(PlaceholderRecord.self, from: damaged)
      + salvage(QualityRecord.self, from: damaged)
    try commit()
    return count
  }

  private func salvageLastRun(from damaged: Database) throws(StateError) {
    // Without it, the next run is only not compared with the last one.
    guard let last = try? Self.lastCompletedRun(in: damaged) else { return }
    try note(last, as: 0)
  }

  private static func withoutFreshness(_ values: inout [Statement.Value]) {
    // No lifetime, and run 0, which precedes all runs: so it counts as checked in none of them.
    values.replaceSubrange(Confirmation.freshness, with: [.null, .int(0)])
  }

  /// - Parameters:
  ///   - change: applied to the values of each record.
  ///   - extra: a column after the mark.
  private func salvage<Record: MarkedRecord>(
    _ kind: Record.Type, from damaged: Database,
    _ change: (inout [Statement.Value]) -> Void = { _ in },
    extra: (column: String, value: Statement.Value)? = nil
  ) throws(StateError) -> Int {
    let columns = [Record.key] + Record.columns + ["mark"] + (extra.map { [$0.column] } ?? [])
    let places = repeatElement("?", count: columns.count).joined(separator: ", ")
    // REPLACE, because a part that is read from both ends may return a record twice.
    let insert = try database.prepare(
      "INSERT OR REPLACE INTO \(Record.table) (\(columns.joined(separator: ", ")))"
        + " VALUES (\(places))")
    var count = 0
    try scan(kind, of: damaged) { key, record throws(StateError) in
      var values = record.values
      change(&values)
      try begin()
      try insert.run(
        RecordMark.row(key, values, late: Record.lateColumns) + (extra.map { [$0.value] } ?? []))
      count += 1
    }
    return count
  }

  /// Calls `body` for each record that is readable and sound.
  ///
  /// Keys are digests, so the table is read in 256 parts by the keys' first bytes: a page that
  /// can't be read costs the records of its own part. Such a part is read from both of its ends. Earlier versions
  /// stored digests as text, of which each part has its share by the first two digits.
  private func scan<Record: MarkedRecord>(
    _ kind: Record.Type, of damaged: Database,
    _ body: (String, Record) throws(StateError) -> Void
  ) throws(StateError) {
    // One of an earlier version lacks columns.
    var present: Set<String> = []
    try? damaged.prepare("SELECT name FROM pragma_table_info('\(Record.table)')").run([]) {
      present.insert($0.text(0))
    }
    for part in 0..<256 {
      let prefix = String(String(part + 256, radix: 16).dropFirst())
      let byte = UInt8(part)
      // Keys are shorter than the last bound.
      let after = byte == 255 ? [UInt8](repeating: 255, count: 64) : [byte + 1]
      // "g" follows the last hexadecimal digit, so the range holds all keys with this prefix.
      for bounds: [Statement.Value] in [
        [.blob([byte]), .blob(after)], [.text(prefix), .text("\(prefix)g")],
      ] {
        for direction in ["ASC", "DESC"] {
          var rows = SalvageRows<Record>(isAscending: direction == "ASC")
          do throws(StateError) {
            try damaged.prepare(SalvageRows<Record>.query(direction, present))
              .runWhile(bounds) { rows.take($0) }
          } catch {
            // What was read until then is copied, and the rest is looked for from the other end.
            rows.isWhole = false
          }
          for (key, record) in rows.found { try body(key, record) }
          if rows.isWhole { break }
        }
      }
    }
  }
}

/// The records of one part of a damaged table, in one direction.
private struct SalvageRows<Record: MarkedRecord> {
  let isAscending: Bool
  private(set) var found: [(key: String, record: Record)] = []
  /// Whether the part was read to its end.
  var isWhole = true
  private var last: String?

  init(isAscending: Bool) { self.isAscending = isAscending }

  static func query(_ direction: String, _ present: Set<String>) -> String {
    let columns = Record.columns.map {
      present.isEmpty || present.contains($0) ? $0 : "NULL AS \($0)"
    }
    return "SELECT \(columns.joined(separator: ", ")), mark, \(Record.key) FROM \(Record.table)"
      + " WHERE \(Record.key) >= ? AND \(Record.key) < ? ORDER BY \(Record.key) \(direction)"
  }

  /// Returns whether to read on: if keys are out of order, the tree is damaged here.
  mutating func take(_ row: Statement.Row) -> Bool {
    let count = Record.columns.count
    let key = row.key(Int32(count + 1))
    if let last, isAscending ? key <= last : key >= last {
      isWhole = false
      return false
    }
    last = key
    if row.isSound(key: Int32(count + 1), columns: count, late: Record.lateColumns),
      let record = Record(row)
    {
      found.append((Record.currentKey(key), record))
    }
    return true
  }
}
