private import TesseraCSQLite

/// An SQLite database that is opened, with its statements. It has one owner.
final class DatabaseConnection {
  private let path: String
  private var handle: OpaquePointer?

  init(_ path: String, isReadOnly: Bool) throws(DatabaseError) {
    self.path = path
    let access =
      isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(
      path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK else {
      let error = failure(code)
      // A handle exists even if opening failed, and has to be closed.
      sqlite3_close_v2(handle)
      handle = nil
      throw error
    }
  }

  // Statements that are left keep the connection until they are finalized.
  deinit { sqlite3_close_v2(handle) }

  fileprivate func failure(_ code: Int32) -> DatabaseError {
    let message = handle.map { String(cString: sqlite3_errmsg($0)) }
    return DatabaseError(
      path: path, reason: message ?? String(cString: sqlite3_errstr(code)))
  }

  /// The rows that the last statement has changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Runs statements that return no rows.
  func execute(_ sql: String) throws(DatabaseError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  func prepare(_ sql: String) throws(DatabaseError) -> DatabaseQuery {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    return DatabaseQuery(statement, of: self)
  }

  /// What `take` makes of the first row of a query; nil if there is none.
  func first<Found>(
    _ sql: String, _ take: (DatabaseQuery.Row) -> Found
  ) throws(DatabaseError) -> Found? {
    var found: Found?
    try prepare(sql).run { row in if found == nil { found = take(row) } }
    return found
  }
}

/// A prepared statement. It runs once at a time.
final class DatabaseQuery {
  private let handle: OpaquePointer
  /// Keeps the connection open for as long as the statement exists.
  private let connection: DatabaseConnection

  fileprivate init(_ handle: OpaquePointer, of connection: DatabaseConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  enum Value {
    case null
    case int(Int)
    case text(String)
    /// UTF-8, as it was written.
    case bytes([UInt8])

    static func optional(_ number: Int?) -> Value { number.map { .int($0) } ?? .null }
    static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
  }

  /// The first column of one row of a result, valid until the next one.
  struct Row {
    fileprivate let handle: OpaquePointer

    var int: Int { Int(sqlite3_column_int64(handle, 0)) }
    var bytes: [UInt8] {
      let start = sqlite3_column_blob(handle, 0)
      return Array(
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, 0))))
    }
  }

  /// Runs the statement, calling `row` for each row.
  func run(_ values: [Value] = [], _ row: (Row) -> Void = { _ in }) throws(DatabaseError) {
    defer {
      // At once: a statement that is not reset keeps its read transaction open.
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    while true {
      let code = sqlite3_step(handle)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw connection.failure(code) }
      row(Row(handle: handle))
    }
  }

  private func bind(_ value: Value, at index: Int32) throws(DatabaseError) {
    // With their lengths, because a text may contain a NUL. SQLite copies them.
    let copies = tessera_sqlite_transient()
    let code =
      switch value {
      case .null: sqlite3_bind_null(handle, index)
      case .int(let number): sqlite3_bind_int64(handle, index, Int64(number))
      case .text(let text): sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), copies)
      case .bytes(let bytes):
        bytes.withUnsafeBytes {
          sqlite3_bind_text(
            handle, index, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count),
            copies)
        }
      }
    guard code == SQLITE_OK else { throw connection.failure(code) }
  }
}
