/// Reads a list in any of the formats that a manifest may have: lines, a feed, or a sitemap, in UTF-8 or UTF-16.
package struct ListReader {
  package private(set) var lines: ManifestReader
  private var text = ListText()
  private var feed: FeedReader?
  /// Text that was not looked at.
  private var rest: ArraySlice<UInt8> = []
  private var found: [ManifestRecord] = []
  private var lastItem = 0

  /// - Parameter lines: what it decides about entries holds for all formats.
  package init(_ lines: ManifestReader) { self.lines = lines }

  /// Adds bytes of the list.
  ///
  /// - Throws: ``ListRejection`` if they show that it is not a list.
  package mutating func add(_ bytes: [UInt8]) throws(ListRejection) {
    try pass(try text.take(bytes), isEnd: false)
  }

  /// To be called at the end of the list, before the last records are read.
  package mutating func end() throws(ListRejection) { try pass(try text.finish(), isEnd: true) }

  private mutating func pass(_ bytes: [UInt8], isEnd: Bool) throws(ListRejection) {
    if text.kind == .array { lines.splitter.splitElements() }
    guard let kind = text.kind, ![.lines, .array].contains(kind) else {
      rest += bytes
      return
    }
    // In its place: a copy would copy all that has arrived.
    if feed == nil {
      feed = FeedReader(
        kind, isConverted: text.isConverted, lines.columns, omitted: lines.omitted)
    }
    let records = try feed?.read(bytes, isEnd: isEnd) ?? []
    lastItem = records.last?.line ?? lastItem
    found += lines.completed(records)
  }

  /// The rows or items so far that are not images.
  package var omitted: OmittedRows { feed?.omitted ?? lines.omitted }

  /// The number of the last line so far, or of the last item that has something to say.
  package var lastLine: Int { max(lines.lastLine, lastItem) }

  /// The next records in parts; none if more bytes are needed.
  ///
  /// - Parameter isCompared: whether the parts have digests, so that lines may wait for others of their part.
  package mutating func parts(
    limit: Int, isCompared: Bool
  ) throws(ListRejection) -> [ManifestChunk] {
    if feed != nil {
      defer { found = [] }
      return ManifestChunk.uncompared(found)
    }
    let parts =
      isCompared
      ? lines.parts(&rest, limit: limit)
      : ManifestChunk.uncompared(lines.read(&rest, limit: limit))
    if let rejection = lines.rejection { throw rejection }
    return parts
  }

  /// The last parts, after ``end()``.
  package mutating func finish(isCompared: Bool) throws(ListRejection) -> [ManifestChunk] {
    let parts = isCompared ? lines.finishParts() : ManifestChunk.uncompared(lines.finish())
    if let rejection = lines.rejection { throw rejection }
    return parts
  }

  package mutating func records(of part: ManifestChunk) -> [ManifestRecord] {
    lines.records(of: part)
  }
}

/// Reads rows that have names for their fields already, such as those of a database.
package struct RowReader {
  package private(set) var lines: ManifestReader
  private var table: TableDecoder
  /// The rows so far that are not images.
  package private(set) var omitted: OmittedRows

  /// - Parameters:
  ///   - columns: their names.
  ///   - lines: what it decides about entries holds.
  /// - Throws: ``ListRejection`` if no column has the URLs.
  package init(columns: [String], _ lines: ManifestReader) throws(ListRejection) {
    guard let table = TableDecoder(columns: columns, lines.columns) else {
      throw ListRejection(ofHeader: columns, lines.columns)
    }
    (self.table, self.lines) = (table, lines)
    omitted = lines.omitted
    self.lines.note(columns: table.columns)
  }

  /// - Parameter fields: one for each column; nil where there is no value.
  package mutating func records(of fields: [String?], line: Int) -> [ManifestRecord] {
    if let long = fields.first(where: { ($0?.utf8.count ?? 0) > RecordSplitter.maximumLength }) {
      table.loseRecord()
      return [
        .problem(
          ManifestProblem(
            line: line,
            message:
              "a field has \(long?.utf8.count ?? 0) bytes; at most \(RecordSplitter.maximumLength) are allowed"
          ))
      ]
    }
    do throws(ManifestProblem) {
      let entries = try table.entries(of: fields, line: line, &omitted)
      return lines.completed(entries.map { .entry($0) })
    } catch {
      return [.problem(error)]
    }
  }

  /// The record of a row whose text is not UTF-8.
  ///
  /// - Throws: ``ListRejection`` if other rows may share its id, as for a table in a file.
  package mutating func record(
    ofNoUTF8 column: String, line: Int
  ) throws(ListRejection) -> ManifestRecord {
    let message = "the column \"\(column)\" is not valid UTF-8"
    guard lines.columns?.columns[.id] == nil else {
      throw ListRejection(
        reason: "in row \(line) \(message); correct it, or leave the row out in the query")
    }
    table.loseRecord()
    return .problem(ManifestProblem(line: line, message: message))
  }

  package mutating func records(of part: ManifestChunk) -> [ManifestRecord] {
    lines.records(of: part)
  }
}
