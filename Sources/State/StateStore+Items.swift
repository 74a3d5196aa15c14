internal import TesseraText

/// Items: their positions in a run's manifest, their lines of the catalog, and why these are what they
/// are.
extension StateStore {
  /// What a manifest line means for the run.
  package enum Claim: Sendable, Equatable {
    case new
    /// The item has its ``ClaimRequest/alternative``, because an earlier line has its id.
    case alternative
    /// An earlier line of this manifest has the same entry.
    case repeated
    /// That line has another entry with this id.
    case conflict(line: Int)
  }

  package struct ClaimRequest: Sendable {
    package var id: String
    package var line: Int
    /// A digest of everything that the manifest says about the item.
    package var entry: String
    /// Why the item's earlier result still applies; nil if the item has to be processed.
    package var standing: Reason?
    /// What it is claimed as if an earlier line has its id with another entry; nil if that is a conflict.
    package var alternative: Alternative?

    /// An id of the item's own, and the digest of its entry with that.
    package struct Alternative: Sendable {
      package var id: String
      package var entry: String

      package init(id: String, entry: String) { (self.id, self.entry) = (id, entry) }
    }

    package init(
      id: String, line: Int, entry: String, standing: Reason? = nil,
      alternative: Alternative? = nil
    ) {
      self.alternative = alternative
      self.id = id
      self.line = line
      self.entry = entry
      self.standing = standing
    }
  }

  /// What shaped an item's line of the catalog besides the item: a later run reuses the line if all of
  /// it is unchanged.
  package struct LineInputs: Sendable {
    /// A digest of everything in the pipeline that shapes the line.
    package var settings: String
    /// A digest of everything that the manifest says about the item.
    package var entry: String
    /// The key of the source.
    package var source: String

    package init(settings: String, entry: String, source: String) {
      self.settings = settings
      self.entry = entry
      self.source = source
    }
  }

  /// What a run decided about an item.
  package struct ItemResult: Sendable {
    package var id: String
    /// The item's line of the catalog.
    package var line: String
    /// The status in that line.
    package var status: String
    package var reasons: [Reason]
    /// SHA-256 of the source's bytes, if they are known.
    package var content: String?
    /// Nil if no later run may reuse the line.
    package var inputs: LineInputs?
    /// The key of the placeholder that the line shows, or may show in a later run.
    package var placeholder: String?
    /// Whether the source is gone, as ``lostSince(_:now:)`` has noted.
    package var isLost = false

    package init(
      id: String, line: String, status: String, reasons: [Reason], content: String?,
      inputs: LineInputs?,
      placeholder: String? = nil
    ) {
      self.id = id
      self.line = line
      self.status = status
      self.reasons = reasons
      self.content = content
      self.inputs = inputs
      self.placeholder = placeholder
    }
  }

  /// Saves an item's result together with what its processing changed about the source.
  ///
  /// - Parameters:
  ///   - key: the source's key.
  ///   - url: the key of the request URL.
  /// - Returns: whether the line is another than before; nil if the item had none.
  @discardableResult
  package func save(
    _ result: ItemResult, _ change: SourceChange? = nil, key: String = "", url: String = ""
  ) throws(StateError) -> Bool? {
    try begin()
    let before = try items.lastResult(of: result.id)
    if let before, !before.line.isSame(as: result.line) || before.source != key {
      let now = LastResult(
        status: result.status, line: result.line, source: key, request: url,
        content: result.content, placeholder: result.placeholder)
      try noteFormer(before.possessions.subtracting(now.possessions), of: result.id)
    }
    if let change { try save(change, key: key, url: url) }
    try items.finish(
      result.id, reasons: Reason.stored(result.reasons), isLost: result.isLost)
    // After the change, because the mark covers the source as it is stored from now on.
    var mark: Int?
    // What was saved above need not be read again.
    var source = key == result.inputs?.source ? change?.source : nil
    if source == nil, let inputs = result.inputs { source = try sources.find(inputs.source) }
    if let inputs = result.inputs, let source {
      mark = Self.mark(result.id, result.line, inputs, source)
    }
    try items.save(
      result.id, line: result.line, status: result.status, content: result.content,
      settings: result.inputs?.settings ?? "", mark: mark,
      keys: (source: key, request: url, placeholder: result.placeholder))
    return before.map { !$0.line.isSame(as: result.line) }
  }

  /// Saves that an item's line of an earlier run still applies, because the server has confirmed the
  /// source. The caller ensures that the source has no header record and no rejection, and that its new
  /// record differs in nothing that the line was made from.
  package func confirm(
    _ id: String, reasons: [Reason], _ source: SourceRecord?, key: String
  ) throws(StateError) {
    try begin()
    if let source { try sources.save(source, key: key) }
    try items.finish(id, reasons: Reason.stored(reasons))
  }

  static func mark(
    _ id: String, _ line: String, _ inputs: LineInputs, _ source: SourceRecord
  ) -> Int {
    RecordMark.of(
      id,
      [
        .text(line), .key(inputs.settings), .key(inputs.entry), .key(source.content),
        .optional(source.url), .optional(source.robots), .optional(source.confirmation.etag),
        .optional(source.confirmation.lastModified),
      ])
  }

