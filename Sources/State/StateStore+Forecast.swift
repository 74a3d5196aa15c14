/// What a look at the next run needs of the state, and notes in a temporary one.
extension StateStore {
  /// What is known of an item of the manifest before the next run.
  package struct KnownItem: Sendable {
    /// In its line of the catalog.
    package var status: String
    package var line: String
    /// Whether the manifest's line is that of the last run which had the item.
    package var isSame: Bool
  }

  /// - Parameter items: ids with digests of what the manifest says about them.
  package func known(_ items: [(id: String, entry: String)]) throws(StateError) -> [KnownItem?] {
    try reading { () throws(StateError) in
      let select = try database.prepare(
        "SELECT \(PackedLines.columns), \(LastResult.status), entry FROM items"
          + " JOIN results ON item = items.number WHERE id = ?")
      return try items.map { id, entry throws(StateError) in
        try select.first([.text(id)]) { row in
          let rest = row.dropFirst(PackedLines.width)
          return KnownItem(
            status: rest.text(0), line: packed.line(in: row) ?? "",
            isSame: rest.int(1) == StretchTable.short(entry))
        }
      }
    }
  }

  /// The stretch of each item; nil for those that are not known.
  package func stretches(ofEach ids: [String]) throws(StateError) -> [Int?] {
    try reading { () throws(StateError) in
      let select = try database.prepare("SELECT stretch FROM items WHERE id = ?")
      return try ids.map { id throws(StateError) in
        try select.first([.text(id)]) { $0.int(0) }
      }
    }
  }
}
