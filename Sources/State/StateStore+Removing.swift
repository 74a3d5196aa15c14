internal import TesseraCatalog
internal import TesseraText

/// Erasing items, so that no byte of the file says that they were there.
extension StateStore {
  /// The ids of items with a source, now or formerly.
  ///
  /// - Parameter digests: SHA-256 of URLs without their fragments and signatures.
  package func ids(ofSources digests: [String]) throws(StateError) -> [String] {
    var ids: Set<Identifier> = []
    let current = try database.prepare(
      "SELECT id FROM items WHERE ?1 IN (source, request)")
    let former = try database.prepare("SELECT id FROM former WHERE kind = ? AND name = ?")
    for digest in digests {
      try current.run([.key(digest)]) { ids.insert($0.text(0)) }
      for kind in [Possession.Kind.sources, .rejections] {
        try former.run(Possession(kind, digest).values) { ids.insert($0.text(0)) }
      }
    }
    return ids.texts
  }

  /// Whether the state has, or had, an item.
  package func has(_ id: String) throws(StateError) -> Bool {
    let found = try database.prepare(
      "SELECT 1 WHERE EXISTS (SELECT 1 FROM items WHERE id = ?1)"
        + " OR EXISTS (SELECT 1 FROM former WHERE id = ?1)")
    return try found.first([.text(id)]) { _ in true } ?? false
  }

  /// The ids of items that begin with this text, in order.
  package func ids(beginningWith start: String) throws(StateError) -> [String] {
    var ids: [String] = []
    try database.prepare("SELECT id FROM items WHERE \(Self.idBegins) ORDER BY id")
      .run([.text(start)]) { ids.append($0.text(0)) }
    return ids
  }

  /// All that items have and had.
  package func possessions(of ids: [String]) throws(StateError) -> Set<Possession> {
    var found: Set<Possession> = []
    let former = try database.prepare("SELECT kind, name FROM former WHERE id = ?")
    for id in ids {
      if let state = try items.state(of: id) { found.formUnion(state.possessions) }
      try former.run([.text(id)]) { row in
        if let possession = Possession(row) { found.insert(possession) }
      }
    }
    // The bytes behind a source belong to its items, also where no line shows them.
    for source in found where source.kind == .sources {
      if let content = try sources.find(source.name)?.content {
        found.insert(Possession(.contents, content))
      }
      try former.run([.text(Self.noteID(ofSource: source.name))]) { row in
        if let possession = Possession(row) { found.insert(possession) }
      }
    }
    return found
  }

  /// Whether only other items than these had a file formerly, and none of these.
  package func wasOfOthers(_ path: String, than ids: [String]) throws(StateError) -> Bool {
    guard let files = FileName.parts(of: path)?.source else { return false }
    var owners: Set<Identifier> = []
    try database.prepare("SELECT id FROM former WHERE kind = ? AND name = ?")
      .run(Possession(.files, String(files)).values) { owners.insert($0.text(0)) }
    return !owners.isEmpty && owners.isDisjoint(with: ids.map { Identifier($0) })
  }

  /// Whether bytes are those of a source that is known.
  package func knowsContent(_ digest: String) throws(StateError) -> Bool {
    try database.prepare("SELECT 1 FROM sources WHERE content = ? LIMIT 1")
      .first([.key(digest)]) { _ in true } ?? false
  }

  /// Deletes items, and all that they have and no other item has.
  ///
  /// - Returns: the digests of contents that no source has any more.
  package func erase(
    _ ids: [String], _ possessions: Set<Possession>
  ) throws(StateError) -> [String] {
    // Deleted rows are overwritten (sqlite.org/pragma.html#pragma_secure_delete).
    try commit()
    try database.execute("PRAGMA secure_delete = ON")
    try begin()
    // What a person took out is not missing from the next run.
    let count = try database.prepare(
      "UPDATE runs SET items = items - 1 WHERE items > 0 AND EXISTS (SELECT 1 FROM items WHERE id = ?)"
    )
    for id in ids {
      try count.run([.text(id)])
      try doubtChunk(of: id)
    }
    for table in ["items WHERE id = ?", "former WHERE id = ?"] {
      let delete = try database.prepare("DELETE FROM \(table)")
      for id in ids { try delete.run([.text(id)]) }
    }
    try database.execute(
      "UPDATE runs SET last_item = (SELECT coalesce(max(number), 0) FROM items)"
        + " WHERE last_item > (SELECT coalesce(max(number), 0) FROM items)")
    try readLastCompleted()
    for possession in possessions {
      switch possession.kind {
      case .files, .contents: break
      case .sources:
        try database.prepare("DELETE FROM former WHERE id = ?")
          .run([.text(Self.noteID(ofSource: possession.name))])
        try delete(possession, from: [.sources, .headers], unless: "source = ?1")
      case .rejections:
        try delete(possession, from: [.rejections], unless: "coalesce(request, source) = ?1")
        try database.prepare("DELETE FROM rejections WHERE key = ?")
          .run([.key(Self.upgradeKey(possession.name))])
      case .placeholders:
        try delete(possession, from: [.placeholders], unless: "placeholder = ?1")
      }
    }
    var contents: [String] = []
    for content in possessions where content.kind == .contents {
      guard try !knowsContent(content.name) else { continue }
      contents.append(content.name)
      for rows in [
        "contents WHERE content", "qualities WHERE \(QualityRecord.contentOfKey)",
        "rejections WHERE content",
      ] { try database.prepare("DELETE FROM \(rows) = ?").run([.key(content.name)]) }
    }
    return contents
  }