  /// A part of a run's lines in the order of the manifest, from the position after `position` on: up to
  /// `limit`, or fewer if they are long. None means that there are no more.
  ///
  /// - Throws: ``StateError/Kind/incomplete`` if one of them is not what was saved.
  package func results(
    of run: Int, after position: Int, limit: Int
  ) throws(StateError) -> [ResultLine] {
    let (results, areSound) = try items.results(of: run, after: position, limit: limit)
    guard areSound else {
      throw StateError(
        kind: .incomplete, path: path, message: "a line of this run's catalog is damaged in it")
    }
    return results
  }

  /// The statuses that a run has given items; nil for each item that it does not have.
  package func statuses(of ids: [String], in run: Int) throws(StateError) -> [String?] {
    try reading { () throws(StateError) in
      var statuses: [String?] = []
      for id in ids { statuses.append(try items.status(of: id, in: run)) }
      return statuses
    }
  }

  /// The lines that items have in the catalog of the last run that had them; nil for each without one.
  package func lines(of ids: [String]) throws(StateError) -> [String?] {
    try reading { () throws(StateError) in
      let query = try database.prepare(
        "SELECT \(PackedLines.columns) FROM items JOIN results ON item = number WHERE id = ?")
      return try ids.map { id throws(StateError) in
        try query.first([.text(id)]) { packed.line(in: $0) } ?? nil
      }
    }
  }

  /// Notes that an item's source is gone, unless that is noted. Returns since when, in seconds since 1970.
  package func lostSince(_ id: String, now: Double) throws(StateError) -> Double {
    try begin()
    return try items.lostSince(id, now: now)
  }

  /// Since when an item's source is gone, as ``lostSince(_:now:)`` has noted; nil if the last answer about it was good.
  package func lostBefore(_ id: String) throws(StateError) -> Double? { try items.lostBefore(id) }

  /// How many items of the last completed run a run does not have. What runs had that were stopped does not count.
  package func goneItems(_ run: Int) throws(StateError) -> Int {
    let completed = "SELECT max(number) FROM runs WHERE items IS NOT NULL"
    return try database.prepare(
      "SELECT count(*) FROM stretches s JOIN items ON stretch = s.number"
        + " WHERE run <> ? AND run <= (\(completed))"
    )
    .first([.int(run)]) { $0.int(0) } ?? 0
  }

  // MARK: For `why`

  /// What is known of an item.
  package struct ItemHistory: Sendable {
    package var run: Int
    package var line: Int
    /// Its line of the catalog; nil if a run was stopped before it had one.
    package var result: String?
    package var reasons: [Reason]
    package var content: String?
    /// Another item with the same bytes.
    package var twin: String?
  }

  package func history(of id: String) throws(StateError) -> ItemHistory? {
    let select = try database.prepare(
      "SELECT \(PackedLines.columns), run, stretches.line + items.line, done, reason, content,"
        + " stood, fresh_until FROM items LEFT JOIN stretches ON stretches.number = stretch"
        + " LEFT JOIN results ON item = items.number WHERE id = ?")
    let found = try select.first([.text(id)]) { row in
      let rest = row.dropFirst(PackedLines.width)
      var history = ItemHistory(
        run: rest.int(0), line: rest.int(1), result: rest.int(2) != 0 ? packed.line(in: row) : nil,
        reasons: rest.optionalText(3).map(Reason.list(stored:)) ?? [],
        content: rest.optionalKey(4))
      // Nothing was written for the item itself.
      if rest.int(5) != 0 {
        let end = rest.double(6)
        history.reasons = [end.isFinite ? .fresh(until: end) : .neverRevalidated]
      }
      return history
    }
    guard var history = found, let content = history.content else { return found }
    history.twin = try database.prepare(
      "SELECT id FROM results JOIN items ON items.number = item"
        + " JOIN stretches ON stretches.number = stretch WHERE content = ? AND id <> ?"
        + " ORDER BY position + place LIMIT 1"
    ).first([.key(content), .text(id)]) { $0.text(0) }
    return history
  }

  /// Ids that begin with the first parameter: the last character of Unicode follows all others.
  static let idBegins = "id >= ?1 AND id < ?1 || char(1114111)"

  /// The ids that have most of their beginning in common with this one: suggestions for an id that was mistyped. The first of
  /// all if none has anything in common.
  package func ids(near id: String, limit: Int) throws(StateError) -> [String] {
    var ids: [String] = []
    let statement = try database.prepare(
      "SELECT id FROM items WHERE \(Self.idBegins) ORDER BY id LIMIT ?2")
    for length in stride(from: id.count, through: 0, by: -1) where ids.isEmpty {
      try statement.run([.text(String(id.prefix(length))), .int(limit)]) { ids.append($0.text(0)) }
    }
    return ids
  }

  /// Forgets that an item's line may be used again: its files are looked for when it is processed next.
  package func doubtLine(of id: String) throws(StateError) {
    try begin()
    try database.prepare(
      "UPDATE results SET mark = NULL WHERE item = (SELECT number FROM items WHERE id = ?)"
    ).run([.text(id)])
    try doubtStretch(of: id)
  }
}
