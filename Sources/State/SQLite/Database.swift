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
