internal import TesseraBytes
internal import TesseraFetch
package import TesseraManifest
package import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// A manifest's records, read on demand: ten million lines need no more memory than ten. gzip is
/// recognized by its first bytes.
package final class ManifestStream {
  private static let chunk = 64 * 1024
  /// Records that are returned together.
  private static let batch = 1_000

  /// The path or URL, without secrets.
  package let path: String
  private let file: InputReader
  private var gunzip: Gunzip?
  private var reader: ManifestReader
  /// How the manifest's URLs are shown.
  let shown: ShownURLs
  /// Unpacked bytes that the reader has not seen.
  private var rest: ArraySlice<UInt8> = []
  private var isAtStart = true
  /// The unpacked bytes so far, as long as they are only blanks.
  private var head: [UInt8] = []
  private var isHeadStart = true
  private var isShapeKnown = false
  private var isAtEnd = false
  private var makesParts = false
  /// When the run ends, if it has a deadline: after it, no record is waited for longer than the grace.
  private var end: ContinuousClock.Instant?
  private static let grace = Duration.seconds(1)
  /// The size in bytes, if it is known, and the bytes read so far.
  package var size: Int? { file.size }
  package private(set) var bytesRead = 0
  private let sha256: SHA256?
  /// SHA-256 of the whole manifest's bytes; nil before the end, and unless it was requested.
  package private(set) var digest: String?
  /// The part of a manifest that this is; nil for a whole one, and before the first record.
  package var shard: Shard? { reader.split?.shard }

  /// Opens the manifest of a pipeline. One at a URL is fetched first.
  ///
  /// - Parameters:
  ///   - directory: where a fetched manifest is kept until it is read.
  ///   - isSplit: whether entries keep all members, which the runs of their parts then select from.
  package static func open(
    _ pipeline: PipelineFile, in directory: String = FileSystem.temporaryDirectory,
    end: ContinuousClock.Instant? = nil, needsDigest: Bool = false, isSplit: Bool = false
  ) async throws -> ManifestStream {
    let stream = try await opened(pipeline, in: directory, end: end, needsDigest)
    if isSplit { stream.reader = Self.reader(of: pipeline, stream.shown, extra: nil) }
    stream.end = end
    return stream
  }

  private static func opened(
    _ pipeline: PipelineFile, in directory: String, end: ContinuousClock.Instant?,
    _ needsDigest: Bool
  ) async throws -> ManifestStream {
    switch pipeline.manifest {
    case .standardInput:
      let file = try PipelineError.wrap { try File.standardInput() }
      return ManifestStream(file, path: "-", of: pipeline, needsDigest)
    case .url(let url):
      let file = try await ManifestDownload(url, of: pipeline, end: end).file(in: directory)
      return ManifestStream(file, path: pipeline.shown(url), of: pipeline, needsDigest)
    case .object(let text):
      guard let download = ObjectDownload(text, pipeline.store.settings) else {
        throw PipelineError.manifest(path: text, reason: "it must be s3://bucket/key")
      }
      let file = try await download.file(in: directory)
      return ManifestStream(file, path: text, of: pipeline, needsDigest)
    case .file(let path):
      // A directory can be opened, but not read.
      if FileSystem.isDirectory(path) {
        throw PipelineError.manifest(path: path, reason: "it is a directory")
      }
      do throws(SystemError) {
        // A named pipe without a writer would block the call that opens it, without end.
        let file = try File(path, .readWithoutWaiting)
        return ManifestStream(file, path: path, of: pipeline, needsDigest)
      } catch {
        let hint =
          error.isMissingFile
          ? "; write one, with a URL on each line, or correct \"manifest\" in the pipeline file"
          : ""
        throw PipelineError.manifest(path: path, reason: error.reason + hint)
      }
    }
  }

  private init(
    _ file: consuming File, path: String, of pipeline: PipelineFile, _ needsDigest: Bool
  ) {
    self.path = path
    sha256 = needsDigest ? SHA256() : nil
    self.file = InputReader(file)
    shown = pipeline.shownURLs
    reader = Self.reader(of: pipeline, shown, extra: pipeline.extra)
  }

  private static func reader(
    of pipeline: PipelineFile, _ shown: ShownURLs, extra: ExtraMembers?
  ) -> ManifestReader {
    ManifestReader(
      shown: shown,
      resolve: pipeline.base.map { base in
        { @Sendable reference in URLReference.resolve(reference, against: base) }
      }, extra: extra, requiresIDs: pipeline.urls == .none)
  }

  /// What the records so far say that does not become public.
  package var leftOut: LeftOutMembers { reader.leftOut }
  /// How many of their URLs have secrets, which are not shown.
  package var secrets: Int { reader.secrets }
  /// How many of their URLs had to be encoded.
  package var encoded: Int { reader.encoded }

  /// SHA-256 of the whole manifest's bytes, before any is read; nil if it can be read only once, or is being written.
  func wholeDigest() async throws(PipelineError) -> String? {
    do throws(SystemError) {
      let digest = try await file.digest()
      return try file.hasChanged() ? nil : digest
    } catch {
      throw .system(error)
    }
  }

  /// The next records, or nil at the end.
  package func nextBatch() async throws -> [ManifestRecord]? {
    try await nextParts().map { $0.flatMap(records(of:)) }
  }

  /// Has parts have digests. Not those of a list that a program writes meanwhile: no line of it waits for the next one.
  func makeParts() { makesParts = file.size != nil }

  /// The records of a part, which are decoded once.
  func records(of part: ManifestPart) -> [ManifestRecord] { reader.records(of: part) }

  private func readParts() -> [ManifestPart] {
    makesParts
      ? reader.parts(&rest, limit: Self.batch)
      : ManifestPart.uncompared(reader.read(&rest, limit: Self.batch))
  }

  private func lastParts() -> [ManifestPart] {
    makesParts ? reader.finishParts() : ManifestPart.uncompared(reader.finish())
  }

  /// The next records in parts, or nil at the end.
  func nextParts() async throws -> [ManifestPart]? {
    let limit = end.map { max($0, .now).advanced(by: Self.grace) }
    var parts = readParts()
    while parts.isEmpty && !isAtEnd {
      // What has no record in it takes time, too: a small gzip file holds gigabytes of line ends.
      try Task.checkCancellation()
      try checkTime(limit)
      await Task.yield()
      try await fill(limit)
      parts = readParts()
    }
    if parts.isEmpty { parts = lastParts() }
    return parts.isEmpty ? nil : parts
  }

  private func checkTime(_ limit: ContinuousClock.Instant?) throws(PipelineError) {
    guard let limit, limit <= .now else { return }
    throw .manifest(
      path: path, reason: "the run's deadline (--deadline) passed before it was read to its end")
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
      if bytes.starts(with: [0x1F, 0x8B]) { gunzip = Gunzip() }
      isAtStart = false
    }
    bytesRead += bytes.count
    if let sha256 { bytes.withUnsafeBytes { sha256.update($0) } }
    if bytes.isEmpty {
      isAtEnd = true
      // The items behind the cut would leave the catalog.
      if let gunzip, !gunzip.isComplete {
        throw PipelineError.manifest(path: path, reason: "the gzip data is cut off")
      }
      try check(isEnd: true)
      try refuseChanges()
      digest = sha256?.hexadecimal()
      if let split = reader.split {
        digest = split.manifestDigest
        guard digest != nil else {
          throw PipelineError.manifest(
            path: path, reason: "it is cut off or damaged; make it again with tessera split")
        }
      }
    } else if let gunzip {
      gunzip.add(bytes)
    } else {
      try take(bytes)
    }
  }

  private func unpacked() throws(PipelineError) -> [UInt8]? {
    do throws(Gunzip.Failure) {
      return try gunzip?.next()
    } catch {
      throw .manifest(path: path, reason: "damaged gzip data: \(error.message)")
    }
  }

  private func take(_ bytes: [UInt8]) throws(PipelineError) {
    guard isShapeKnown else {
      head += bytes
      return try check(isEnd: false)
    }
    rest = bytes[...]
  }

  /// Examines the first bytes and passes them on.
  private func check(isEnd: Bool) throws(PipelineError) {
    guard !isShapeKnown, isEnd || head.count >= 3 else { return }
    switch ManifestReader.shape(of: head, isStart: isHeadStart) {
    case .refused(let reason): throw .manifest(path: path, reason: reason)
    case .list: isShapeKnown = true
    case .unknown: break
    }
    rest = head[...]
    head = []
    isHeadStart = false
  }

  /// Half of one list and half of another would drop the items that are in neither half from the
  /// catalog.
  private func refuseChanges() throws(PipelineError) {
    do throws(SystemError) {
      guard try file.hasChanged() else { return }
    } catch {
      throw .manifest(path: path, reason: error.reason)
    }
    throw .manifest(
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
      throw PipelineError.manifest(path: path, reason: error.reason)
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
  package nonisolated func stopper() -> @Sendable () -> Void {
    let file = file
    return { file.stop() }
  }
}
