internal import TesseraJSON
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem

/// Writes a manifest as several, one for each shard: for manifests so long that reading all of it for
/// each shard would take longer than a part is worth.
struct ManifestSplitter {
  private let file: PipelineFile
  private let shards: [Shard]

  /// What the parts have in memory together, in bytes.
  private static let buffers = 64 << 20

  /// - Parameter file: its manifest is split; `base` and `fetch.ignore-query` decide on ids that the
  ///   manifest does not give.
  init(_ file: PipelineFile, count: Int) {
    self.file = file
    shards = (0..<count).compactMap { Shard($0, of: count) }
  }

  /// - Parameters:
  ///   - folder: gets a file for each shard: `0.jsonl`, `1.jsonl`, and so on. Must not exist.
  ///   - report: called for each line that can't be used. The part that has it reports it in its run.
  /// - Throws: ``TesseraError``, or `CancellationError`; then nothing is left of the folder.
  func split(
    into folder: String, report: (_ line: Int, _ message: String) -> Void
  ) async throws -> SplitReport {
    guard !FileSystem.exists(folder) else {
      throw TesseraError(
        .local, "\"\(folder)\" exists already", remedy: "name another folder, or remove it")
    }
    // Beside the target, where it is renamed when it is complete.
    let draft = try OpenDraft(folder)
    let path = draft.path
    try FileSystem.makeDirectory(path)
    var result = SplitReport(parts: shards.count)
    var parts = try shards.map { shard in
      try Part(shard, in: path, limit: Self.buffers / shards.count)
    }
    let stream = try await ManifestStream.open(file, needsDigest: true, isSplit: true)
    while let batch = try await stream.nextBatch() {
      try Task.checkCancellation()
      if let part = stream.shard {
        throw TesseraError.manifest(path: stream.path, reason: "it is a part already (\(part))")
      }
      for record in batch {
        switch record {
        case .entry(let entry):
          result.entries += 1
          try parts[Shard.index(of: entry.id, among: shards.count)].add(record)
        case .problem(let problem):
          result.problems += 1
          report(problem.line, problem.text)
          try parts[problem.line % shards.count].add(record)
        }
      }
    }
    guard result.entries > 0 || result.problems == 0, let digest = stream.digest else {
      throw TesseraError.manifest(path: stream.path, reason: "none of its lines can be used")
    }
    for index in parts.indices { try parts[index].finish(digest) }
    try draft.publish()
    return result
  }
}

/// What `split` wrote.
struct SplitReport: Sendable, JSONDocument {
  let schema = "tessera-split-report/1"
  let parts: Int
  var entries = 0
  var problems = 0

  private enum CodingKeys: String, CodingKey {
    case schema, parts, entries
    case problems = "manifestProblems"
  }
}

/// The file of one shard. It is open only while it is written to: there may be more shards than a process
/// may have files.
private struct Part {
  private var manifest: SplitManifest
  private let path: String
  private let limit: Int
  private var buffer: [UInt8]

  init(_ shard: Shard, in folder: String, limit: Int) throws {
    manifest = SplitManifest(shard)
    path = FileSystem.join(folder, "\(shard.index).jsonl")
    self.limit = min(max(limit, 4 << 10), 1 << 20)
    buffer = manifest.firstLine
    let path = path
    _ = try File(path, .create)
  }

  mutating func add(_ record: ManifestRecord) throws {
    buffer += manifest.line(record)
    if buffer.count >= limit { try flush() }
  }

  mutating func finish(_ digest: String) throws {
    buffer += manifest.lastLine(manifestDigest: digest)
    try flush()
  }

  private mutating func flush() throws {
    let (path, bytes) = (path, buffer)
    try File(path, .append).write(bytes)
    buffer.removeAll(keepingCapacity: true)
  }
}
