internal import TesseraBytes
internal import TesseraManifest
internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

internal
  /// A list of images as bytes: a file, a pipe, or what was fetched. gzip is recognized by its first bytes.
  final class ListStream: ManifestList
{
  private static let chunk = 64 * 1024
  /// Records that are returned together.
  private static let batch = 1_000

  /// The path or URL, without secrets.
  let path: String
  private let file: InputReader
  private var gunzip: Gunzip?
  private var reader: ListReader
  /// The most bytes that gzip data may become.
  private var unpackedLimit = Gunzip.usualLimit
  private var isAtStart = true
  private var isAtEnd = false
  private var makesParts = false
  /// When the run ends, if it has a deadline: after it, no record is waited for longer than the grace.
  private var end: ContinuousClock.Instant?
  private static let grace = Duration.seconds(1)
  /// The size in bytes, if it is known, and the bytes read so far.
  var size: Int? { file.size }
  private(set) var bytesRead = 0
  private var sha256: SHA256?
  /// SHA-256 of the whole manifest's bytes; nil unless it was requested, and before the end unless that came first.
  private(set) var digest: String?
  /// The part of a manifest that this is; nil for a whole one, and before the first record.
  var shard: Shard? { reader.lines.split?.shard }

  /// Opens a list. One at a URL is fetched first.
  ///
  /// - Parameters:
  ///   - reader: decides about the entries.
  ///   - directory: where a fetched list is kept until it is read.
  static func open(
    _ source: PipelineFile.Manifest, of pipeline: PipelineFile, _ reader: ManifestReader,
    in directory: String, end: ContinuousClock.Instant?, needsDigest: Bool
  ) async throws -> ListStream {
    let (file, path) = try await opened(source, of: pipeline, in: directory, end: end)
    let stream = ListStream(file, path: path, reader, needsDigest)
    stream.end = end
    stream.unpackedLimit = pipeline.limits.unpackedList
    return stream
  }

  private static func opened(
    _ source: PipelineFile.Manifest, of pipeline: PipelineFile, in directory: String,
    end: ContinuousClock.Instant?
  ) async throws -> (InputReader, path: String) {
    switch source {
    case .standardInput:
      return (InputReader(try File.standardInput()), "-")
    case .url(let url):
      let file = try await ManifestDownload(url, of: pipeline, end: end).file(in: directory)
      return (InputReader(file), pipeline.shown(url))
    case .object(let text):
      guard let download = ObjectDownload(text, pipeline.store.settings) else {
        throw TesseraError.manifest(path: text, reason: "it must be s3://bucket/key")
      }
      return (InputReader(try await download.file(in: directory)), text)
    case .file(let path):
      return (InputReader(try opened(path)), path)
    case .query, .several:
      preconditionFailure("a query has rows, and each of several lists is opened by itself")
    }
  }

  private static func opened(_ path: String) throws -> File {
    // A directory can be opened, but not read.
    if FileSystem.isDirectory(path) {
      throw TesseraError.manifest(path: path, reason: "it is a directory")
    }
    do throws(SystemError) {
      // A named pipe without a writer would block the call that opens it, without end.
      return try File(path, .readWithoutWaiting)
    } catch {
      let hint =
        error.isMissingFile
        ? "; write one, with a URL on each line, or correct \"manifest\" in the pipeline file"
        : ""
      throw TesseraError.manifest(path: path, reason: error.reason + hint)
    }
  }

  private init(_ file: InputReader, path: String, _ reader: ManifestReader, _ needsDigest: Bool) {
    (self.file, self.path) = (file, path)
    sha256 = needsDigest ? SHA256() : nil
    self.reader = ListReader(reader)
  }

  var leftOut: LeftOutMembers { reader.lines.leftOut }
  var secrets: Int { reader.lines.secrets }
  var encoded: Int { reader.lines.encoded }
  var omitted: OmittedRows { reader.omitted }
  private(set) var suggestedColumns: ColumnMapping?
  var lastLine: Int { reader.lastLine }

  /// SHA-256 of the whole manifest's bytes, before any is read; nil if it can be read only once, or is being written.
  func wholeDigest() async throws -> String? {
    let digest = try await file.digest()
    guard let digest, try !file.hasChanged() else { return nil }
    // A list that changes from here on is rejected at its end.
    (self.digest, sha256) = (digest, nil)
    return digest
  }

