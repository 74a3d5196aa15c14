internal import TesseraCatalog

/// What items had, and no longer have: `forget` finds all that an output ever kept of an image.
extension StateStore {
  /// Notes what an item no longer has.
  func noteFormer(_ possessions: Set<Possession>, of id: String) throws(StateError) {
    guard !possessions.isEmpty else { return }
    let insert = try database.prepare(
      "INSERT OR IGNORE INTO former (kind, name, id) VALUES (?, ?, ?)")
    for possession in possessions { try insert.run(possession.values + [.text(id)]) }
  }

  /// Stretches that are looked at together.
  private static let part = 100

  /// Notes all that items have which a run does not have.
  func noteGone(_ run: Int) throws(StateError) {
    let select = try database.prepare(
      "SELECT \(LastResult.columns), id FROM items JOIN results ON item = number WHERE stretch = ?")
    let next = try database.prepare(
      "SELECT number FROM stretches WHERE run <> ? AND number > ? ORDER BY number LIMIT \(Self.part)"
    )
    var numbers = [-1]
    while let last = numbers.last {
      numbers = []
      try next.run([.int(run), .int(last)]) { numbers.append($0.int(0)) }
      for number in numbers {
        var found: [(id: String, result: LastResult)] = []
        try select.run([.int(number)]) { row in
          found.append((row.dropFirst(LastResult.width).text(0), LastResult(row, packed)))
        }
        for (id, result) in found { try noteFormer(result.possessions, of: id) }
      }
    }
  }

  /// Deletes the notes on what is no longer there. Those on files of a source leave with the last of them.
  package func forgetFormer() throws(StateError) {
    try begin()
    try database.execute(
      "CREATE TEMP TABLE sources_of_files (name TEXT PRIMARY KEY) WITHOUT ROWID;"
        + " INSERT OR IGNORE INTO temp.sources_of_files"
        + " SELECT substr(name, 1, \(FileName.sourceDigits)) FROM variants;"
        + " DELETE FROM former WHERE kind = '\(Possession.Kind.files)'"
        + " AND lower(hex(name)) NOT IN (SELECT name FROM temp.sources_of_files);"
        + " DROP TABLE temp.sources_of_files")
    for table in Table.allCases {
      guard let kind = Possession.Kind(rawValue: table.rawValue) else { continue }
      try database.execute(
        "DELETE FROM former WHERE kind = '\(kind)' AND NOT EXISTS"
          + " (SELECT 1 FROM \(table.rawValue) WHERE \(table.key) = former.name)")
    }
  }
}
