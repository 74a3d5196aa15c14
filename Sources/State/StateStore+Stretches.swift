/// Stretches: items that follow each other in the manifest and stand or fall together. An item's place is in its stretch, and
/// only the stretch's is in the manifest: what has not changed costs one row for all of them.
extension StateStore {
  /// What a later run has to find unchanged to keep the lines of a stretch's items.
  package struct StandingStretch: Sendable, Equatable {
    package var number: Int
    /// Its items.
    package var sum: StretchSum
    /// Until when all of their sources are fresh, in seconds since 1970; infinite if they always are.
    package var freshUntil: Double
    /// Slots at scales that files serve, in each format, and the files.
    package var places: Int
    package var files: Int

    package init(number: Int, sum: StretchSum, freshUntil: Double, places: Int, files: Int) {
      (self.number, self.sum, self.freshUntil) = (number, sum, freshUntil)
      (self.places, self.files) = (places, files)
    }

    /// Of everything that it says, for its key.
    fileprivate func mark(_ key: String) -> Int {
      RecordMark.of(
        key, [.int(sum.count), .int(sum.sum), .double(freshUntil), .int(places), .int(files)])
    }
  }

  /// The stretches with some keys that no run has doubted since; nil for each other key.
  package func standingStretches(_ keys: [String]) throws(StateError) -> [StandingStretch?] {
    try reading { () throws(StateError) in
      let select = try database.prepare(
        "SELECT number, items, sum, fresh_until, places, files, mark FROM stretches WHERE key = ?"
          + " AND mark IS NOT NULL")
      return try keys.map { key throws(StateError) in
        try select.first([.key(key)]) { row in
          let stretch = StandingStretch(
            number: row.int(0), sum: StretchSum(count: row.int(1), sum: row.int(2)),
            freshUntil: row.double(3), places: row.int(4), files: row.int(5))
          return row.int(6) == stretch.mark(key) ? stretch : nil
        } ?? nil
      }
    }
  }

  /// Saves that all items of stretches are done, and that their lines may stand in later runs.
  package func save(_ done: [(key: String, stretch: StandingStretch)]) throws(StateError) {
    try begin()
    // The key is gone if an item has left the stretch meanwhile.
    let update = try database.prepare(
      "UPDATE stretches SET fresh_until = ?, places = ?, files = ?, mark = ?"
        + " WHERE number = ? AND key = ?")
    for (key, stretch) in done {
      try update.run([
        .double(stretch.freshUntil), .int(stretch.places), .int(stretch.files),
        .int(stretch.mark(key)), .int(stretch.number), .key(key),
      ])
    }
  }

  /// Has the items of a stretch looked at one by one in the next run.
  func doubtStretch(of id: String) throws(StateError) {
    try database.prepare(
      "UPDATE stretches SET mark = NULL WHERE number = (SELECT stretch FROM items WHERE id = ?)"
    ).run([.text(id)])
  }

  /// Forgets what says which items are in a stretch: the next run makes another one of those that are left.
  func forgetStretch(of id: String) throws(StateError) {
    try database.prepare(
      "UPDATE stretches SET key = NULL, sum = NULL, mark = NULL"
        + " WHERE number = (SELECT stretch FROM items WHERE id = ?)"
    ).run([.text(id)])
  }

  /// Notes that a source is another one: lines of other items may have been made from the old one.
  func noteChanged(_ source: String) throws(StateError) {
    if !hasChangedSources {
      try database.execute("CREATE TEMP TABLE IF NOT EXISTS changed (source BLOB PRIMARY KEY)")
      hasChangedSources = true
    }
    try database.prepare("INSERT OR IGNORE INTO temp.changed VALUES (?)").run([.key(source)])
  }

  /// Has stretches looked at in the next run if an item of theirs has a source that this run has found to be another one, and a
  /// line that is older.
  ///
  /// - Returns: how many.
  func doubtOlderLines() throws(StateError) -> Int {
    guard hasChangedSources else { return 0 }
    defer { hasChangedSources = false }
    // One look at all lines, because an index of them by their sources would be a tenth of the state.
    let doubted = try database.prepare(
      "UPDATE stretches SET mark = NULL WHERE mark IS NOT NULL AND number IN"
        + " (SELECT stretch FROM results CROSS JOIN items ON items.number = item"
        + " JOIN stretches s ON s.number = stretch JOIN sources ON sources.key = source"
        + " WHERE source IN (SELECT source FROM temp.changed)"
        + " AND (s.stood OR results.content IS NOT sources.content))"
    ).change([])
    try database.execute("DROP TABLE temp.changed")
    return doubted
  }

  // MARK: Claims

  /// Some lines of a manifest, and what they mean for the run.
  package enum StretchRequest: Sendable {
    /// Those of a stretch that stands. Its first line has this number now.
    case standing(StandingStretch, line: Int)
    /// Others. The key is nil if they may mean something else in another run.
    case items([ClaimRequest], key: String?, line: Int)
  }

  package enum StretchClaim: Sendable {
    case standing
    /// Stretches that the items belong to, most often one, and an answer for each request.
    case items([Claim], stretches: [Stretch])
  }

  /// Items that were claimed together.
  package struct Stretch: Sendable, Equatable {
    package var number: Int
    package var sum: StretchSum
  }

  /// Assigns items their positions in a run, in their order.
  ///
  /// - Parameter position: that of the first new item.
  /// - Returns: an answer for each request, up to a stretch that does not stand any more, because an item has left it.
  package func claim(
    _ requests: [StretchRequest], run: Int, position: Int
  ) throws(StateError) -> [StretchClaim] {
    try begin()
    var claims: [StretchClaim] = []
    var position = position
    for request in requests {
      switch request {
      case .standing(let stretch, let line):
        guard try stretches.claim(stretch.number, run: run, position: position, line: line)
        else { return claims }
        position += stretch.sum.count
        claims.append(.standing)
      case .items(let items, let key, let line):
        var answers: [Claim] = []
        var found: [Stretch] = []
        var rest = items[...]
        repeat {
          let part = rest.prefix(StretchSum.most)
          let (claims, stretch) = try stretches.claim(
            Array(part), key: part.count == items.count ? key : nil, line: line, run: run,
            position: position)
          position += stretch.sum.count
          answers += claims
          found.append(stretch)
          rest = rest.dropFirst(part.count)
        } while !rest.isEmpty
        claims.append(.items(answers, stretches: found))
      }
    }
    return claims
  }
}
