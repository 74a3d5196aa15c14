private import TesseraCSQLite
internal import TesseraSystem

/// What SQLite said about a call that failed.
package struct StateError: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// The file is no database, or a damaged one.
    case corrupt
    /// A later version of Tessera wrote it.
    case newer
    case other
  }

  package var kind: Kind
  package var path: String
  /// A clause. Values are never part of it.
  package var message: String

  package init(kind: Kind, path: String, message: String) {
    self.kind = kind
    self.path = path
    self.message = message
  }

  package var description: String { "the state file \"\(path)\": \(message)" }
}

/// One connection to an SQLite database. Closed when it goes out of scope; used by one owner.
final class Database {
  let path: String
  private var handle: OpaquePointer?
  private var budget: Budget?

  /// - Parameter isReadOnly: whether it has to be there, and stays as it is.
  init(_ path: String, isReadOnly: Bool = false) throws(StateError) {
    self.path = path
    // No mutex: the state store is an actor, and nobody else has this connection.
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let flags = access | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK else {
      let error = failure(code)
      sqlite3_close_v2(handle)
      handle = nil
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs statements that give no rows.
  func execute(_ sql: String) throws(StateError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
    Effect.happened()
  }

  /// To be called before what looks through whole tables, which in a damaged file may have no end: a page that leads back
  /// to one above it. No table has more rows than its pages can hold, so there is a number of steps that is enough; who
  /// needs more is interrupted, and the state counts as damaged.
  func limitSteps() throws(StateError) {
    let pages = try prepare("PRAGMA page_count").first([]) { $0.int(0) } ?? 0
    let budget = Budget(rounds: 100 + pages)
    self.budget = budget
    sqlite3_progress_handler(
      handle, Budget.steps,
      { context in
        guard let context else { return 0 }
        let budget = Unmanaged<Budget>.fromOpaque(context).takeUnretainedValue()
        budget.rounds -= 1
        return budget.rounds < 0 ? 1 : 0
      }, Unmanaged.passUnretained(budget).toOpaque())
  }

  /// Ends what ``limitSteps()`` began.
  func unlimitSteps() {
    sqlite3_progress_handler(handle, 0, nil, nil)
    budget = nil
  }

  private final class Budget {
    /// Of SQLite's virtual machine: more than a page's rows need.
    static let steps: Int32 = 10_000
    var rounds: Int

    init(rounds: Int) { self.rounds = rounds }
  }

  func prepare(_ sql: String) throws(StateError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    return Statement(statement, of: self)
  }

  fileprivate func failure(_ code: Int32) -> StateError {
    let primary = code & 0xFF
    let kind: StateError.Kind =
      // A statement of ours that makes no sense is one for tables that are not what they were.
      // What is interrupted had no end.
      [
        SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH,
        SQLITE_INTERRUPT,
      ]
      .contains(primary) ? .corrupt : .other
    let message = handle.map { String(cString: sqlite3_errmsg($0)) }
    return StateError(
      kind: kind, path: path, message: message ?? String(cString: sqlite3_errstr(code)))
  }
}

/// A prepared statement that is used again and again. Not for two queries at a time.
final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  fileprivate init(_ handle: OpaquePointer, of database: Database) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// A value for a parameter, or from a column.
  enum Value {
    case null
    case int(Int)
    case double(Double)
    case text(String)

    static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    static func optional(_ number: Double?) -> Value { number.map { .double($0) } ?? .null }
    static func optional(_ number: Int?) -> Value { number.map { .int($0) } ?? .null }
  }

  /// One row of a result; valid until the statement's next step.
  struct Row {
    fileprivate let handle: OpaquePointer

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }
    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    func text(_ column: Int32) -> String {
      let start = sqlite3_column_text(handle, column)
      let count = Int(sqlite3_column_bytes(handle, column))
      return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Whether the first columns are what they were when they were stored; the mark stands behind them. What an
    /// earlier version has stored has none.
    func isSound(_ key: String, columns: Int32) -> Bool {
      if isNull(columns) { return true }
      var mark = RecordMark(key)
      for column in 0..<columns {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: mark.add(int(column))
        case SQLITE_FLOAT: mark.add(double(column))
        case SQLITE_NULL: mark.addNull()
        default:
          // As they lie there: a string of each would be made twice.
          let bytes = UnsafeBufferPointer(
            start: sqlite3_column_text(handle, column),
            count: Int(sqlite3_column_bytes(handle, column)))
          mark.add(text: bytes)
        }
      }
      return mark.number == int(columns)
    }

    /// As it was stored.
    func value(_ column: Int32) -> Value {
      switch sqlite3_column_type(handle, column) {
      case SQLITE_INTEGER: .int(int(column))
      case SQLITE_FLOAT: .double(double(column))
      case SQLITE_NULL: .null
      default: .text(text(column))
      }
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }
    func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }
  }

  /// Runs the statement, calling `row` for each row.
  func run(_ values: [Value] = [], row: (Row) -> Void = { _ in }) throws(StateError) {
    try runWhile(values) { found in
      row(found)
      return true
    }
  }

  /// Runs the statement, calling `row` for each row for as long as it wants more.
  func runWhile(_ values: [Value], _ row: (Row) -> Bool) throws(StateError) {
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    while true {
      let code = sqlite3_step(handle)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw database.failure(code) }
      if !row(Row(handle: handle)) { return }
    }
  }

  /// The first row, turned into a value.
  func first<Value>(
    _ values: [Statement.Value], _ transform: (Row) -> Value
  ) throws(StateError) -> Value? {
    var found: Value?
    try run(values) { row in if found == nil { found = transform(row) } }
    return found
  }

  private func bind(_ value: Value, at index: Int32) throws(StateError) {
    let code =
      switch value {
      case .null: sqlite3_bind_null(handle, index)
      case .int(let number): sqlite3_bind_int64(handle, index, Int64(number))
      case .double(let number): sqlite3_bind_double(handle, index, number)
      // With its length: a text may hold a NUL.
      case .text(let text):
        sqlite3_bind_text(
          handle, index, text, Int32(text.utf8.count), tessera_sqlite_transient())
      }
    guard code == SQLITE_OK else { throw database.failure(code) }
  }
}
