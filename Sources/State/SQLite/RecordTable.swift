/// A record that is stored under a key, with a mark (``RecordMark``) that shows damage.
protocol MarkedRecord {
  static var table: String { get }
  /// The name of the key's column.
  static var key: String { get }
  /// Without the key and the mark. The order is that of ``values`` and decides the mark, so it never
  /// changes; new columns are added at the end.
  static var columns: [String] { get }

  /// Reads the columns, from the first; nil if the values cannot be true.
  init?(_ row: Statement.Row)
  var values: [Statement.Value] { get }
}

/// The table of one kind of record, with its prepared statements.
final class RecordTable<Record: MarkedRecord> {
  private let select: Statement
  private let upsert: Statement
  private let remove: Statement

  /// - Parameter extra: a column after the mark whose value ``save(_:key:extra:)`` gets.
  init(_ database: Database, extra: String? = nil) throws(StateError) {
    let columns = Record.columns + ["mark"]
    let all = [Record.key] + columns + (extra.map { [$0] } ?? [])
    let places = repeatElement("?", count: all.count).joined(separator: ", ")
    select = try database.prepare(
      "SELECT \(columns.joined(separator: ", ")) FROM \(Record.table) WHERE \(Record.key) = ?")
    upsert = try database.prepare(
      "INSERT OR REPLACE INTO \(Record.table) (\(all.joined(separator: ", "))) VALUES (\(places))")
    remove = try database.prepare("DELETE FROM \(Record.table) WHERE \(Record.key) = ?")
  }

  /// Nil also if the record is damaged.
  func find(_ key: String) throws(StateError) -> Record? {
    try select.first([.text(key)]) { row in
      row.isSound(key, columns: Record.columns.count) ? Record(row) : nil
    } ?? nil
  }

  func save(_ record: Record, key: String, extra: Statement.Value? = nil) throws(StateError) {
    try upsert.run(RecordMark.row(key, record.values) + (extra.map { [$0] } ?? []))
  }

  func delete(_ key: String) throws(StateError) { try remove.run([.text(key)]) }
}