  /// Has parts have digests. Not those of a list that a program writes meanwhile: no line of it waits for the next one.
  func makeParts() { makesParts = file.size != nil }

  /// The records of a part, which are decoded once.
  func records(of part: ManifestChunk) -> [ManifestRecord] { reader.records(of: part) }

  private func readParts() throws -> [ManifestChunk] {
    try checked { reader throws(ListRejection) in
      try reader.parts(limit: Self.batch, isCompared: makesParts)
    }
  }

  /// What a reader of the list says, unless it rejects the list.
  private func checked<Value>(
    _ body: (inout ListReader) throws(ListRejection) -> Value
  ) throws -> Value {
    do throws(ListRejection) {
      return try body(&reader)
    } catch {
      suggestedColumns = error.columns
      throw TesseraError.manifest(path: path, reason: error.reason)
    }
  }

  /// The next records in parts, or nil at the end.
  func nextParts() async throws -> [ManifestChunk]? {
    let limit = end.map { max($0, .now).advanced(by: Self.grace) }
    var parts = try readParts()
    while parts.isEmpty && !isAtEnd {
      // What has no record in it takes time, too: a small gzip file holds gigabytes of line ends.
      try Task.checkCancellation()
      try checkTime(limit)
      await Task.yield()
      try await fill(limit)
      parts = try readParts()
    }
    if parts.isEmpty {
      parts = try checked { reader throws(ListRejection) in
        try reader.finish(isCompared: makesParts)
      }
    }
    return parts.isEmpty ? nil : parts
  }

  private func checkTime(_ limit: ContinuousClock.Instant?) throws {
    guard let limit, limit <= .now else { return }
    throw TesseraError.manifest(
      path: path, reason: QueryStream.late)
  }

  private func fill(_ limit: ContinuousClock.Instant?) async throws {
    if let bytes = try unpacked() { return try take(bytes) }
    var bytes = try await readChunk(limit)
    if isAtStart {
      // What the first bytes mean must not depend on how many of them arrive together.
      while bytes.count < 3 {
        let more = try await readChunk(limit)
        if more.isEmpty { break }
        bytes += more
      }
      // ID1 and ID2 of gzip (RFC 1952, section 2.3.1).
      if bytes.starts(with: [0x1F, 0x8B]) { gunzip = Gunzip(limit: unpackedLimit) }
      isAtStart = false
    }
    bytesRead += bytes.count
    if let sha256 { bytes.withUnsafeBytes { sha256.update($0) } }
    if bytes.isEmpty {
      isAtEnd = true
      // The items behind the cut would leave the catalog.
      if let gunzip, !gunzip.isComplete {
        throw TesseraError.manifest(path: path, reason: "the gzip data is cut off")
      }
      try checked { reader throws(ListRejection) in try reader.end() }
      try rejectChanges()
      digest = sha256?.hexadecimal() ?? digest
      if let split = reader.lines.split {
        digest = split.manifestDigest
        guard digest != nil else {
          throw TesseraError.manifest(
            path: path, reason: "it is cut off or damaged; make it again with tessera split")
        }
      }
    } else if let gunzip {
      gunzip.add(bytes)
    } else {
      try take(bytes)
    }
  }

  private func unpacked() throws -> [UInt8]? {
    do throws(Gunzip.Failure) {
      return try gunzip?.next()
    } catch {
      let hint =
        error == .tooLarge
        ? ": more than \(Units.text(bytes: unpackedLimit)); if that is right, raise limits.unpacked-list in the pipeline file"
        : error == .tooDense ? "; unpack it yourself, if that is right" : ""
      throw TesseraError.manifest(path: path, reason: error.reason + hint)
    }
  }

  private func take(_ bytes: [UInt8]) throws {
    try checked { reader throws(ListRejection) in try reader.add(bytes) }
  }

  /// Half of one list and half of another would drop the items that are in neither half from the
  /// catalog.
  private func rejectChanges() throws {
    do throws(SystemError) {
      guard try file.hasChanged() else { return }
    } catch {
      throw TesseraError.manifest(path: path, reason: error.reason)
    }
    throw TesseraError.manifest(
      path: path,
      reason: "it changed while it was read; write a new file beside it and rename that")
  }

