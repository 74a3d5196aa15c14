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
    try readLastItem()
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

  /// Commits what is left, for a file that is read or copied next; the log is empty after it.
  package func close() throws(StateError) {
    try commit()
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Writes the file anew, and empties its log: what was erased is in no page of either.
  package func rewrite() throws(StateError) {
    try commit()
    try database.execute("DROP TABLE IF EXISTS temp.named; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
