internal import Glibc
private import TesseraCSQLite
package import TesseraSystem

/// An SQLite database, closed when it and its statements are released. It has one owner.
package final class Database {
  private let connection: Connection
  private var budget: StepBudget?

  var path: String { connection.path }
  var isInTransaction: Bool { connection.isInTransaction }

  /// - Parameters:
  ///   - path: an empty path opens a temporary database that no other process sees.
  ///   - isReadOnly: whether the file must exist, and stays as it is. Only then the database is of use
  ///     after an error.
  ///   - isAtRest: whether nothing writes to the file, and its log is empty. It is then only read, and nothing is made
  ///     beside it.
  package init(
    _ path: String, isReadOnly: Bool = false, isAtRest: Bool = false
  ) throws(StateError) {
    connection = try Connection(path, isReadOnly: isReadOnly, isAtRest: isAtRest)
  }

  /// Runs statements that return no rows.
  package func execute(_ sql: String) throws(StateError) {
    try connection.check()
    let code = sqlite3_exec(connection.handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw connection.failure(code) }
  }

  /// Compiles a statement that is used many times.
  package func prepare(_ sql: String) throws(StateError) -> Statement {
    try connection.check()
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw connection.failure(code) }
    return Statement(statement, of: connection)
  }

  // MARK: Scans of damaged files

  /// Limits the steps of the statements that follow. Call it before scanning whole tables.
  ///
  /// In a damaged file a scan may never end, because a page can point back to one above it. A table
  /// has no more rows than its pages can hold, so a number of steps exists that is always enough; a
  /// statement that needs more is interrupted, and the state counts as damaged.
  func limitSteps() throws(StateError) {
    let pages = try prepare("PRAGMA page_count").first([]) { $0.int(0) } ?? 0
    let budget = StepBudget(rounds: 100 + pages)
    self.budget = budget
    sqlite3_progress_handler(
      connection.handle, StepBudget.steps,
      { context in
        guard let context else { return 0 }
        let budget = Unmanaged<StepBudget>.fromOpaque(context).takeUnretainedValue()
        budget.rounds -= 1
        return budget.rounds < 0 ? 1 : 0
      }, Unmanaged.passUnretained(budget).toOpaque())
  }

  /// Removes the limit of ``limitSteps()``.
  func unlimitSteps() {
    sqlite3_progress_handler(connection.handle, 0, nil, nil)
    budget = nil
  }

  private final class StepBudget {
    /// Steps of SQLite's virtual machine in one round: more than the rows of a page need.
    static let steps: Int32 = 10_000
    var rounds: Int

    init(rounds: Int) { self.rounds = rounds }
  }
}

/// One open connection of SQLite, closed when it is released.
///
/// After an error it is not used any more: SQLite may have rolled back what was written since the last
/// commit, so whatever follows would be wrong, and its errors would hide the cause.
final class Connection {
  let path: String
  private(set) var handle: OpaquePointer?
  private var firstError: StateError?
  private let toleratesErrors: Bool

  /// - Parameter isAtRest: whether nothing writes to the file, and its log is empty: then SQLite needs neither a lock nor an
  ///   index of the log, which a full disk has no space for (sqlite.org/uri.html, "immutable").
  init(_ path: String, isReadOnly: Bool, isAtRest: Bool = false) throws(StateError) {
    self.path = path
    // A damaged file is only read, and has errors in many places.
    toleratesErrors = isReadOnly
    // No mutex: the state store is an actor, and this connection is its own.
    let access =
      isReadOnly || isAtRest ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    // The caller has resolved the path: a link in it was put there since, and would lead elsewhere.
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
    let code =
      isAtRest
      ? sqlite3_open_v2(Self.uri(ofFileAtRest: path), &handle, flags | SQLITE_OPEN_URI, nil)
      : sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK else {
      let error = failure(code)
      // A handle exists even if opening failed, and has to be closed.
      sqlite3_close_v2(handle)
      handle = nil
      throw error
    }
  }

  private static func uri(ofFileAtRest path: String) -> String {
    let escaped = path.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      return "?#%".unicodeScalars.contains(scalar) || byte >= 0x80
        ? "%" + String(byte, radix: 16, uppercase: true) : String(scalar)
    }
    return "file:\(escaped.joined())?immutable=1"
  }

  deinit { sqlite3_close_v2(handle) }

  /// Throws the first error, if there was one. To be called before each use.
  func check() throws(StateError) {
    if let firstError { throw firstError }
  }

  /// The error for a result code of SQLite.
  func failure(_ code: Int32) -> StateError {
    // Before the call below, which has a result of its own.
    let message = handle.map { String(cString: sqlite3_errmsg($0)) }
    let error = StateError(
      code: code, message: message ?? String(cString: sqlite3_errstr(code)),
      system: handle.map { tessera_sqlite_errno($0) } ?? 0, path: path)
    if !toleratesErrors { firstError = firstError ?? error }
    return error
  }

  /// The rows that the last statement has changed.
  var changes: Int { handle.map { Int(sqlite3_changes($0)) } ?? 0 }

  /// Whether a transaction is open. SQLite ends one by itself after some errors.
  var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }
}

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

