package import TesseraPlaceholder

/// What earlier runs learned, and what this run has done so far: one SQLite database (WAL mode)
/// with one owner.
///
/// The order of effects around it makes a kill harmless: files are published before the records
/// that name them are written, and the catalog is written from the records.
package actor StateStore {
  let database: Database
  private let selectSource: Statement
  private let upsertSource: Statement
  private let selectHeader: Statement
  private let upsertHeader: Statement
  private let deleteHeader: Statement
  let selectRejection: Statement
  let upsertRejection: Statement
  let deleteRejection: Statement
  private let selectContent: Statement
  private let upsertContent: Statement
  private let selectVariant: Statement
  private let upsertVariant: Statement
  private let selectPlaceholder: Statement
  private let upsertPlaceholder: Statement
  let selectItem: Statement
  let upsertItem: Statement
  let moveItem: Statement
  let finishItem: Statement
  let upsertResult: Statement
  let selectStanding: Statement
  let selectLastResult: Statement
  let selectResults: Statement
  private var isInTransaction = false
  private var begun = ContinuousClock.now

  /// Opens the state at a path, and makes it if it is not there. An empty path means a temporary
  /// one that nobody else sees and that is gone with the store.
  package init(path: String) throws(StateError) {
    database = try Database(path)
    // In WAL mode with NORMAL, a power cut may cost the last commits, but never the order.
    try database.execute(
      // The time first: the connection before this one may be closing.
      "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        + "PRAGMA cache_size = -8000")
    try Schema.migrate(database)
    selectSource = try database.prepare(
      "SELECT etag, last_modified, checked, fresh_until, run, content, url, robots, mark FROM sources"
        + " WHERE key = ?")
    upsertSource = try database.prepare(
      "INSERT OR REPLACE INTO sources (key, etag, last_modified, checked, fresh_until, run, content,"
        + " url, robots, mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    selectHeader = try database.prepare(
      "SELECT etag, last_modified, checked, fresh_until, run, format, width, height, alpha, animated,"
        + " mark FROM headers WHERE key = ?")
    upsertHeader = try database.prepare(
      "INSERT OR REPLACE INTO headers (key, etag, last_modified, checked, fresh_until, run, format,"
        + " width, height, alpha, animated, mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    deleteHeader = try database.prepare("DELETE FROM headers WHERE key = ?")
    selectRejection = try database.prepare(
      "SELECT \(Self.rejectionColumns), mark FROM rejections WHERE key = ?")
    upsertRejection = try database.prepare(
      "INSERT OR REPLACE INTO rejections (key, \(Self.rejectionColumns), mark)"
        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    deleteRejection = try database.prepare("DELETE FROM rejections WHERE key = ?")
    selectContent = try database.prepare(
      "SELECT format, width, height, alpha, frames, warnings, header_width, header_height, bytes,"
        + " orientation, colour_space, profile, mark FROM contents WHERE content = ?")
    upsertContent = try database.prepare(
      "INSERT OR REPLACE INTO contents (content, format, width, height, alpha, frames, warnings,"
        + " header_width, header_height, bytes, orientation, colour_space, profile,"
        + " mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    selectVariant = try database.prepare(
      "SELECT path, width, height, bytes, sha256, mark FROM variants WHERE key = ?")
    upsertVariant = try database.prepare(
      "INSERT OR REPLACE INTO variants (key, path, width, height, bytes, sha256, mark, run)"
        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    selectPlaceholder = try database.prepare(
      "SELECT color, thumbhash, blurhash, lqip, mark FROM placeholders WHERE key = ?")
    upsertPlaceholder = try database.prepare(
      "INSERT OR REPLACE INTO placeholders (key, color, thumbhash, blurhash, lqip, mark)"
        + " VALUES (?, ?, ?, ?, ?, ?)")
    selectItem = try database.prepare(
      "SELECT run, line, entry, position FROM items WHERE id = ?")
    upsertItem = try database.prepare(
      "INSERT OR REPLACE INTO items (id, run, position, line, entry, done, reason)"
        + " VALUES (?, ?, ?, ?, ?, ?, ?)")
    // Without the position, whose index then need not be written.
    moveItem = try database.prepare(
      "UPDATE items SET run = ?, line = ?, entry = ?, done = ?, reason = ? WHERE id = ?")
    finishItem = try database.prepare("UPDATE items SET done = 1, reason = ? WHERE id = ?")
    upsertResult = try database.prepare(
      "INSERT OR REPLACE INTO results (id, result, status, content, settings, mark)"
        + " VALUES (?, ?, ?, ?, ?, ?)")
    selectStanding = try database.prepare(
      "SELECT settings, status, result, mark FROM results WHERE id = ?")
    selectLastResult = try database.prepare("SELECT status, result FROM results WHERE id = ?")
    selectResults = try database.prepare(
      "SELECT i.position, r.result FROM items i INDEXED BY items_by_position JOIN results r USING (id)"
        + " WHERE i.position > ? AND i.run = ? ORDER BY i.position LIMIT ?")
  }

  /// Begins a run and gives its number, which is larger than all before.
  ///
  /// - Parameter boot: stands for the machine's start: what was written since is there, whatever happened to the
  ///   process that wrote it.
  package func beginRun(boot: String) throws(StateError) -> Int {
    try begin()
    try database.prepare("INSERT INTO runs (boot) VALUES (?)").run([.text(boot)])
    let number = try database.prepare("SELECT max(number) FROM runs").first([]) { $0.int(0) }
    return number ?? 1
  }

  /// Ends a run whose files are on the disk: items that its manifest did not name are forgotten.
  package func endRun(_ run: Int) throws(StateError) {
    try begin()
    try database.limitSteps()
    defer { database.unlimitSteps() }
    for table in [
      "results WHERE id IN (SELECT id FROM items WHERE run <> ?)", "items WHERE run <> ?",
    ] {
      try database.prepare("DELETE FROM \(table)").run([.int(run)])
    }
    try database.prepare("DELETE FROM runs WHERE number < ?").run([.int(run)])
    try database.prepare("UPDATE runs SET boot = NULL WHERE number = ?").run([.int(run)])
    try commit()
  }

  package func source(_ key: String) throws(StateError) -> SourceRecord? {
    try selectSource.first([.text(key)]) { row -> SourceRecord? in
      guard row.isSound(key, columns: 8) else { return nil }
      return SourceRecord(
        content: row.text(5), confirmation: Confirmation(row), url: row.optionalText(6),
        robots: row.optionalText(7))
    } ?? nil
  }

  /// All that is known of a source, in one visit.
  package struct Knowledge: Sendable {
    package var source: SourceRecord?
    package var content: ContentRecord?
    package var header: HeaderRecord?
    package var rejection: RejectionRecord?
  }

  /// - Parameter url: SHA-256 of the URL that is asked for.
  package func knowledge(of key: String, url: String) throws(StateError) -> Knowledge {
    let source = try source(key)
    return Knowledge(
      source: source,
      content: try source.flatMap { source throws(StateError) in try content(source.content) },
      header: try header(key), rejection: try rejection(url))
  }

  /// Saves what is known of a source's bytes. What its header told before is forgotten.
  package func save(_ source: SourceRecord, key: String) throws(StateError) {
    try begin()
    try upsertSource.run(
      RecordMark.with(
        key,
        source.confirmation.values + [
          .text(source.content), .optional(source.url), .optional(source.robots),
        ]))
    try deleteHeader.run([.text(key)])
  }

  /// Nil also where the record is damaged: sizes are computed with.
  package func header(_ key: String) throws(StateError) -> HeaderRecord? {
    let record = try selectHeader.first([.text(key)]) { row -> HeaderRecord? in
      guard row.isSound(key, columns: 10) else { return nil }
      return HeaderRecord(
        format: row.text(5), width: row.int(6), height: row.int(7), hasAlpha: row.int(8) != 0,
        isAnimated: row.optionalInt(9).map { $0 != 0 }, confirmation: Confirmation(row))
    }
    return record?.flatMap { $0.isPossible ? $0 : nil }
  }

  package func save(_ header: HeaderRecord, key: String) throws(StateError) {
    try begin()
    try upsertHeader.run(
      RecordMark.with(
        key,
        header.confirmation.values + [
          .text(header.format), .int(header.width), .int(header.height),
          .int(header.hasAlpha ? 1 : 0), .optional(header.isAnimated.map { $0 ? 1 : 0 }),
        ]))
  }

  /// Nil also where the record is damaged: sizes are computed with.
  package func content(_ digest: String) throws(StateError) -> ContentRecord? {
    let record = try selectContent.first([.text(digest)]) { row -> ContentRecord? in
      guard row.isSound(digest, columns: 12) else { return nil }
      var record = ContentRecord(
        format: row.text(0), width: row.int(1), height: row.int(2), hasAlpha: row.int(3) != 0,
        frames: row.int(4), warnings: row.text(5).split(separator: "\n").map(String.init),
        headerWidth: row.optionalInt(6), headerHeight: row.optionalInt(7))
      record.bytes = row.optionalInt(8)
      record.orientation = row.optionalInt(9)
      record.colourSpace = row.optionalText(10)
      record.profile = row.optionalText(11)
      return record
    }
    return record?.flatMap { $0.isPossible ? $0 : nil }
  }

  /// Saves what a transcode has made, all or nothing.
  package func save(
    _ content: ContentRecord, digest: String, variants: [(key: String, record: VariantRecord)],
    placeholder: (key: String, record: Placeholders), run: Int
  ) throws(StateError) {
    try begin()
    let values: [Statement.Value] = [
      .text(content.format), .int(content.width), .int(content.height),
      .int(content.hasAlpha ? 1 : 0), .int(content.frames),
      .text(content.warnings.joined(separator: "\n")), .optional(content.headerWidth),
      .optional(content.headerHeight), .optional(content.bytes), .optional(content.orientation),
      .optional(content.colourSpace), .optional(content.profile),
    ]
    try upsertContent.run(RecordMark.with(digest, values))
    let made = placeholder.record
    try upsertPlaceholder.run(
      RecordMark.with(
        placeholder.key,
        [
          .optional(made.color), .text(made.thumbHash), .text(made.blurHash), .text(made.lqip),
        ]))
    for (key, record) in variants {
      try upsertVariant.run(
        RecordMark.with(
          key,
          [
            .text(record.path), .int(record.width), .int(record.height), .int(record.bytes),
            .optional(record.sha256),
          ]) + [.int(run)])
    }
  }

  /// What is known of sources: of their bytes, or of their headers alone, whichever was seen last.
  package func lastSeen(_ keys: [String]) throws(StateError) -> [Sighting?] {
    // One transaction for all: each by itself would lock and unlock the file anew.
    let isOwn = !isInTransaction
    if isOwn { try database.execute("BEGIN") }
    defer { if isOwn { try? database.execute("COMMIT") } }
    var sightings: [Sighting?] = []
    for key in keys {
      let source = try source(key)
      if let header = try header(key),
        header.confirmation.checked > source?.confirmation.checked ?? 0
      {
        sightings.append(.header(header))
      } else if let source, let content = try content(source.content) {
        sightings.append(.content(content))
      } else {
        sightings.append(nil)
      }
    }
    return sightings
  }

  package func placeholder(_ key: String) throws(StateError) -> Placeholders? {
    try selectPlaceholder.first([.text(key)]) { row -> Placeholders? in
      guard row.isSound(key, columns: 4) else { return nil }
      return Placeholders(
        color: row.optionalText(0), thumbHash: row.text(1), blurHash: row.text(2),
        lqip: row.text(3))
    } ?? nil
  }

  /// The files of some keys, and a placeholder, in one visit.
  package func made(
    _ keys: [String], placeholder key: String
  ) throws(StateError) -> ([VariantRecord?], Placeholders?) {
    (try variants(keys), try placeholder(key))
  }

  /// The files of some keys; nil where a key is unknown.
  package func variants(_ keys: [String]) throws(StateError) -> [VariantRecord?] {
    var records: [VariantRecord?] = []
    for key in keys {
      records.append(
        try selectVariant.first([.text(key)]) { row -> VariantRecord? in
          guard row.isSound(key, columns: 5) else { return nil }
          return VariantRecord(
            path: row.text(0), width: row.int(1), height: row.int(2), bytes: row.int(3),
            sha256: row.optionalText(4))
        } ?? nil)
    }
    return records
  }

  // MARK: Commits

  /// What is written within this time goes to the disk together: a commit for each item would write
  /// twenty times as much. A kill costs the items of a fifth of a second, which are then done again.
  private static let commitTime = Duration.milliseconds(200)

  func begin() throws(StateError) {
    if isInTransaction {
      // The commit below has to wait its turn, which may be long where there is much to do.
      guard begun.duration(to: .now) > Self.commitTime * 2 else { return }
      try commit()
    }
    try database.execute("BEGIN IMMEDIATE")
    isInTransaction = true
    begun = .now
    Task { [weak self] in
      try? await Task.sleep(for: Self.commitTime)
      // An error comes again with the next write, where somebody hears it.
      try? await self?.commit()
    }
  }

  /// Makes everything that was written so far last.
  package func commit() throws(StateError) {
    guard isInTransaction else { return }
    try database.execute("COMMIT")
    isInTransaction = false
  }
}

extension Confirmation {
  /// Reads the first five columns, which are the same wherever something is confirmed.
  fileprivate init(_ row: Statement.Row) {
    self.init(
      etag: row.optionalText(0), lastModified: row.optionalText(1), checked: row.double(2),
      freshUntil: row.optionalDouble(3), run: row.int(4))
  }

  fileprivate var values: [Statement.Value] {
    [
      .optional(etag), .optional(lastModified), .double(checked), .optional(freshUntil), .int(run),
    ]
  }
}
