package import TesseraPlaceholder

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