/// Why the state could not be read or written.
package struct StateError: ReportedError, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// SQLite found the file to be damaged, or to be something else.
    case corrupt
    /// Records are missing that this run wrote, or contradict each other.
    case incomplete
    /// SQLite rejected one of our statements: the tables are not what they were, or a fault of ours.
    case rejected
    /// A full or read-only disk, a failing one, a lock: the state is as it was.
    case unavailable
    /// A later version of Tessera wrote it.
    case newer
    /// A version of Tessera wrote it whose tables are not read any more.
    case older
  }

  package var kind: Kind
  /// Empty for a temporary database.
  package var path: String
  /// A clause, in SQLite's words where SQLite failed. Values are never part of it: they may be secret.
  package var message: String
  /// What to do, as a clause.
  package var remedy: String
  /// Whether it is that the disk is full.
  package internal(set) var isFullDisk = false

  package init(kind: Kind, path: String, message: String, remedy: String = Self.nextRun) {
    self.kind = kind
    self.path = path
    self.message = message
    self.remedy = remedy
  }

  /// Whether the file may have to be set aside. ``StateStore/isDamaged(_:)`` then decides.
  package var suggestsDamage: Bool {
    switch kind {
    case .corrupt, .incomplete, .rejected, .older: true
    case .unavailable, .newer: false
    }
  }

  package static let nextRun =
    "if it is damaged, tessera prune or the next run sets it aside"

  /// What failed and why, without the remedy.
  package var finding: String {
    path.isEmpty
      ? "a temporary database in \"\(FileSystem.temporaryDirectory)\": \(message)"
      : "the state file \"\(path)\": \(message)"
  }

  package var report: TesseraError {
    TesseraError(
      isFullDisk ? .diskFull : .state, finding, remedy: remedy, subject: path.isEmpty ? nil : path)
  }

  package var description: String { report.description }
}

extension StateError {
  /// The error for a result code of SQLite (sqlite.org/rescode.html).
  ///
  /// - Parameters:
  ///   - code: an extended result code. Its lowest byte is the primary one.
  ///   - message: SQLite's own.
  ///   - system: the `errno` of the last system call of SQLite that failed.
  init(code: Int32, message: String, system: Int32, path: String) {
    let primary = code & 0xFF
    self.init(kind: Self.kind(primary), path: path, message: message)
    guard kind == .unavailable else { return }
    remedy = Self.remedy(primary)
    isFullDisk = primary == SQLITE_FULL
    // The number is valid after these two only. A file that is missing is what SQLite looked for
    // after the call that failed.
    guard primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN else { return }
    // Of some calls SQLite forgets the number. What it makes beside a state has 32 kB.
    let isFull = primary == SQLITE_IOERR && system == 0 && Self.room(beside: path) < 1 << 15
    let system = isFull ? ENOSPC : system
    let cause = SystemError("use", path, code: system)
    isFullDisk = cause.isFullDisk
    let hasCause = system != 0 && !cause.isMissingFile
    self.message += hasCause ? " (\(code): \(cause.reason))" : " (\(code))"
    if hasCause { remedy = cause.remedy ?? remedy }
  }

  /// The bytes that are left where a file is; for a temporary database, where that is.
  private static func room(beside path: String) -> Int {
    let folder = path.isEmpty ? FileSystem.temporaryDirectory : FileSystem.parent(of: path)
    return (try? FileSystem.room(at: folder))?.freeBytes ?? .max
  }

  private static func kind(_ primary: Int32) -> Kind {
    switch primary {
    // A statement is interrupted when it used up its steps (Database.limitSteps).
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_INTERRUPT: .corrupt
    case SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_BUSY, SQLITE_LOCKED,
      SQLITE_PROTOCOL, SQLITE_NOMEM, SQLITE_NOLFS, SQLITE_PERM, SQLITE_AUTH:
      .unavailable
    default: .rejected
    }
  }

  private static func remedy(_ primary: Int32) -> String {
    switch primary {
    case SQLITE_FULL: "free space on its file system, and run again"
    case SQLITE_CANTOPEN: "make its folder writable, with free space and inodes, and run again"
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      "make the file and its folder writable, and run again"
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      "end the program that holds its lock, and run again"
    case SQLITE_NOMEM: "free memory, and run again"
    default: "check the disk, and run again"
    }
  }
}
