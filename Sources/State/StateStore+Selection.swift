package import TesseraText

/// What a run of some images needs of all others.
extension StateStore {
  /// The stretches that items are in.
  package func stretches(of ids: [String]) throws(StateError) -> Set<Int> {
    try reading { () throws(StateError) in
      let select = try database.prepare("SELECT stretch FROM items WHERE id = ?")
      var numbers: Set<Int> = []
      for id in ids {
        if let number = try select.first([.text(id)], { $0.int(0) }) { numbers.insert(number) }
      }
      return numbers
    }
  }

  /// The stretches with some keys, whatever became of their items; nil for each other key.
  package func stretches(withKeys keys: [String]) throws(StateError) -> [Int?] {
    try reading { () throws(StateError) in
      let select = try database.prepare("SELECT number FROM stretches WHERE key = ?")
      return try keys.map { key throws(StateError) in
        try select.first([.key(key)]) { $0.int(0) }
      }
    }
  }

  /// The ids of the last items of a stretch, in their order.
  package func lastIDs(ofStretch number: Int, limit: Int) throws(StateError) -> [String] {
    var ids: [String] = []
    try database.prepare("SELECT id FROM items WHERE stretch = ? ORDER BY place DESC LIMIT ?")
      .run([.int(number), .int(limit)]) { ids.append($0.text(0)) }
    return ids.reversed()
  }

  /// Whether a completed run has left items a line. Those of a later run may be in no catalog.
  package func haveCompletedLines(_ ids: [String]) throws(StateError) -> [Bool] {
    try reading { () throws(StateError) in
      let select = try database.prepare(
        "SELECT 1 FROM items JOIN results ON item = items.number"
          + " JOIN stretches ON stretches.number = stretch WHERE id = ? AND run <="
          + " (SELECT max(number) FROM runs WHERE items IS NOT NULL)")
      return try ids.map { id throws(StateError) in
        try select.first([.text(id)]) { _ in true } ?? false
      }
    }
  }

  /// The statuses that items have in their lines; nil for each without one.
  package func lastStatuses(of ids: [String]) throws(StateError) -> [String?] {
    try reading { () throws(StateError) in
      let select = try database.prepare(
        "SELECT \(LastResult.status) FROM items JOIN results ON item = number WHERE id = ?")
      return try ids.map { id throws(StateError) in
        try select.first([.text(id)]) { $0.optionalText(0) } ?? nil
      }
    }
  }

  private static let positions =
    "SELECT s.position + i.place, i.id FROM stretches s JOIN items i ON i.stretch = s.number"

  /// The positions of all items of a run by their ids; nil if they are more than `limit`.
  package func positions(in run: Int, limit: Int) throws(StateError) -> [Identifier: Int]? {
    var found: [Identifier: Int] = [:]
    try database.prepare("\(Self.positions) WHERE s.run = ? LIMIT ?")
      .run([.int(run), .int(limit + 1)]) { found[$0.text(1)] = $0.int(0) }
    return found.count > limit ? nil : found
  }

  /// The positions of items in a run; nil for each that it does not have.
  package func positions(of ids: [String], in run: Int) throws(StateError) -> [Int?] {
    try reading { () throws(StateError) in
      let select = try database.prepare("\(Self.positions) WHERE i.id = ? AND s.run = ?")
      return try ids.map { id throws(StateError) in
        try select.first([.text(id), .int(run)]) { $0.int(0) }
      }
    }
  }

  /// Ends a run of some images, whose files are on the disk. The others stay those of the last completed run, which it is
  /// not: what the next run compares its manifest with is that of a run of all images.
  ///
  /// - Returns: whether the next run has lines to make again, though nothing else changes.
  @discardableResult
  package func endSelection(_ run: Int) throws(StateError) -> Bool {
    try begin()
    // A whole table is scanned, which may never end in a damaged file.
    try database.limitSteps()
    defer { database.unlimitSteps() }
    let doubted = try doubtOlderLines()
    try database.prepare("UPDATE runs SET boot = NULL WHERE number = ?").run([.int(run)])
    try commit()
    return doubted > 0
  }
}
