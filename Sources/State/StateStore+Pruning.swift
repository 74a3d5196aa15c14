/// Which files a catalog names, and since when others are no longer named.
extension StateStore {
  /// Begins an empty list of names: paths of files, and keys of rows. It is gone with the store; a
  /// large one is kept on disk.
  package func beginNaming() throws(StateError) {
    try database.execute(
      "DROP TABLE IF EXISTS temp.named; CREATE TEMP TABLE named"
        + " (name TEXT PRIMARY KEY, place TEXT, until REAL) WITHOUT ROWID")
  }

  /// What names a file.
  package struct Naming: Sendable, Equatable {
    /// In words.
    package var place: String
    /// When it names it no more at the latest, in seconds since 1970; nil if that is not known.
    package var until: Double?

    package init(_ place: String, until: Double? = nil) {
      (self.place, self.until) = (place, until)
    }
  }

  /// - Parameter naming: what names them; the first of several stays.
  package func name(_ paths: [String], by naming: Naming) throws(StateError) {
    let insert = try database.prepare("INSERT OR IGNORE INTO temp.named VALUES (?, ?, ?)")
    for path in paths {
      try insert.run([.text(path), .text(naming.place), .optional(naming.until)])
    }
  }

  /// What names a file; nil if nothing does.
  package func naming(of path: String) throws(StateError) -> Naming? {
    try database.prepare("SELECT place, until FROM temp.named WHERE name = ?")
      .first([.text(path)]) { Naming($0.text(0), until: $0.optionalDouble(1)) }
  }

  /// Since when a file is known to be named no more, in seconds since 1970.
  ///
  /// - Parameters:
  ///   - bytes: its size.
  ///   - notes: whether `now` is stored if this is the first time.
  package func retired(
    _ path: String, bytes: Int = 0, now: Double, notes: Bool
  ) throws(StateError) -> Double {
    let known = try database.prepare("SELECT since FROM retired WHERE path = ?")
      .first([.text(path)]) { $0.double(0) }
    // If the clock was set back, a moment in the future would keep the file indefinitely.
    if let known, known <= now { return known }
    if notes {
      try begin()
      try database.prepare("INSERT OR REPLACE INTO retired (path, since, bytes) VALUES (?, ?, ?)")
        .run([.text(path), .double(now), .int(bytes)])
    }
    return now
  }

  package func forgetRetired(_ path: String) throws(StateError) {
    try begin()
    try database.prepare("DELETE FROM retired WHERE path = ?").run([.text(path)])
  }

  /// Deletes the notes on files that are named again, so that they begin a new time when they are dropped again.
  package func clearNotes(on paths: [String]) throws(StateError) {
    let delete = try database.prepare("DELETE FROM retired WHERE path = ?")
    try begin()
    for path in paths { try delete.run([.text(path)]) }
  }

  /// Whether there are notes on files that were seen to be named no more.
  package func hasNotes() throws(StateError) -> Bool {
    try database.prepare("SELECT 1 FROM retired LIMIT 1").first([]) { _ in true } ?? false
  }
}