  private func delete(
    _ possession: Possession, from tables: [Table], unless condition: String
  ) throws(StateError) {
    let isShared = try database.prepare("SELECT 1 FROM items WHERE \(condition) LIMIT 1")
      .first([.key(possession.name)]) { _ in true }
    if isShared == true { return }
    for table in tables {
      try database.prepare("DELETE FROM \(table.rawValue) WHERE \(table.key) = ?")
        .run([.key(possession.name)])
    }
  }

  /// Deletes the records of files that are gone.
  package func eraseFiles(_ paths: [String]) throws(StateError) {
    for path in paths {
      try forgetRetired(path)
      try database.prepare("DELETE FROM variants WHERE \(VariantRecord.wholePath) = ?").run([
        .text(path)
      ])
    }
  }
  /// Writes the file anew, and empties its log: what was erased is in no page of either.
  package func rewrite() throws(StateError) {
    try commit()
    try database.execute("DROP TABLE IF EXISTS temp.named; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
  }
}

/// Which files a catalog names, and since when others are no longer named.
extension StateStore {
  /// Begins an empty list of names: paths of files, and keys of rows. It is gone with the store; a
  /// large one is kept on disk.
  package func beginNaming() throws(StateError) {
    try database.execute(
      "DROP TABLE IF EXISTS temp.named; CREATE TEMP TABLE named"
        + " (name TEXT PRIMARY KEY, place TEXT, until REAL, since REAL) WITHOUT ROWID")
  }

  /// What names a file.
  package struct Naming: Sendable, Equatable {
    /// In words.
    package var place: String
    /// When it names it no more at the latest, in seconds since 1970; nil if that is not known.
    package var until: Double?
    /// Since when nothing names it that clients get now, in seconds since 1970; nil if something does.
    package var since: Double?

    package init(_ place: String, until: Double? = nil, since: Double? = nil) {
      (self.place, self.until, self.since) = (place, until, since)
    }
  }

  /// - Parameter naming: what names them; the first of several stays.
  package func name(_ paths: [String], by naming: Naming) throws(StateError) {
    let insert = try database.prepare("INSERT OR IGNORE INTO temp.named VALUES (?, ?, ?, ?)")
    for path in paths {
      try insert.run([
        .text(path), .text(naming.place), .optional(naming.until), .optional(naming.since),
      ])
    }
  }

