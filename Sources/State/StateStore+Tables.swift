/// The images of tables while a catalog is written, and the files that were made of them.
extension StateStore {
  /// An image in a table.
  package struct TableEntry: Sendable, Equatable {
    /// Of its id, in hexadecimal: 32 digits.
    package var hash: String
    package var id: String
    /// Of its published file.
    package var path: String
    package var type: String
    package var width: Int
    package var height: Int
    package var bytes: Int

    package init(
      hash: String, id: String, path: String, type: String, width: Int, height: Int, bytes: Int
    ) {
      (self.hash, self.id, self.path, self.type) = (hash, id, path, type)
      (self.width, self.height, self.bytes) = (width, height, bytes)
    }
  }

  /// What a part of a table has.
  package struct TableContent: Sendable, Equatable {
    package var count: Int
    /// The largest of its images.
    package var width: Int
    package var height: Int
  }

  /// Begins empty tables. They are gone with the store; large ones are kept on disk.
  package func beginTables() throws(StateError) {
    try database.execute(
      "DROP TABLE IF EXISTS temp.entries; CREATE TEMP TABLE entries (place INTEGER, hash TEXT, "
        + "id TEXT, path TEXT, type TEXT, width INTEGER, height INTEGER, bytes INTEGER, "
        + "PRIMARY KEY (place, hash)) WITHOUT ROWID")
  }

  /// Adds images to the tables of some places (a slot at a scale). An image that is there already stays as it is.
  package func addToTables(
    _ entries: [(place: Int, entry: TableEntry)]
  ) throws(StateError) {
    let insert = try database.prepare(
      "INSERT OR IGNORE INTO temp.entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    for (place, entry) in entries {
      try insert.run([
        .int(place), .text(entry.hash), .text(entry.id), .text(entry.path), .text(entry.type),
        .int(entry.width), .int(entry.height), .int(entry.bytes),
      ])
    }
  }

  /// What the part of a table with hashes in a range has; nil if that is nothing.
  package func tableContent(
    _ place: Int, _ hashes: ClosedRange<String>
  ) throws(StateError) -> TableContent? {
    try database.prepare(
      "SELECT count(*), max(width), max(height) FROM temp.entries"
        + " WHERE place = ? AND hash BETWEEN ? AND ?"
    ).first([.int(place), .text(hashes.lowerBound), .text(hashes.upperBound)]) { row in
      row.int(0) == 0
        ? nil : TableContent(count: row.int(0), width: row.int(1), height: row.int(2))
    } ?? nil
  }

  /// The images of such a part, in the order of their hashes.
  package func tableEntries(
    _ place: Int, _ hashes: ClosedRange<String>
  ) throws(StateError) -> [TableEntry] {
    var entries: [TableEntry] = []
    try database.prepare(
      "SELECT hash, id, path, type, width, height, bytes FROM temp.entries"
        + " WHERE place = ? AND hash BETWEEN ? AND ? ORDER BY hash"
    ).run([.int(place), .text(hashes.lowerBound), .text(hashes.upperBound)]) { row in
      entries.append(
        TableEntry(
          hash: row.text(0), id: row.text(1), path: row.text(2), type: row.text(3),
          width: row.int(4), height: row.int(5), bytes: row.int(6)))
    }
    return entries
  }

  package func endTables() throws(StateError) {
    try database.execute("DROP TABLE IF EXISTS temp.entries")
  }

  // MARK: Files

  /// A published file of a table, by everything that it was made from. It has its record among those of variants,
  /// with all that follows from that: it is examined after a power cut, and forgotten with its file.
  package func tableFile(_ key: String) throws(StateError) -> VariantRecord? {
    try variants.find(key)
  }

  package func saveTableFile(
    _ record: VariantRecord, key: String, run: Int
  ) throws(StateError) {
    try begin()
    try variants.save([(key, record)], extra: .int(run))
  }
}
