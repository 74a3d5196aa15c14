/// What is known of an item before its turn.
extension StateStore {
  /// An item's line of an earlier run that would be made again word for word, provided that its files
  /// are there and its source is fresh.
  package struct Standing: Sendable {
    package var line: String
    package var source: SourceRecord
    /// Whether an answer of the server has been rejected since.
    package var isRejected: Bool
  }

  package struct LineLookup: Sendable {
    /// Nil if the item, its source or the settings have changed, or if the line's status was not `ok`.
    package var standing: Standing?
    /// Whether nothing is known of the source: no bytes, no header, no rejection.
    package var isNew: Bool
  }

  /// What an item is looked up by.
  package struct LineLookupRequest: Sendable {
    package var item: ClaimRequest
    /// The source's key.
    package var source: String
    /// The key of the request URL.
    package var url: String

    package init(_ item: ClaimRequest, source: String, url: String) {
      self.item = item
      self.source = source
      self.url = url
    }
  }

  /// An answer for each request.
  package func lookUpLines(
    _ requests: [LineLookupRequest], settings: String
  ) throws(StateError) -> [LineLookup] {
    try reading { () throws(StateError) in
      var found: [LineLookup] = []
      for request in requests { found.append(try lookup(request, settings)) }
      return found
    }
  }

  private func lookup(
    _ request: LineLookupRequest, _ settings: String
  ) throws(StateError) -> LineLookup {
    let (item, key) = (request.item, request.source)
    let lookup = try lookups.lookup.first([.text(item.id), .key(key), .key(request.url)]) { row in
      let rest = row.dropFirst(PackedLines.width)
      let (isRejected, hasHeader) = (rest.int(1) != 0, rest.int(2) != 0)
      let source = rest.dropFirst(3)
      var lookup = LineLookup(
        isNew: source.isNull(Int32(SourceRecord.width - 1)) && !hasHeader && !isRejected)
      // Saving a source deletes its header record, so one that exists is newer than the line.
      if !hasHeader, !row.isNull(1), packed.isLine(in: row, of: settings),
        let line = packed.line(in: row),
        let source = SourceRecord.found(in: source)
      {
        let inputs = LineInputs(settings: settings, entry: item.entry, source: key)
        if rest.int(0) == Self.mark(item.id, line, inputs, source) {
          lookup.standing = Standing(line: line, source: source, isRejected: isRejected)
        }
      }
      return lookup
    }
    return lookup ?? LineLookup(isNew: true)
  }
}
