package import TesseraPlan

/// Sources, contents and the files made from them.
extension StateStore {
  /// Everything that is known of one source.
  package struct Knowledge: Sendable {
    package var source: SourceRecord?
    package var content: ContentRecord?
    package var header: HeaderRecord?
    package var rejection: RejectionRecord?
    /// What the last run that looked at the item said of it.
    package var item: ItemState?

    package init() {}

    /// Whether nothing is known of the source.
    package var isEmpty: Bool { source == nil && header == nil && rejection == nil }
  }

  /// - Parameters:
  ///   - key: the source's key.
  ///   - url: the key of the request URL.
  ///   - id: the item whose last result is looked up as well; nil for none.
  package func knowledge(
    of key: String, url: String, id: String? = nil
  ) throws(StateError) -> Knowledge {
    try reading { () throws(StateError) in
      var knowledge =
        try lookups.knowledge.first([.key(key), .key(url)]) { Knowledge($0) } ?? Knowledge()
      if let id { knowledge.item = try items.state(of: id) }
      return knowledge
    }
  }

  package func contentRecord(_ digest: String) throws(StateError) -> ContentRecord? {
    try contents.find(digest)
  }

  /// The file at a path; nil if the state has no record of it.
  package func file(at path: String) throws(StateError) -> VariantRecord? {
    try variants.find(VariantRecord.key(path: path))
  }

  /// The files of some keys, nil for each key without a record, and a placeholder.
  package func made(
    _ keys: [String], placeholder key: String
  ) throws(StateError) -> ([VariantRecord?], Placeholders?) {
    try reading { () throws(StateError) in
      var records: [VariantRecord?] = []
      for key in keys { records.append(try variants.find(key)) }
      return (records, try placeholders.find(key)?.placeholders)
    }
  }

  /// The qualities of some keys; nil for each key without a record.
  package func qualities(_ keys: [String]) throws(StateError) -> [QualityRecord?] {
    try reading { () throws(StateError) in
      var records: [QualityRecord?] = []
      for key in keys { records.append(try qualities.find(key)) }
      return records
    }
  }

  /// All qualities that were found for a content, for `why`.
  package func qualities(of content: String) throws(StateError) -> [QualityRecord] {
    var records: [QualityRecord] = []
    let keys = QualityRecord.keys(of: content)
    try database.prepare(
      "SELECT \(QualityRecord.selection) FROM qualities WHERE key BETWEEN ? AND ? ORDER BY recipe"
    ).run([.key(keys.lowerBound), .key(keys.upperBound)]) { row in
      if let record = QualityRecord.found(in: row) { records.append(record) }
    }
    return records
  }

  /// What a source looked like the last time: its bytes were decoded, or only its header was read.
  package enum Sighting: Sendable, Equatable {
    case content(ContentRecord)
    case header(HeaderRecord)
  }

  /// The last sighting of each source; nil for sources that are not known.
  package func lastSeen(_ keys: [String]) throws(StateError) -> [Sighting?] {
    try reading { () throws(StateError) in
      var sightings: [Sighting?] = []
      for key in keys { sightings.append(try lastSeen(key)) }
      return sightings
    }
  }

  private func lastSeen(_ key: String) throws(StateError) -> Sighting? {
    let source = try sources.find(key)
    if let header = try headers.find(key),
      header.confirmation.checked >= source?.confirmation.checked ?? 0
    {
      return .header(header)
    }
    return try source.flatMap { source throws(StateError) in
      try contents.find(source.content).map { .content($0) }
    }
  }

  // MARK: Writing

  /// What a transcode made of a content.
  package struct Made: Sendable {
    /// SHA-256 of the source's bytes.
    package var digest: String
    package var content: ContentRecord
    package var variants: [(key: String, record: VariantRecord)]
    package var placeholder: (key: String, record: Placeholders)
    package var run: Int
    /// What was found for encodings whose quality was searched.
    package var qualities: [(key: String, record: QualityRecord)] = []

    package init(
      digest: String, content: ContentRecord, variants: [(key: String, record: VariantRecord)],
      placeholder: (key: String, record: Placeholders), run: Int
    ) {
      self.digest = digest
      self.content = content
      self.variants = variants
      self.placeholder = placeholder
      self.run = run
    }
  }

