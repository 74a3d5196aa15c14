private import TesseraCSQLite
internal import TesseraSystem

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
