/// The chunks of the last catalog.
extension StateStore {
  private static let part = 1_000

  /// Those that are not what was stored, and what a row of them has behind these, are left out: their items are looked at.
  package func chunkIndex() throws(StateError) -> ChunkIndex {
    let list = ChunkList()
    var (isSound, failure, items) = (true, nil as StateError?, 0)
    try database.prepare("SELECT records FROM chunks ORDER BY part").run([]) { row in
      let bytes = UnsafeRawBufferPointer(row.bytes(0))
      isSound = isSound && bytes.count.isMultiple(of: Chunk.width)
      for start in stride(from: 0, to: bytes.count - Chunk.width + 1, by: Chunk.width) {
        let record = UnsafeRawBufferPointer(rebasing: bytes[start..<start + Chunk.width])
        guard let chunk = Chunk(record) else {
          isSound = false
          continue
        }
        items += chunk.count
        do throws(StateError) { try list.append(chunk) } catch { failure = error }
      }
    }
    if let failure { throw failure }
    var doubts: Set<Int> = []
    try database.prepare("SELECT chunk FROM doubts").run([]) { doubts.insert($0.int(0)) }
    let notes = try itemNotes()
    let last = try lastCompletedRun()?.items
    return try ChunkIndex(
      list, isWhole: isSound && notes.isEmpty && items == last,
      doubts: notes.contains(.claiming) ? nil : doubts)
  }

  /// What is to be known of items whose chunks are not in the index.
  private enum ItemNote: String, CaseIterable {
    /// They may be in other chunks than it says: that of a run that has not come to its end.
    case claiming
    /// Some are in none: a run of some images has looked at them, or others of their chunk are gone.
    case partial
  }

  private func itemNotes() throws(StateError) -> Set<ItemNote> {
    var found: Set<ItemNote> = []
    try database.prepare("SELECT name FROM notes").run([]) { row in
      if let note = ItemNote(rawValue: row.text(0)) { found.insert(note) }
    }
    return found
  }

  private func set(_ notes: Set<ItemNote>) throws(StateError) {
    for note in ItemNote.allCases {
      try database.prepare(
        notes.contains(note)
          ? "INSERT OR REPLACE INTO notes (name, text) VALUES (?, '')"
          : "DELETE FROM notes WHERE name = ?"
      ).run([.text(note.rawValue)])
    }
  }

  /// A run begins to claim items.
  func noteClaims() throws(StateError) { try set(try itemNotes().union([.claiming])) }

  /// Replaces them. Nothing else of the state changes.
  package func save(_ chunks: ChunkList) throws(StateError) {
    try begin()
    try replaceChunks(by: chunks)
  }

