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
    if feed == nil { feed = FeedReader(kind, isConverted: text.isConverted, lines.columns) }
    let records = try feed?.read(bytes, isEnd: isEnd) ?? []
    lastItem = records.last?.line ?? lastItem
    found += lines.completed(records)
  }

  /// The rows or items so far that are not images.
  package var omitted: OmittedRows { lines.omitted + (feed?.omitted ?? OmittedRows()) }

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
