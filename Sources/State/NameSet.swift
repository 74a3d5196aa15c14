/// A set of names, in a temporary database on disk: they may be more than memory holds.
package final class NameSet {
  private let insert: Statement

  package init() throws(StateError) {
    let database = try Database("")
    try database.execute("CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID")
    insert = try database.prepare("INSERT OR IGNORE INTO names VALUES (?)")
  }

  /// Returns whether the name is new.
  package func add(_ name: String) throws(StateError) -> Bool {
    try insert.change([.text(name)]) > 0
  }
}
