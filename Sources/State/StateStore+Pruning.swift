/// Which files a catalog names, and since when others are no longer named.
extension StateStore {
  /// Begins an empty list of names: paths of files, and keys of rows. It is gone with the store; a
  /// large one is kept on disk.
  package func beginNaming() throws(StateError) {
    try database.execute(
      "CREATE TEMP TABLE IF NOT EXISTS named (name TEXT PRIMARY KEY) WITHOUT ROWID")
  }

  package func name(_ paths: [String]) throws(StateError) {
    let insert = try database.prepare("INSERT OR IGNORE INTO temp.named VALUES (?)")
    for path in paths { try insert.run([.text(path)]) }
  }

  package func isNamed(_ path: String) throws(StateError) -> Bool {
    try database.prepare("SELECT 1 FROM temp.named WHERE name = ?").first([.text(path)]) { _ in
      true
    } ?? false
  }

  /// Since when a file is known to be named no more, in seconds since 1970.
  ///
  /// - Parameter notes: whether `now` is stored if this is the first time.
  package func retired(
    _ path: String, now: Double, notes: Bool
  ) throws(StateError) -> Double {
    let known = try database.prepare("SELECT since FROM retired WHERE path = ?")
      .first([.text(path)]) { $0.double(0) }
    // If the clock was set back, a moment in the future would keep the file indefinitely.
    if let known, known <= now { return known }
    if notes {
      try begin()
      try database.prepare("INSERT OR REPLACE INTO retired (path, since) VALUES (?, ?)")
        .run([.text(path), .double(now)])
    }
    return now
  }

  package func forgetRetired(_ path: String) throws(StateError) {
    try begin()
    try database.prepare("DELETE FROM retired WHERE path = ?").run([.text(path)])
  }
}
