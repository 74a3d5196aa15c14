private import TesseraCSQLite

/// A prepared statement. It runs one query at a time.
package final class Statement {
  private let handle: OpaquePointer
  /// Keeps the connection open for as long as the statement exists.
  private let connection: Connection

  init(_ handle: OpaquePointer, of connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// A value of a parameter or a column.
  package enum Value {
    case null
    case int(Int)
    case double(Double)
    case text(String)
    case blob([UInt8])
    /// A digest in hexadecimal, or several: stored in half as many bytes; see ``PackedKey``.
    case key(String)

    static func optional(key: String?) -> Value { key.map { .key($0) } ?? .null }
    package static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    static func optional(_ number: Double?) -> Value { number.map { .double($0) } ?? .null }
    package static func optional(_ number: Int?) -> Value { number.map { .int($0) } ?? .null }
    static func bool(_ flag: Bool) -> Value { .int(flag ? 1 : 0) }
    static func optional(_ flag: Bool?) -> Value { flag.map { .bool($0) } ?? .null }
  }

  /// One row of a result. It is valid until the statement's next step.
  package struct Row {
    fileprivate let handle: OpaquePointer
    /// The column that counts as the first.
    fileprivate var first: Int32 = 0

    /// The row without its first columns: what a statement has of another table.
    func dropFirst(_ count: Int) -> Row { Row(handle: handle, first: first + Int32(count)) }

    private func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, first + column) }
    func hasBytes(_ column: Int32) -> Bool { [SQLITE_TEXT, SQLITE_BLOB].contains(type(column)) }
    func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }
    package func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, first + column)) }
    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, first + column) }
    package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
    /// A ``Value/key(_:)``.
    func key(_ column: Int32) -> String {
      type(column) == SQLITE_BLOB ? PackedKey.text(bytes(column)) : text(column)
    }

    /// The bytes of a text or a blob, where SQLite keeps them: valid as long as the row.
    package func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
      let start = sqlite3_column_blob(handle, first + column)
      return UnsafeBufferPointer(
        start: start?.assumingMemoryBound(to: UInt8.self),
        count: Int(sqlite3_column_bytes(handle, first + column)))
    }

    /// A number, or nothing, in the type that it was stored with.
    func number(_ column: Int32) -> Value {
      switch type(column) {
      case SQLITE_INTEGER: .int(int(column))
      case SQLITE_FLOAT: .double(double(column))
      default: .null
      }
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    func optionalKey(_ column: Int32) -> String? { isNull(column) ? nil : key(column) }
    func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }
    /// A whole number; nil if it is anything else.
    func wholeNumber(_ column: Int32) -> Int? {
      type(column) == SQLITE_INTEGER ? int(column) : nil
    }
    func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }
  }

  /// Runs the statement, calling `row` for each row.
  package func run(
    _ values: [Value] = [], row: (Row) -> Void = { _ in }
  ) throws(StateError) {
    try connection.check()
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

  /// Runs a statement that writes. Returns the number of rows that it has changed.
  package func change(_ values: [Value]) throws(StateError) -> Int {
    try run(values)
    return connection.changes
  }

  /// The first row, turned into a value; nil without a row.
  package func first<Found>(
    _ values: [Value] = [], _ transform: (Row) -> Found
  ) throws(StateError) -> Found? {
    var found: Found?
    try run(values) { row in if found == nil { found = transform(row) } }
    return found
  }

  private func bind(_ value: Value, at index: Int32) throws(StateError) {
    let code =
      switch value {
      case .null: sqlite3_bind_null(handle, index)
      case .int(let number): sqlite3_bind_int64(handle, index, Int64(number))
      case .double(let number): sqlite3_bind_double(handle, index, number)
      // With its length, because a text may contain a NUL.
      case .text(let text):
        // SQLITE_TRANSIENT makes SQLite copy the text: Swift's buffer is valid during the call
        // only.
        sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), tessera_sqlite_transient())
      case .blob(let bytes):
        sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), tessera_sqlite_transient())
      case .key(let text):
        PackedKey.withBytes(of: text) { bytes, isPacked in
          isPacked
            ? sqlite3_bind_blob(
              handle, index, bytes.baseAddress, Int32(bytes.count), tessera_sqlite_transient())
            : sqlite3_bind_text(
              handle, index, text, Int32(text.utf8.count), tessera_sqlite_transient())
        }
      }
    guard code == SQLITE_OK else { throw connection.failure(code) }
  }
}