  /// What names a file; nil if nothing does.
  package func naming(of path: String) throws(StateError) -> Naming? {
    try database.prepare("SELECT place, until, since FROM temp.named WHERE name = ?")
      .first([.text(path)]) {
        Naming($0.text(0), until: $0.optionalDouble(1), since: $0.optionalDouble(2))
      }
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

/// Rows that nothing names leave the state, some time after that was first seen.
///
/// A source, a header, a rejection and a placeholder are named by the result of an item, a content by a
/// named source, a quality by its content, and a file's record by its path. The work is done in parts, each a short transaction: a
/// state of any size needs the same memory, and after a kill the next call goes on.
extension StateStore {
  /// The tables that rows are collected from.
  package enum Table: String, Sendable, CaseIterable {
    case sources, headers, rejections, contents, placeholders, qualities
    /// Records of files. They have no time of their own: they leave the state with their files.
    case variants
    /// Notes since when files are not named.
    case retired

    var key: String {
      switch self {
      case .contents: ContentRecord.key
      case .retired: "path"
      default: "key"
      }
    }

    /// What names a row: SQL in terms of its columns.
    fileprivate var name: String {
      switch self {
      case .variants: VariantRecord.wholePath
      case .qualities: QualityRecord.contentOfKey
      default: "\(rawValue).\(key)"
      }
    }

    /// Whether the rows have a column for the time since when they are not named.
    fileprivate var hasTime: Bool { self != .variants && self != .retired }
  }

  /// Adds the keys of all rows that items need to the names.
  package func nameRows() throws(StateError) {
    // Whole tables are scanned, which may never end in a damaged file.
    try database.limitSteps()
    defer { database.unlimitSteps() }
    for keys in [
      "source FROM items WHERE source IS NOT NULL", "request FROM items WHERE request IS NOT NULL",
      "placeholder FROM items WHERE placeholder IS NOT NULL",
      "content FROM sources WHERE EXISTS (SELECT 1 FROM temp.named WHERE name = sources.key)",
    ] {
      // Sorted, because keys are digests: in any other order each would change another page.
      try database.execute("INSERT OR IGNORE INTO temp.named (name) SELECT \(keys) ORDER BY 1")
    }
  }

  /// What became of the rows of one part of a table.
  package struct Collected: Sendable, Equatable {
    /// The last row's key; nil after the last part.
    package var last: String?
    package var deleted = 0
    /// Rows that are unnamed, but not for long enough.
    package var waiting = 0
  }

  /// Rows of a part: some tens of milliseconds.
  private static let part = 10_000

  /// Deletes the rows of one part of a table that have been unnamed for long enough, and notes since
  /// when others are.
  ///
  /// - Parameters:
  ///   - key: the last key of the part before; empty for the first part.
  ///   - now: in seconds since 1970.
  ///   - grace: in seconds.
  ///   - isDryRun: whether rows are only counted.
  package func collect(
    _ table: Table, after key: String, now: Double, grace: Double, isDryRun: Bool
  ) throws(StateError) -> Collected {
    try database.limitSteps()
    defer { database.unlimitSteps() }
    var result = Collected()
    result.last =
      try database.prepare(
        "SELECT max(k) FROM (SELECT \(table.key) AS k FROM \(table.rawValue)"
          + " WHERE k > ? ORDER BY k LIMIT \(Self.part))"
      ).first([.key(key)]) { $0.optionalKey(0) } ?? nil
    guard let last = result.last else { return result }
    func run(_ sql: String, row: (Statement.Row) -> Void = { _ in }) throws(StateError) {
      try database.prepare(sql).run([.key(key), .key(last)], row: row)
    }
    let part = "\(table.key) > ? AND \(table.key) <= ?"
    let isNamed = "EXISTS (SELECT 1 FROM temp.named WHERE name = \(table.name))"
    // If the clock was set back, a moment in the future would keep the row indefinitely.
    let since = "min(coalesce(retired, \(now)), \(now))"
    let unnamed = "\(part) AND NOT \(isNamed)"
    let isDue = table.hasTime ? "\(since) <= \(now - grace)" : "true"
    try run(
      "SELECT count(*), count(*) FILTER (WHERE \(isDue)) FROM \(table.rawValue) WHERE \(unnamed)"
    ) { row in
      (result.deleted, result.waiting) = (row.int(1), row.int(0) - row.int(1))
    }
    guard !isDryRun else { return result }
    try begin()
    try run("DELETE FROM \(table.rawValue) WHERE \(unnamed) AND \(isDue)")
    if table.hasTime {
      let update = "UPDATE \(table.rawValue) SET retired ="
      try run("\(update) \(since) WHERE \(unnamed) AND retired IS NOT \(since)")
      try run("\(update) NULL WHERE \(part) AND retired IS NOT NULL AND \(isNamed)")
    }
    return result
  }

  /// Gives free pages back to the file system: a part at a time, once the file can do that. A file that
  /// cannot is rewritten as one that can, which needs its size again for as long as it takes.
  package func shrink() throws(StateError) {
    try commit()
    func number(_ pragma: String) throws(StateError) -> Int {
      try database.prepare("PRAGMA \(pragma)").first([]) { $0.int(0) } ?? 0
    }
    var free = try number("freelist_count")
    // 2 stands for "incremental".
    if free > 0, try number("auto_vacuum") != 2 {
      return try database.execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
    }
    while free > 0 {
      try database.execute("PRAGMA incremental_vacuum(\(Self.part))")
      let rest = try number("freelist_count")
      // Otherwise it would never end in a damaged file.
      guard rest < free else { return }
      free = rest
    }
  }
}
