internal import TesseraBytes
package import TesseraManifest
internal import TesseraNet
package import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// A manifest's records, read on demand: ten million lines need no more memory than ten. It is one list, or several, whose ids
/// share one space: then their lines are numbered on, and problems say which list they are of.
package final class ManifestStream {
  /// The path or URL, without secrets; of the list that is read, if there are several.
  package var path: String { lists[current].path }
  private let lists: [any ManifestList]
  private var current = 0
  /// The number of lines before each list so far.
  private var starts = [0]
  /// How the manifest's URLs are shown.
  let shown: ShownURLs
  /// What a person should know about the manifest.
  package let warnings: [String]

  /// Opens the manifest of a pipeline. Lists at a URL are fetched first.
  ///
  /// - Parameters:
  ///   - directory: where a fetched list is kept until it is read.
  ///   - isSplit: whether entries keep all members, which the runs of their parts then select from.
  ///   - id: of a row that may not be an image, and is looked for (``OmittedRows/found``).
  ///   - isTried: whether no entry is used, so that the prefix of URLs may be an example.
  package static func open(
    _ pipeline: PipelineFile, in directory: String = FileSystem.temporaryDirectory,
    end: ContinuousClock.Instant? = nil, needsDigest: Bool = false, isSplit: Bool = false,
    isTried: Bool = false, lookingFor id: String? = nil
  ) async throws -> ManifestStream {
    let shown = pipeline.shownURLs
    let reader = ManifestReader(
      shown: shown,
      resolve: pipeline.base.map { base in
        { @Sendable reference in URLReference.resolve(reference, against: base) }
      }, columns: pipeline.columns, extra: isSplit ? nil : pipeline.extra,
      requiresIDs: pipeline.urls == .none, lookingFor: id)
    var (lists, warnings): ([any ManifestList], [String]) = ([], [])
    for source in pipeline.manifest.all {
      if case .query(let query) = source {
        lists.append(try QueryStream(query, reader, end: end))
        if !ListQuery.isOrdered(query.sql) {
          warnings.append(
            "the query of \"\(query.database)\" has no ORDER BY: the database may give its rows in another order each "
              + "time, and with it the catalog's")
        }
      } else {
        lists.append(
          try await ListStream.open(
            source, of: pipeline, reader, in: directory, end: end, needsDigest: needsDigest))
      }
    }
    if let columns = pipeline.columns, !isTried, columns.hasExamplePrefix,
      let prefix = columns.prefix
    {
      throw TesseraError.manifest(
        path: lists[0].path,
        reason:
          "its URLs would begin with \(prefix), an example; put the address of your images into \"prefix\" "
          + "below \"columns\" in the pipeline file")
    }
    return ManifestStream(lists, shown, warnings)
  }

  private init(_ lists: [any ManifestList], _ shown: ShownURLs, _ warnings: [String]) {
    (self.lists, self.shown, self.warnings) = (lists, shown, warnings)
  }

  // MARK: All lists

  /// The size in bytes, if it is known, and the bytes read so far.
  package var size: Int? {
    let sizes = lists.compactMap(\.size)
    return sizes.count == lists.count ? sizes.reduce(0, +) : nil
  }
  package var bytesRead: Int { lists.reduce(0) { $0 + $1.bytesRead } }
  /// SHA-256 of the whole manifest's bytes; nil unless it was requested, and before the end unless that came first.
  package var digest: String? { Self.joined(lists.map(\.digest)) }
  /// The part of a manifest that this is; nil for a whole one, and before the first record.
  package var shard: Shard? { lists[current].shard }
  /// What the records so far say that does not become public.
  package var leftOut: LeftOutMembers {
    lists.dropFirst().reduce(into: lists[0].leftOut) { $0.add($1.leftOut) }
  }
  /// How many of their URLs have secrets, which are not shown.
  package var secrets: Int { lists.reduce(0) { $0 + $1.secrets } }
  /// Their rows that are not images.
  package var omitted: OmittedRows { lists.reduce(OmittedRows()) { $0 + $1.omitted } }
  /// The mapping that a list without one probably needs; nil unless it was rejected.
  package var suggestedColumns: ColumnMapping? { lists[current].suggestedColumns }
  /// The row that was looked for, numbered as entries are; nil if no list has it.
  package var foundRow: (line: Int, reason: OmittedRows.Reason)? {
    for (list, start) in zip(lists, starts) {
      if let found = list.omitted.found { return (start + found.line, found.reason) }
    }
    return nil
  }
  /// What a manifest without an image says of itself: a sentence without its full stop.
  package var emptiness: String {
    switch (omitted.imageless, omitted.unpublished) {
    case (0, 0): "the manifest has no image"
    case (let rows, 0):
      "the manifest has no image, though it has \(rows) rows or items; say where it has the URLs (columns)"
    case (_, let rows):
      "the manifest has no image of anything that is published, though it has \(rows) rows of others; without \"published\" "
        + "under columns, their images are used"
    }
  }
  /// How many of their URLs had to be encoded.
  package var encoded: Int { lists.reduce(0) { $0 + $1.encoded } }

  /// SHA-256 of the whole manifest's bytes, before any is read; nil if it can be read only once, or is being written.
  func wholeDigest() async throws -> String? {
    var digests: [String?] = []
    for list in lists { digests.append(try await list.wholeDigest()) }
    return Self.joined(digests)
  }

  private static func joined(_ digests: [String?]) -> String? {
    let all = digests.compactMap(\.self)
    guard all.count == digests.count else { return nil }
    return all.count == 1 ? all[0] : SHA256.of(all.joined(separator: " "))
  }

  /// Has parts have digests. Not those of a list that a program writes meanwhile: no line of it waits for the next one.
  func makeParts() { for list in lists { list.makeParts() } }

  /// Returns a function that ends the manifest here, also for a reader that waits. Any thread may call
  /// it.
  package nonisolated func stopper() -> @Sendable () -> Void {
    let stoppers = lists.map { $0.stopper() }
    return { for stop in stoppers { stop() } }
  }

  // MARK: Records

  /// The next records, or nil at the end.
  package func nextBatch() async throws -> [ManifestRecord]? {
    try await nextParts().map { $0.flatMap(records(of:)) }
  }

  /// The next records in parts, all of one list, or nil at the end. They are decoded before the next ones are read.
  func nextParts() async throws -> [ManifestChunk]? {
    while true {
      let parts = try await lists[current].nextParts()
      if lists.count > 1, let part = shard {
        throw TesseraError.manifest(
          path: path,
          reason: "it is a part of a split manifest (\(part)), which is a manifest of its own")
      }
      if let parts {
        let start = starts[current]
        return start == 0 ? parts : parts.map { $0.numbered(from: start) }
      }
      guard current + 1 < lists.count else { return nil }
      starts.append(starts[current] + lists[current].lastLine)
      current += 1
    }
  }

  /// The records of a part, which are decoded once.
  func records(of part: ManifestChunk) -> [ManifestRecord] {
    let records = lists[current].records(of: part)
    guard lists.count > 1 else { return records }
    return records.map { record in
      switch record {
      case .entry(var entry):
        entry.line += starts[current]
        return .entry(entry)
      case .problem(let problem): return .problem(problem.of(path))
      }
    }
  }

  /// A problem of an entry, with the line that its list has it on.
  package func problem(line: Int, _ message: String) -> ManifestProblem {
    let (list, own) = place(of: line)
    let problem = ManifestProblem(line: own, message: message)
    return lists.count > 1 ? problem.of(lists[list].path) : problem
  }

  /// A line in words: "line 3", and of several lists which one.
  package func words(forLine line: Int) -> String { problem(line: line, "").place }

  private func place(of line: Int) -> (list: Int, line: Int) {
    let list = starts.lastIndex { $0 < line } ?? 0
    return (list, line - starts[list])
  }
}
