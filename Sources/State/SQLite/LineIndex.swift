/// Where the named lines of a file are, in a temporary database on disk: ten million of them need no
/// memory.
package final class LineIndex {
  package struct Entry: Sendable, Equatable {
    /// Bytes from the file's start.
    package var offset: Int
    package var length: Int
    /// The name of the next line; nil for the last.
    package var next: String?
    /// Whether ``LineIndex/find(_:)`` returned it before.
    package var wasFound = false

    package init(offset: Int, length: Int, next: String?) {
      self.offset = offset
      self.length = length
      self.next = next
    }
  }

  private let database: Database
  private let insert: Statement
  private let select: Statement
  private let mark: Statement

  package init() throws(StateError) {
    database = try Database("")
    // The file is temporary and never read after a crash: no journal, no flush, and one transaction
    // that is never committed.
    try database.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;"
        + "CREATE TABLE lines (name TEXT PRIMARY KEY, place INTEGER, length INTEGER, next TEXT,"
        + " found INTEGER) WITHOUT ROWID; BEGIN")
    // RETURNING yields a row only if the line was inserted.
    insert = try database.prepare(
      "INSERT INTO lines VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING place")
    select = try database.prepare("SELECT place, length, next, found FROM lines WHERE name = ?")
    mark = try database.prepare("UPDATE lines SET found = 1 WHERE name = ?")
  }

  /// Adds a line. Returns false if a line has the name already; that line stays.
  package func add(_ name: String, _ entry: Entry) throws(StateError) -> Bool {
    try insert.first([
      .text(name), .int(entry.offset), .int(entry.length), .optional(entry.next),
      .int(entry.wasFound ? 1 : 0),
    ]) { _ in true } ?? false
  }

  /// The line with a name. It counts as found from now on.
  package func find(_ name: String) throws(StateError) -> Entry? {
    let entry = try select.first([.text(name)]) { row in
      var entry = Entry(offset: row.int(0), length: row.int(1), next: row.optionalText(2))
      entry.wasFound = row.int(3) == 1
      return entry
    }
    if entry?.wasFound == false { try mark.run([.text(name)]) }
    return entry
  }

  /// The names of the lines that were never found, in order.
  package func forEachMissing(_ body: (String) -> Void) throws(StateError) {
    try database.prepare("SELECT name FROM lines WHERE found = 0 ORDER BY place").run {
      body($0.text(0))
    }
  }
}