  private func readChunk(
    _ limit: ContinuousClock.Instant?
  ) async throws -> [UInt8] {
    let timer = limit.map { [file] limit in
      Task {
        try await Task.sleep(until: limit)
        file.stop()
      }
    }
    defer { timer?.cancel() }
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try await file.read(Self.chunk)
    } catch {
      throw TesseraError.manifest(path: path, reason: error.reason)
    }
    guard let bytes else {
      // The end of the run stopped it, or the timer, maybe that of an earlier read.
      try Task.checkCancellation()
      try checkTime(end)
      throw CancellationError()
    }
    return bytes
  }

  /// Returns a function that ends the manifest here, also for a reader that waits. Any thread may call
  /// it.
  nonisolated func stopper() -> @Sendable () -> Void {
    let file = file
    return { file.stop() }
  }
}

/// The rows of a query on a SQLite database as a list. A row's number is its line.
final class QueryStream: ManifestList {
  let path: String
  private let query: ListQuery
  private var reader: RowReader
  private let pool = BlockingPool(limit: 1)
  private var isAtEnd = false
  private(set) var lastLine = 0
  private let end: ContinuousClock.Instant?

  private static let batch = 1_000

  /// - Parameters:
  ///   - reader: decides about the entries.
  ///   - end: when the run ends, if it has a deadline.
  init(
    _ source: PipelineFile.ManifestQuery, _ reader: ManifestReader, end: ContinuousClock.Instant?
  ) throws {
    path = source.database
    self.end = end
    // SQLite follows no link, so that nothing is read in the place of what was named.
    guard let place = FileSystem.realPath(source.database) else {
      throw TesseraError.manifest(path: source.database, reason: "it does not exist")
    }
    do throws(ListQuery.Failure) {
      query = try ListQuery(place, sql: source.sql)
    } catch {
      throw TesseraError.manifest(path: source.database, reason: error.message)
    }
    do throws(ListRejection) {
      self.reader = try RowReader(columns: query.columns, reader)
    } catch {
      throw TesseraError.manifest(path: source.database, reason: error.reason)
    }
  }

  // A query has no bytes, and no row of it is known before it is read.
  let size: Int? = nil
  let bytesRead = 0
  let digest: String? = nil
  let shard: Shard? = nil
  let suggestedColumns: ColumnMapping? = nil
  var leftOut: LeftOutMembers { reader.lines.leftOut }
  var secrets: Int { reader.lines.secrets }
  var encoded: Int { reader.lines.encoded }
  var omitted: OmittedRows { reader.omitted }

  func wholeDigest() async throws -> String? { nil }
  func makeParts() {}
  func records(of part: ManifestChunk) -> [ManifestRecord] { reader.records(of: part) }

  func nextParts() async throws -> [ManifestChunk]? {
    var parts: [ManifestChunk] = []
    while parts.isEmpty, !isAtEnd {
      try Task.checkCancellation()
      let rows = try await nextRows()
      isAtEnd = rows.count < Self.batch
      var records: [ManifestRecord] = []
      for row in rows {
        lastLine += 1
        switch row {
        case .fields(let fields): records += reader.records(of: fields, line: lastLine)
        case .notUTF8(let column):
          do throws(ListRejection) {
            records.append(try reader.record(ofNoUTF8: column, line: lastLine))
          } catch {
            throw TesseraError.manifest(path: path, reason: error.reason)
          }
        }
      }
      parts = ManifestChunk.uncompared(records)
    }
    return parts.isEmpty ? nil : parts
  }

  private func nextRows() async throws -> [ListQuery.Row] {
    let timer = end.map { [query] end in
      Task {
        try await Task.sleep(until: end)
        query.interrupt()
      }
    }
    defer { timer?.cancel() }
    do throws(ListQuery.Failure) {
      return try await pool.run { [query] () throws(ListQuery.Failure) in try query.next(Self.batch)
      }
    } catch  where error.isInterrupted {
      try Task.checkCancellation()
      guard let end, end <= .now else { throw CancellationError() }
      throw TesseraError.manifest(path: path, reason: Self.late)
    } catch {
      throw TesseraError.manifest(path: path, reason: error.message)
    }
  }

  static let late = "the run's deadline (--deadline) passed before it was read to its end"

  nonisolated func stopper() -> @Sendable () -> Void {
    { [query] in query.interrupt() }
  }
}
