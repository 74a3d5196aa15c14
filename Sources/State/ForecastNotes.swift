/// Names that a look at the next run has met, in a temporary database on disk: they may be more than memory holds.
package final class ForecastNotes {
  package enum Kind: String {
    /// What a run requests and makes once: sources and files, by their keys.
    case source, file
    /// Images of the manifest that keep their files, and images that may not.
    case kept, moved
    /// Chunks whose images keep their files, by their numbers.
    case chunk
    /// Paths of files that the next catalog names, and of those that it may not name.
    case used, candidate
  }

  private let insert: Statement
  private let select: Statement

  package init() throws(StateError) {
    let database = try Database("")
    try database.execute(
      "CREATE TABLE notes (kind TEXT, name TEXT, PRIMARY KEY (kind, name)) WITHOUT ROWID")
    insert = try database.prepare("INSERT OR IGNORE INTO notes VALUES (?, ?)")
    select = try database.prepare("SELECT 1 FROM notes WHERE kind = ? AND name = ?")
  }

  /// Returns whether the name was not noted before.
  @discardableResult
  package func add(_ kind: Kind, _ name: String) throws(StateError) -> Bool {
    try insert.change([.text(kind.rawValue), .text(name)]) > 0
  }

  package func has(_ kind: Kind, _ name: String) throws(StateError) -> Bool {
    try select.first([.text(kind.rawValue), .text(name)]) { _ in true } ?? false
  }
}
