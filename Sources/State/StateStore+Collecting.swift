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
