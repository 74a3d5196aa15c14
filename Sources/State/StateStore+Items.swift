/// Items: their places in a run's manifest, their lines of the catalog, and what was decided about them.
extension StateStore {
  /// What an item claims its place with.
  package struct ClaimRequest: Sendable {
    package var id: String
    package var line: Int
    /// Stands for everything that the manifest says of the item.
    package var entry: String

    package init(id: String, line: Int, entry: String) {
      self.id = id
      self.line = line
      self.entry = entry
    }
  }

  /// Gives items their places in a run, in their order.
  ///
  /// - Parameter position: that of the first new one.
  /// - Returns: an answer for each.
  package func claim(
    _ requests: [ClaimRequest], run: Int, position: Int
  ) throws(StateError) -> [Claim] {
    var claims: [Claim] = []
    var position = position
    for request in requests {
      let known = try selectItem.first([.text(request.id)]) { row in
        (run: row.int(0), line: row.int(1), entry: row.text(2))
      }
      if let known, known.run == run {
        claims.append(known.entry == request.entry ? .repeated : .conflict(line: known.line))
        continue
      }
      try begin()
      try upsertItem.run([
        .text(request.id), .int(run), .int(position), .int(request.line), .text(request.entry),
      ])
      claims.append(.new)
      position += 1
    }
    return claims
  }

  /// Saves an item's line of the catalog.
  ///
  /// - Parameters:
  ///   - status: as in that line.
  ///   - reason: what was decided about it, and why.
  ///   - content: SHA-256 of its source's bytes.
  package func finish(
    id: String, result: String, status: String, reason: String, content: String?
  ) throws(StateError) {
    try begin()
    try updateResult.run([
      .text(result), .text(status), .text(reason), .optional(content), .text(id),
    ])
  }

  /// The status of an item the last time that it was done.
  package func status(of id: String) throws(StateError) -> String? {
    try selectStatus.first([.text(id)]) { $0.optionalText(0) } ?? nil
  }

  /// What is known of an item.
  package struct ItemStory: Sendable {
    package var run: Int
    package var line: Int
    /// Its line of the catalog; nil where a run was stopped before it had one.
    package var result: String?
    package var reason: String?
    package var content: String?
    /// Another item with the same bytes.
    package var twin: String?
  }

  package func story(of id: String) throws(StateError) -> ItemStory? {
    let select = try database.prepare(
      "SELECT run, line, result, reason, content FROM items WHERE id = ?")
    guard
      var story = try select.first(
        [.text(id)],
        { row in
          ItemStory(
            run: row.int(0), line: row.int(1), result: row.optionalText(2),
            reason: row.optionalText(3), content: row.optionalText(4))
        })
    else { return nil }
    if let content = story.content {
      story.twin = try database.prepare(
        "SELECT id FROM items WHERE content = ? AND id <> ? ORDER BY position LIMIT 1"
      ).first([.text(content), .text(id)]) { $0.text(0) }
    }
    return story
  }

  /// Ids that begin like this one or are close to it, for who has mistyped.
  package func ids(like id: String, limit: Int) throws(StateError) -> [String] {
    var ids: [String] = []
    try database.prepare("SELECT id FROM items WHERE id >= ? ORDER BY id LIMIT ?")
      .run([.text(String(id.prefix(3))), .int(limit)]) { ids.append($0.text(0)) }
    return ids
  }

  /// A part of a run's results in the order of the manifest, beginning behind a position.
  package func results(
    of run: Int, after position: Int, limit: Int
  ) throws(StateError) -> [(position: Int, result: String)] {
    var results: [(Int, String)] = []
    try selectResults.run([.int(run), .int(position), .int(limit)]) { row in
      results.append((row.int(0), row.text(1)))
    }
    return results
  }
}
