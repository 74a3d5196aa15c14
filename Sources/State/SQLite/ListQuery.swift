internal import Synchronization
private import TesseraCSQLite

/// The rows of a query on a database that another program owns, in one read transaction.
///
/// The database is opened for reading only. The query is one SELECT statement: it can neither attach other files nor
/// change anything, and what the database declares in its schema is not trusted.
///
/// `@unchecked Sendable`: one task reads at a time; ``interrupt()`` is for any thread, and takes the lock.
package final class ListQuery: @unchecked Sendable {
  private let database: OpaquePointer
  private let statement: OpaquePointer
  private let isInterrupted = Mutex(false)
  private var isAtEnd = false
  /// The names of the result's columns.
  package let columns: [String]

  /// What is wrong with a query: a clause without its full stop.
  package struct Failure: Error, Sendable, Equatable {
    package var message: String
    package var isInterrupted = false
  }

  /// A field that is longer is not read.
  private static let longest = 16 << 20

  /// - Parameter path: without links in it.
  package init(_ path: String, sql: String) throws(Failure) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      let failure = Self.failure(code, handle)
      sqlite3_close_v2(handle)
      throw failure
    }
    do throws(Failure) {
      statement = try Self.prepare(sql, handle)
    } catch {
      sqlite3_close_v2(handle)
      throw error
    }
    database = handle
    columns = (0..<sqlite3_column_count(statement)).map { [statement] index in
      sqlite3_column_name(statement, index).map { String(cString: $0) } ?? ""
    }
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close_v2(database)
  }

  private static func prepare(_ sql: String, _ handle: OpaquePointer) throws(Failure)
    -> OpaquePointer
  {
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(longest))
    sqlite3_busy_timeout(handle, 5_000)
    sqlite3_exec(handle, "PRAGMA trusted_schema = OFF", nil, nil, nil)
    // From here on, only what a SELECT needs.
    sqlite3_set_authorizer(
      handle,
      { _, action, _, _, _, _ in
        let allowed = [SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE]
        return allowed.contains(action) ? SQLITE_OK : SQLITE_DENY
      }, nil)
    var statement: OpaquePointer?
    var rest = ""
    let code = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(handle, text, -1, &statement, &tail)
      rest = tail.map { String(cString: $0) } ?? ""
      return code
    }
    guard code == SQLITE_OK else { throw failure(code, handle) }
    guard let statement, sqlite3_column_count(statement) > 0,
      rest.allSatisfy({ $0.isWhitespace || $0 == ";" })
    else {
      sqlite3_finalize(statement)
      throw Failure(message: "the query must be one SELECT statement")
    }
    return statement
  }

  package enum Row: Sendable, Equatable {
    /// A text for each column, nil for NULL; a number as SQLite writes it.
    case fields([String?])
    /// SQLite keeps any bytes as a text. They are not repaired: a repaired URL would be another URL.
    case notUTF8(column: String)
  }

  /// The next rows. Fewer than `count` at the end.
  package func next(_ count: Int) throws(Failure) -> [Row] {
    var rows: [Row] = []
    // A step after the last would begin the query again.
    while rows.count < count, !isAtEnd {
      let code = isInterrupted.withLock { $0 } ? SQLITE_INTERRUPT : sqlite3_step(statement)
      if code == SQLITE_DONE {
        isAtEnd = true
        break
      }
      guard code == SQLITE_ROW else { throw Self.failure(code, database) }
      rows.append(row())
    }
    return rows
  }

  private func row() -> Row {
    var fields: [String?] = []
    for column in 0..<Int32(columns.count) {
      guard sqlite3_column_type(statement, column) != SQLITE_NULL,
        let bytes = sqlite3_column_text(statement, column)
      else {
        fields.append(nil)
        continue
      }
      let count = Int(sqlite3_column_bytes(statement, column))
      let text = String(
        validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
      guard let text else { return .notUTF8(column: columns[Int(column)]) }
      fields.append(text)
    }
    return .fields(fields)
  }

  /// Ends a read that goes on, and those that follow.
  package func interrupt() {
    isInterrupted.withLock { isInterrupted in
      isInterrupted = true
      sqlite3_interrupt(database)
    }
  }

  private static func failure(_ code: Int32, _ handle: OpaquePointer?) -> Failure {
    if code == SQLITE_INTERRUPT { return Failure(message: "interrupted", isInterrupted: true) }
    let message = handle.map { String(cString: sqlite3_errmsg($0)) }
    if code == SQLITE_AUTH || message == "not authorized" {
      return Failure(message: "the query must be one SELECT statement")
    }
    return Failure(message: message ?? String(cString: sqlite3_errstr(code)))
  }

  /// Whether the rows of a query come in an order of their own in each run.
  package static func isOrdered(_ sql: String) -> Bool {
    sql.lowercased().contains(/\border\s+by\b/)
  }
}
