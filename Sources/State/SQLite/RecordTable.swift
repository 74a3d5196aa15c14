/// A record that is stored under a key, with a mark (``RecordMark``) that shows damage.
protocol MarkedRecord {
  static var table: String { get }
  /// The name of the key's column.
  static var key: String { get }
  /// Without the key and the mark. The order is that of ``values`` and decides the mark: another one needs another
  /// ``Schema/version``.
  static var columns: [String] { get }
  /// Reads the columns, from the first; nil if the values cannot be true.
  init?(_ row: Statement.Row)
  var values: [Statement.Value] { get }
}

extension MarkedRecord {
  /// The columns and the mark, and then the key, for a statement of several tables.
  static var selection: String {
    (columns + ["mark", key]).map { "\(table).\($0)" }.joined(separator: ", ")
  }

  /// How many columns ``selection`` has.
  static var width: Int { columns.count + 2 }

  /// The record in a row that begins with ``selection``. Nil if it is missing or damaged.
  static func found(in row: Statement.Row) -> Self? {
    let key = Int32(columns.count + 1)
    guard !row.isNull(key), row.isSound(key: key, columns: columns.count)
    else { return nil }
    return Self(row)
  }
}

/// The table of one kind of record, with its prepared statements.
final class RecordTable<Record: MarkedRecord> {
  private let database: Database
  private let columns: [String]
  private let select: Statement
  private let remove: Statement
  /// By the number of rows that they save.
  private var upserts: [Int: Statement] = [:]
  /// Whether the table may have rows; nil before that was needed.
  private var mayHaveRows: Bool?

  /// - Parameter extra: a column after the mark whose value ``save(_:extra:)`` gets.
  init(_ database: Database, extra: String? = nil) throws(StateError) {
    self.database = database
    columns = [Record.key] + Record.columns + ["mark"] + (extra.map { [$0] } ?? [])
    select = try database.prepare(
      "SELECT \(Record.selection) FROM \(Record.table) WHERE \(Record.key) = ?")
    remove = try database.prepare("DELETE FROM \(Record.table) WHERE \(Record.key) = ?")
  }

  /// Nil also if the record is damaged.
  func find(_ key: String) throws(StateError) -> Record? {
    try select.first([.key(key)]) { Record.found(in: $0) } ?? nil
  }

  func save(_ record: Record, key: String) throws(StateError) {
    try save([(key, record)])
  }

  /// Saves records in one statement, which costs less than one each.
  func save(
    _ records: [(key: String, record: Record)], extra: Statement.Value? = nil
  ) throws(StateError) {
    var rest = records[...]
    while !rest.isEmpty {
      // SQLite limits the values of a statement.
      let part = rest.prefix(100)
      try upsert(rows: part.count).run(
        part.flatMap { key, record in
          RecordMark.row(key, record.values) + (extra.map { [$0] } ?? [])
        })
      rest = rest.dropFirst(part.count)
    }
    mayHaveRows = true
  }

  private func upsert(rows: Int) throws(StateError) -> Statement {
    if let statement = upserts[rows] { return statement }
    let row = "(\(repeatElement("?", count: columns.count).joined(separator: ", ")))"
    let statement = try database.prepare(
      "INSERT OR REPLACE INTO \(Record.table) (\(columns.joined(separator: ", "))) VALUES "
        + repeatElement(row, count: rows).joined(separator: ", "))
    upserts[rows] = statement
    return statement
  }

  /// Most tables of headers and rejections are empty, and every saved source deletes from them.
  func delete(_ key: String) throws(StateError) {
    if mayHaveRows == nil {
      mayHaveRows =
        try database.prepare("SELECT 1 FROM \(Record.table) LIMIT 1").first([]) { _ in true }
        ?? false
    }
    if mayHaveRows == true { try remove.run([.key(key)]) }
  }
}