  /// What one item's processing changed about its source. Nil members stay as they are.
  package struct SourceChange: Sendable {
    /// The bytes were confirmed. An older header record is then forgotten.
    package var source: SourceRecord?
    package var header: HeaderRecord?
    package var made: Made?
    package var rejection: RejectionChange?

    package init() {}
  }

  package enum RejectionChange: Sendable {
    case forget
    case save(RejectionRecord)
  }

  /// - Parameters:
  ///   - key: the source's key.
  ///   - url: the key of the request URL.
  package func save(
    _ change: SourceChange, key: String, url: String
  ) throws(StateError) {
    try begin()
    if let made = change.made {
      try contents.save(made.content, key: made.digest)
      let placeholder = PlaceholderRecord(made.placeholder.record)
      try placeholders.save(placeholder, key: made.placeholder.key)
      try variants.save(made.variants, extra: .int(made.run))
      if !made.qualities.isEmpty { try qualities.save(made.qualities) }
    }
    if let source = change.source {
      if let old = try sources.find(key), !old.isShown(like: source) {
        try noteChanged(key)
        if old.content != source.content { try noteFormer(content: old.content, ofSource: key) }
      }
      try sources.save(source, key: key)
      // Confirmed bytes say more than a header, and an older header must not contradict them.
      try headers.delete(key)
    }
    if let header = change.header { try headers.save(header, key: key) }
    switch change.rejection {
    case .save(let rejection): try rejections.save(rejection, key: url)
    case .forget: try rejections.delete(url)
    case nil: break
    }
  }
}

extension StateStore.Knowledge {
  /// Reads the columns of ``Lookups/knowledge``.
  init(_ row: Statement.Row) {
    source = SourceRecord.found(in: row)
    var rest = row.dropFirst(SourceRecord.width)
    // Without its source a content belongs to nothing.
    if source != nil { content = ContentRecord.found(in: rest) }
    rest = rest.dropFirst(ContentRecord.width)
    header = HeaderRecord.found(in: rest)
    rejection = RejectionRecord.found(in: rest.dropFirst(HeaderRecord.width))
  }
}

/// The images of tables while a catalog is written, and the files that were made of them.
extension StateStore {
  /// An image in a table.
  package struct TableEntry: Sendable, Equatable {
    /// Of its id, in hexadecimal: 32 digits.
    package var hash: String
    package var id: String
    /// Of its published file.
    package var path: String
    package var type: String
    package var width: Int
    package var height: Int
    package var bytes: Int

    package init(
      hash: String, id: String, path: String, type: String, width: Int, height: Int, bytes: Int
    ) {
      (self.hash, self.id, self.path, self.type) = (hash, id, path, type)
      (self.width, self.height, self.bytes) = (width, height, bytes)
    }
  }

  /// What a part of a table has.
  package struct TableContent: Sendable, Equatable {
    package var count: Int
    /// The largest of its images.
    package var width: Int
    package var height: Int
  }

  /// Begins empty tables. They are gone with the store; large ones are kept on disk.
  package func beginTables() throws(StateError) {
    try database.execute(
      "DROP TABLE IF EXISTS temp.entries; CREATE TEMP TABLE entries (place INTEGER, hash TEXT, "
        + "id TEXT, path TEXT, type TEXT, width INTEGER, height INTEGER, bytes INTEGER, "
        + "PRIMARY KEY (place, hash)) WITHOUT ROWID")
  }

  /// Adds images to the tables of some places (a slot at a scale). An image that is there already stays as it is.
  package func addToTables(
    _ entries: [(place: Int, entry: TableEntry)]
  ) throws(StateError) {
    let insert = try database.prepare(
      "INSERT OR IGNORE INTO temp.entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    for (place, entry) in entries {
      try insert.run([
        .int(place), .text(entry.hash), .text(entry.id), .text(entry.path), .text(entry.type),
        .int(entry.width), .int(entry.height), .int(entry.bytes),
      ])
    }
  }

