internal import TesseraJSON
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem

enum SplitCommand: Command {
  static let name = "split"
  static let summary = "divide a very long manifest among shards"

  private static let pipeline = Option(
    "--pipeline", "PATH", "the pipeline file, if ids or URLs follow from its base or ignore-query",
    completes: .files)

  static let syntax = Syntax(
    [.one("MANIFEST", .files), .one("N"), .one("DIR", .folders)],
    text: """
      Writes DIR/0.jsonl to DIR/N-1.jsonl, each with the lines of one shard: give each to run --shard
      with --manifest. Without split, each shard reads the whole manifest, and takes its own lines.
      MANIFEST is a path, a URL, or - for standard input. DIR must not exist. Lines that can't be used
      are reported by their shards, too.
      """,
    options: [pipeline],
    example: Example(
      "tessera split feed.jsonl 8 parts", "Eight manifests, parts/0.jsonl to parts/7.jsonl."),
    statuses: [
      ExitMeaning(.done, "written"),
      ExitMeaning(.someFailed, "written, but some lines can't be used"),
      ExitMeaning(.failed, "could not be written"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    guard let manifest = PipelineFile.Manifest(arguments.operands[0], directory: "") else {
      throw UsageError("MANIFEST must be \(PipelineFile.Manifest.expected)")
    }
    guard let count = Int(arguments.operands[1]), (1...100_000).contains(count) else {
      throw UsageError("N must be a whole number from 1 to 100000")
    }
    let file =
      try arguments.value(pipeline).map {
        try PipelineFile.load($0, manifest: manifest, output: nil)
      }
      ?? PipelineFile(reading: manifest)
    let folder = try LocalPath.operand(arguments.operands[2], "DIR")
    let isJSON = arguments.has(CommonFlag.json)
    let report = try await ManifestSplitter(file, count: count).split(into: folder) {
      line, message in
      if !isJSON { Console.line("line \(line): \(message)") }
    }
    if isJSON {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      Console.line(
        "\(Amount.count(report.entries, "item")) in \(Amount.count(count, "part"))"
          + (report.problems > 0 ? ", \(Amount.count(report.problems, "line")) can't be used" : ""))
      Console.line(folder)
    }
    return report.problems == 0 ? .done : .someFailed
  }
}

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
