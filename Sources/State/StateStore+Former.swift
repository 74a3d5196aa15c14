/// What items had, and no longer have: `forget` finds all that an output ever kept of an image.
extension StateStore {
  /// Notes what an item no longer has.
  func noteFormer(_ possessions: Set<Possession>, of id: String) throws(StateError) {
    guard !possessions.isEmpty else { return }
    let insert = try database.prepare("INSERT OR IGNORE INTO former (name, id) VALUES (?, ?)")
    for possession in possessions { try insert.run([.text(possession.stored), .text(id)]) }
  }

  /// Items that are looked at together.
  private static let part = 500

  /// Notes all that items have which a run does not have.
  func noteGone(_ run: Int) throws(StateError) {
    var last = -1
    while true {
      var found: [(id: String, result: LastResult)] = []
      try database.prepare(
        "SELECT \(LastResult.columns), id, number FROM items JOIN results ON item = number"
          + " WHERE run <> ? AND number > ? ORDER BY number LIMIT \(Self.part)"
      ).run([.int(run), .int(last)]) { row in
        found.append((row.text(6), LastResult(row)))
        last = row.int(7)
      }
      if found.isEmpty { return }
      for (id, result) in found { try noteFormer(result.possessions, of: id) }
    }
  }

  /// Deletes the notes on what is no longer there. The notes on a file leave with it.
  package func forgetFormer() throws(StateError) {
    try begin()
    for table in Table.allCases {
      guard let kind = Possession.Kind(rawValue: table.rawValue) else { continue }
      let key = "substr(name, \(kind.rawValue.count + 2))"
      // "!" follows the blank.
      try database.execute(
        "DELETE FROM former WHERE name > '\(kind.rawValue) ' AND name < '\(kind.rawValue)!'"
          + " AND NOT EXISTS (SELECT 1 FROM \(table.rawValue) WHERE \(table.key) = \(key))")
    }
  }
}