  private func replaceChunks(by chunks: ChunkList) throws(StateError) {
    try database.execute("DELETE FROM chunks")
    let insert = try database.prepare("INSERT INTO chunks (part, records) VALUES (?, ?)")
    for (number, start) in stride(from: 0, to: chunks.count, by: Self.part).enumerated() {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Self.part * Chunk.width)
      for place in start..<min(start + Self.part, chunks.count) {
        try chunks.chunk(at: place).write(to: &bytes)
      }
      try insert.run([.int(number), .blob(bytes)])
    }
  }

  /// Follows what another process has changed in the catalog; see ``ChunkIndex/moved(_:_:)``.
  package func move(_ edits: [(range: Range<Int>, length: Int)]) throws(StateError) {
    if edits.isEmpty { return }
    try save(try chunkIndex().moved(edits))
    try set(try itemNotes().union([.partial]))
  }

  /// The chunks that items are in; nil for items that are not known.
  package func chunkNumbers(of ids: [String]) throws(StateError) -> [Int?] {
    try reading { () throws(StateError) in
      let select = try database.prepare("SELECT chunk FROM items WHERE id = ?")
      return try ids.map { id throws(StateError) in
        try select.first([.text(id)]) { $0.int(0) }
      }
    }
  }

  /// Has the items of a chunk looked at one by one in the next run.
  func doubtChunk(of id: String) throws(StateError) {
    try database.prepare(
      "INSERT OR IGNORE INTO doubts SELECT chunk FROM items WHERE id = ?"
    ).run([.text(id)])
  }

  /// Forgets that an item's line may be used again: its files are looked for when it is processed next.
  package func doubtLine(of id: String) throws(StateError) {
    try begin()
    try database.prepare("UPDATE items SET made = NULL WHERE id = ?").run([.text(id)])
    try doubtChunk(of: id)
  }

  /// Notes that a source is another one: lines of other items may have been made from the old one.
  func noteChanged(_ source: String) throws(StateError) {
    if !hasChangedSources {
      try database.execute("CREATE TEMP TABLE IF NOT EXISTS changed (source BLOB PRIMARY KEY)")
      hasChangedSources = true
    }
    try database.prepare("INSERT OR IGNORE INTO temp.changed VALUES (?)").run([.key(source)])
  }

  /// Has chunks looked at in the next run if an item of theirs has a source that this run has found to be another one, and a
  /// line that is older.
  ///
  /// - Parameter settings: what lines are made with, besides.
  /// - Returns: whether there are any.
  func doubtOlderLines(_ settings: String) throws(StateError) -> Bool {
    guard hasChangedSources else { return false }
    defer { hasChangedSources = false }
    // One look at all items, because an index of them by their sources would be a tenth of the state.
    var doubted: Set<Int> = []
    try database.prepare(
      "SELECT id, chunk, entry, sum, made, \(SourceRecord.selection) FROM items"
        + " JOIN sources ON sources.key = source WHERE made IS NOT NULL"
        + " AND source IN (SELECT source FROM temp.changed)"
    ).run([]) { row in
      let made = SourceRecord.found(in: row.dropFirst(5)).map {
        LineInputs.mark(
          row.text(0), sum: row.int(3), settings: settings, entry: row.int(2), $0)
      }
      if made != row.int(4) { doubted.insert(row.int(1)) }
    }
    let insert = try database.prepare("INSERT OR IGNORE INTO doubts VALUES (?)")
    for chunk in doubted { try insert.run([.int(chunk)]) }
    try database.execute("DROP TABLE temp.changed")
    return !doubted.isEmpty
  }

  // MARK: The end of a run

  /// Ends a run whose files are on the disk. Items that its manifest does not name are forgotten.
  ///
  /// - Parameters:
  ///   - chunks: of its catalog.
  ///   - gone: ids among which are all that it does not have; nil to look at each item.
  ///   - settings: what its lines were made with; see ``LineInputs``.
  /// - Returns: whether the next run has lines to make again, though nothing else changes.
  @discardableResult
  package func endRun(
    _ run: Int, _ completed: CompletedRun, _ chunks: ChunkList, _ claims: ChunkClaims,
    gone: [String]? = nil, settings: String
  ) throws(StateError) -> Bool {
    try begin()
    // Whole tables are scanned, which may never end in a damaged file.
    try database.limitSteps()
    defer { database.unlimitSteps() }
    try deleteGone(run, claims, among: gone)
    try replaceChunks(by: chunks)
    try database.execute("DELETE FROM doubts")
    let isBehind = try doubtOlderLines(settings)
    try set([])
    try database.prepare("DELETE FROM runs WHERE number < ?").run([.int(run)])
    try note(completed, as: run)
    try database.prepare("UPDATE runs SET boot = NULL WHERE number = ?").run([.int(run)])
    try commit()
    return isBehind
  }

  /// Ends a run of some images, whose files are on the disk. The others stay those of the last completed run, which it is
  /// not: what the next run compares its manifest with is that of a run of all images.
  package func endSelection(
    _ run: Int, _ chunks: ChunkList, settings: String
  ) throws(StateError) {
    try begin()
    // A whole table is scanned, which may never end in a damaged file.
    try database.limitSteps()
    defer { database.unlimitSteps() }
    try replaceChunks(by: chunks)
    _ = try doubtOlderLines(settings)
    try set([.partial])
    try database.prepare("UPDATE runs SET boot = NULL WHERE number = ?").run([.int(run)])
    try commit()
  }
}