  /// What the part of a table with hashes in a range has; nil if that is nothing.
  package func tableContent(
    _ place: Int, _ hashes: ClosedRange<String>
  ) throws(StateError) -> TableContent? {
    try database.prepare(
      "SELECT count(*), max(width), max(height) FROM temp.entries"
        + " WHERE place = ? AND hash BETWEEN ? AND ?"
    ).first([.int(place), .text(hashes.lowerBound), .text(hashes.upperBound)]) { row in
      row.int(0) == 0
        ? nil : TableContent(count: row.int(0), width: row.int(1), height: row.int(2))
    } ?? nil
  }

  /// The images of such a part, in the order of their hashes.
  package func tableEntries(
    _ place: Int, _ hashes: ClosedRange<String>
  ) throws(StateError) -> [TableEntry] {
    var entries: [TableEntry] = []
    try database.prepare(
      "SELECT hash, id, path, type, width, height, bytes FROM temp.entries"
        + " WHERE place = ? AND hash BETWEEN ? AND ? ORDER BY hash"
    ).run([.int(place), .text(hashes.lowerBound), .text(hashes.upperBound)]) { row in
      entries.append(
        TableEntry(
          hash: row.text(0), id: row.text(1), path: row.text(2), type: row.text(3),
          width: row.int(4), height: row.int(5), bytes: row.int(6)))
    }
    return entries
  }

  package func endTables() throws(StateError) {
    try database.execute("DROP TABLE IF EXISTS temp.entries")
  }

  // MARK: Files

  /// A published file of a table, by everything that it was made from. It has its record among those of variants,
  /// with all that follows from that: it is examined after a power cut, and forgotten with its file.
  package func tableFile(_ key: String) throws(StateError) -> VariantRecord? {
    try variants.find(key)
  }

  package func saveTableFile(
    _ record: VariantRecord, key: String, run: Int
  ) throws(StateError) {
    try begin()
    try variants.save([(key, record)], extra: .int(run))
  }
}

/// Images of which no files in a better format could be made. They are stored with the rejections, under keys of their own.
extension StateStore {
  /// - Parameter request: the key of the image's request URL.
  package func failedUpgrade(of request: String) throws(StateError) -> RejectionRecord? {
    try rejections.find(Self.upgradeKey(request))
  }

  package func noteFailedUpgrade(
    of request: String, _ record: RejectionRecord
  ) throws(StateError) {
    try begin()
    try rejections.save([(Self.upgradeKey(request), record)])
  }

  static func upgradeKey(_ request: String) -> String { "upgrade \(request)" }
}

/// Statements that join what is known of one source, because each statement by itself costs as much as
/// what it looks up.
struct Lookups {
  /// By an item's id, the source's key, and the key of the request URL: the item's chunk, what its line was made of, if that
  /// may apply, whether there is a rejection, whether there is a header, and the source.
  let lookup: Statement
  /// By the source's key and the key of the request URL: source, content, header and rejection.
  let knowledge: Statement

  init(_ database: Database) throws(StateError) {
    lookup = try database.prepare(
      "SELECT items.chunk, CASE WHEN items.status IS NULL AND items.source = ?2 THEN items.made END,"
        + " rejections.key IS NOT NULL, headers.key IS NOT NULL,"
        + " \(SourceRecord.selection) FROM (SELECT 1) LEFT JOIN items ON items.id = ?1"
        + " LEFT JOIN sources ON sources.key = ?2 LEFT JOIN headers ON headers.key = ?2"
        + " LEFT JOIN rejections ON rejections.key = ?3")
    knowledge = try database.prepare(
      "SELECT \(SourceRecord.selection), \(ContentRecord.selection), \(HeaderRecord.selection),"
        + " \(RejectionRecord.selection) FROM (SELECT 1) LEFT JOIN sources ON sources.key = ?1"
        + " LEFT JOIN contents ON contents.content = sources.content"
        + " LEFT JOIN headers ON headers.key = ?1 LEFT JOIN rejections ON rejections.key = ?2")
  }
}
