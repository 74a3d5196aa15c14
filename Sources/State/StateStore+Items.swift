/// Items: their places in a run's manifest, their lines of the catalog, and what was decided about them.
extension StateStore {
  /// What an item claims its place with.
  package struct ClaimRequest: Sendable {
    package var id: String
    package var line: Int
    /// Stands for everything that the manifest says of the item.
    package var entry: String
    /// Why the item's result of an earlier run stands; nil where it has to be worked on.
    package var standing: String?

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
        (run: row.int(0), line: row.int(1), entry: row.text(2), position: row.int(3))
      }
      if let known, known.run == run {
        claims.append(known.entry == request.entry ? .repeated : .conflict(line: known.line))
        continue
      }
      try begin()
      let (id, entry) = (Statement.Value.text(request.id), Statement.Value.text(request.entry))
      let done = Statement.Value.int(request.standing == nil ? 0 : 1)
      let reason = Statement.Value.optional(request.standing)
      if known?.position == position {
        try moveItem.run([.int(run), .int(request.line), entry, done, reason, id])
      } else {
        try upsertItem.run([
          id, .int(run), .int(position), .int(request.line), entry, done, reason,
        ])
      }
      claims.append(.new)
      position += 1
    }
    return claims
  }

  /// What an item's line of the catalog was made of, besides the item: to see whether it stands.
  package struct Basis: Sendable {
    /// Everything else that shapes the line.
    package var settings: String
    /// Stands for everything that the manifest says of the item.
    package var entry: String
    /// The key of its source.
    package var source: String

    package init(settings: String, entry: String, source: String) {
      self.settings = settings
      self.entry = entry
      self.source = source
    }
  }

  /// Saves an item's line of the catalog.
  ///
  /// - Parameters:
  ///   - status: as in that line.
  ///   - reason: what was decided about it, and why.
  ///   - content: SHA-256 of its source's bytes.
  ///   - basis: nil where the line does not stand for another run.
  package func finish(
    id: String, result: String, status: String, reason: String, content: String?, basis: Basis?
  ) throws(StateError) {
    try begin()
    try finishItem.run([.text(reason), .text(id)])
    var (settings, mark) = (Statement.Value.null, Statement.Value.null)
    if let basis, let source = try source(basis.source) {
      settings = .text(basis.settings)
      mark = .int(Self.mark(id, result, basis, source))
    }
    try upsertResult.run([
      .text(id), .text(result), .text(status), .optional(content), settings, mark,
    ])
  }

  private static func mark(
    _ id: String, _ result: String, _ basis: Basis, _ source: SourceRecord
  ) -> Int {
    RecordMark.of(
      id,
      [
        .text(result), .text(basis.settings), .text(basis.entry), .text(source.content),
        .optional(source.url),
        .optional(source.robots), .optional(source.confirmation.etag),
        .optional(source.confirmation.lastModified),
      ])
  }

  /// An item's line of an earlier run that would be made anew word for word, as long as its files are there and its
  /// source need not be asked for.
  package struct Standing: Sendable {
    package var result: String
    package var source: SourceRecord
  }

  /// Lines that stand, an answer for each request; nil where an item, its source or the settings have changed, or
  /// where the line was not `ok`.
  package func standing(
    _ requests: [(item: ClaimRequest, source: String)], settings: String
  ) throws(StateError) -> [Standing?] {
    var found: [Standing?] = []
    for (item, key) in requests {
      let line = try selectStanding.first([.text(item.id)]) { row -> (result: String, mark: Int)? in
        guard row.text(0) == settings, row.text(1) == "ok" else { return nil }
        return (row.text(2), row.int(3))
      }
      guard let line = line ?? nil, let source = try source(key), try header(key) == nil,
        line.mark
          == Self.mark(
            item.id, line.result, Basis(settings: settings, entry: item.entry, source: key), source)
      else {
        found.append(nil)
        continue
      }
      found.append(Standing(result: line.result, source: source))
    }
    return found
  }

  /// An item's line of the catalog the last time that it was done, and the status in it.
  package func lastResult(of id: String) throws(StateError) -> (status: String, result: String)? {
    try selectLastResult.first([.text(id)]) { ($0.text(0), $0.text(1)) }
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
      "SELECT i.run, i.line, CASE WHEN i.done THEN r.result END, i.reason, r.content FROM items i"
        + " LEFT JOIN results r USING (id) WHERE i.id = ?")
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
        "SELECT id FROM results JOIN items USING (id) WHERE content = ? AND id <> ?"
          + " ORDER BY position LIMIT 1"
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
    try selectResults.run([.int(position), .int(run), .int(limit)]) { row in
      results.append((row.int(0), row.text(1)))
    }
    return results
  }
}
