internal import TesseraText

/// What a state remembers of the output beside its records.
extension StateStore {
  /// The digest of the marks of forgotten images that were last taken out of this state; nil if there were none. A
  /// witness: a store that once says that there are no marks is not believed.
  package func forgottenMarks() throws(StateError) -> String? {
    try Self.forgottenMarks(in: database)
  }

  static func forgottenMarks(in database: Database) throws(StateError) -> String? {
    try database.prepare("SELECT text FROM notes WHERE name = 'forgotten'").first([]) { $0.text(0) }
  }

  package func note(forgottenMarks digest: String) throws(StateError) {
    try begin()
    try database.prepare("INSERT OR REPLACE INTO notes (name, text) VALUES ('forgotten', ?)")
      .run([.text(digest)])
    try commit()
  }

  /// The ids of items, present and former, to which this applies.
  ///
  /// - Parameter matches: the id, and the key of a source of its; nil if there is none.
  package func ids(
    where matches: @Sendable (_ id: String, _ source: String?) -> Bool
  ) throws(StateError) -> [String] {
    var found: Set<Identifier> = []
    func look(_ id: String, _ source: String?) {
      if !found.contains(id), matches(id, source) { found.insert(id) }
    }
    try database.prepare(
      "SELECT id, source, request FROM items"
    ).run([]) { row in
      look(row.text(0), row.isNull(1) ? nil : row.key(1))
      if !row.isNull(2) { look(row.text(0), row.key(2)) }
    }
    try database.prepare("SELECT id, kind, name FROM former").run([]) { row in
      let kind = Possession.Kind(rawValue: row.text(1))
      look(row.text(0), kind == .sources || kind == .rejections ? row.key(2) : nil)
    }
    return found.texts
  }
}
