/// Files of runs that ended together with the machine: they may be named and not be on the disk.
extension StateStore {
  /// Whether there was such a run.
  package func hasDoubts(boot: String) throws(StateError) -> Bool {
    try database.prepare("SELECT 1 FROM runs WHERE boot <> ? LIMIT 1").first([.text(boot)]) { _ in
      true
    } ?? false
  }

  /// Up to `limit` files of such runs, in the order of their keys, after `key`. The path is nil if the
  /// record is damaged.
  package func doubtful(
    boot: String, after key: String, limit: Int
  ) throws(StateError) -> [(key: String, file: VariantRecord?)] {
    let columns = VariantRecord.columns
    var found: [(String, VariantRecord?)] = []
    try database.prepare(
      "SELECT \(columns.joined(separator: ", ")), mark, key FROM variants"
        + " WHERE key > ? AND run IN (SELECT number FROM runs WHERE boot <> ?) ORDER BY key LIMIT ?"
    ).run([.key(key), .text(boot), .int(limit)]) { row in
      let key = Int32(columns.count + 1)
      let isSound = row.isSound(key: key, columns: columns.count)
      found.append((row.key(key), isSound ? VariantRecord(row) : nil))
    }
    return found
  }

  /// Marks files as examined and whole.
  package func endDoubts(of keys: [String]) throws(StateError) {
    let update = try database.prepare("UPDATE variants SET run = NULL WHERE key = ?")
    for key in keys {
      try begin()
      try update.run([.key(key)])
    }
  }

  /// Forgets files. They are regenerated when they are needed.
  package func forgetVariants(_ keys: [String]) throws(StateError) {
    for key in keys {
      try begin()
      try variants.delete(key)
    }
  }

  /// All files of such runs were examined.
  package func endDoubts(boot: String) throws(StateError) {
    try begin()
    try database.prepare("UPDATE runs SET boot = NULL WHERE boot <> ?").run([.text(boot)])
    try commit()
  }
}
