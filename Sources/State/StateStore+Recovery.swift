internal import TesseraSystem

/// What is believed after a power cut, and of a state that is damaged.
extension StateStore {
  /// Whether a run was cut off together with the machine: its files may be named and not be on the disk.
  package func hasDoubts(boot: String) throws(StateError) -> Bool {
    try database.prepare("SELECT 1 FROM runs WHERE boot <> ? LIMIT 1").first([.text(boot)]) { _ in
      true
    } ?? false
  }

  /// Files of such runs, so many at a time, in the order of their keys; without a path where the record is damaged.
  package func doubtful(
    boot: String, after key: String, limit: Int
  ) throws(StateError) -> [(key: String, path: String?)] {
    var found: [(String, String?)] = []
    try database.prepare(
      "SELECT path, width, height, bytes, sha256, mark, key FROM variants"
        + " WHERE key > ? AND run IN (SELECT number FROM runs WHERE boot <> ?) ORDER BY key LIMIT ?"
    ).run([.text(key), .text(boot), .int(limit)]) { row in
      let key = row.text(6)
      found.append((key, row.isSound(key, columns: 5) ? row.text(0) : nil))
    }
    return found
  }

  /// Notes that files were looked at and are whole, so that nobody looks at them again.
  package func endDoubts(of keys: [String]) throws(StateError) {
    let update = try database.prepare("UPDATE variants SET run = NULL WHERE key = ?")
    for key in keys {
      try begin()
      try update.run([.text(key)])
    }
  }

  /// Forgets files: they are made anew where they are needed.
  package func forgetVariants(_ keys: [String]) throws(StateError) {
    let delete = try database.prepare("DELETE FROM variants WHERE key = ?")
    for key in keys {
      try begin()
      try delete.run([.text(key)])
    }
  }

  /// All files of such runs were looked at.
  package func endDoubts(boot: String) throws(StateError) {
    try begin()
    try database.prepare("UPDATE runs SET boot = NULL WHERE boot <> ?").run([.text(boot)])
    try commit()
  }

  // MARK: Salvage

  /// A table whose records have marks, and so can be believed one by one.
  private struct Table {
    var name: String
    var key: String
    /// Without the key and the mark.
    var columns: String
    /// Whether the first columns are a ``Confirmation``.
    var isConfirmed = false
    var isVariants = false
  }

  private static let confirmation = "etag, last_modified, checked, fresh_until, run"

  private static let tables = [
    Table(
      name: "sources", key: "key", columns: "\(confirmation), content, url, robots",
      isConfirmed: true),
    Table(
      name: "headers", key: "key",
      columns: "\(confirmation), format, width, height, alpha, animated",
      isConfirmed: true),
    Table(
      name: "contents", key: "content",
      columns: "format, width, height, alpha, frames, warnings, header_width, header_height, bytes,"
        + " orientation, colour_space, profile"),
    Table(
      name: "variants", key: "key", columns: "path, width, height, bytes, sha256",
      isVariants: true),
    Table(name: "rejections", key: "key", columns: rejectionColumns),
    Table(name: "placeholders", key: "key", columns: "color, thumbhash, blurhash, lqip"),
  ]

  /// Takes over what can still be read of a damaged state: records whose marks are right.
  ///
  /// Sources count as last seen by nobody: a record may be one that was replaced, so each is asked for again, with its
  /// validators. Files are looked at before they are named.
  ///
  /// - Returns: how many records that were.
  package func salvage(from path: String) throws(StateError) -> Int {
    // Of a run that no machine has begun: what it made is doubtful.
    try begin()
    try database.execute("INSERT OR REPLACE INTO runs (number, boot) VALUES (0, '')")
    guard let damaged = try? Database(path, isReadOnly: true) else {
      try commit()
      return 0
    }
    var count = 0
    // Of a table that has no end, what came until then.
    try? damaged.limitSteps()
    defer { damaged.unlimitSteps() }
    for table in Self.tables { count += try salvage(table, from: damaged) }
    try commit()
    return count
  }

  private func salvage(_ table: Table, from damaged: Database) throws(StateError) -> Int {
    let columns = table.columns.split(separator: ",").count
    let marks = repeatElement("?", count: columns + (table.isVariants ? 3 : 2))
    let insert = try database.prepare(
      "INSERT OR REPLACE INTO \(table.name) (\(table.key), \(table.columns), mark"
        + "\(table.isVariants ? ", run" : "")) VALUES (\(marks.joined(separator: ", ")))")
    var count = 0
    var failure: StateError?
    var last: String?
    var isAscending = true
    /// Returns whether to go on: where keys are out of order, the tree leads nowhere.
    func take(_ row: Statement.Row) -> Bool {
      let key = row.text(Int32(columns) + 1)
      if let last, isAscending ? key <= last : key >= last { return false }
      last = key
      guard !row.isNull(Int32(columns)), row.isSound(key, columns: Int32(columns)) else {
        return true
      }
      var values = (0..<Int32(columns)).map { row.value($0) }
      if table.isConfirmed { values.replaceSubrange(3...4, with: [.null, .int(0)]) }
      do throws(StateError) {
        try begin()
        try insert.run(RecordMark.with(key, values) + (table.isVariants ? [.int(0)] : []))
        count += 1
      } catch {
        failure = error
      }
      return failure == nil
    }
    // Keys are digests: a page that can't be read costs the records of its own part. Each part is read from
    // both of its ends.
    for part in 0..<256 {
      for direction in ["ASC", "DESC"] {
        (last, isAscending) = (nil, direction == "ASC")
        let hexadecimal = String(part + 256, radix: 16).dropFirst()
        let read = try? damaged.prepare(
          "SELECT \(table.columns), mark, \(table.key) FROM \(table.name)"
            + " WHERE \(table.key) >= ? AND \(table.key) < ? ORDER BY \(table.key) \(direction)")
        do throws(StateError) {
          var isWhole = true
          try read?.runWhile([.text(String(hexadecimal)), .text("\(hexadecimal)g")]) { row in
            isWhole = take(row)
            return isWhole
          }
          if isWhole { break }
        } catch {
          // What came until then is taken.
        }
        if let failure { throw failure }
      }
      if let failure { throw failure }
    }
    return count
  }
}
