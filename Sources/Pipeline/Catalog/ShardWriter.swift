internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// Writes the result of one shard, of which `tessera merge` makes a part of the catalog.
struct ShardWriter {
  let shard: Shard
  let file: PipelineFile
  let libvips: String
  let lines: ResultLines
  let output: any Output
  let workspace: Workspace

  /// - Parameters:
  ///   - manifest: SHA-256 of the whole manifest.
  ///   - report: what the run has counted.
  ///   - replaces: whether this run has written the result already.
  /// - Throws: also ``OutputError/overtaken(_:)``.
  func write(manifest: String?, _ report: RunReport, replaces: Bool = false) async throws {
    guard let manifest else {
      throw PipelineError.local("the manifest was not read to its end")
    }
    let head = CatalogHead(file, libvips: libvips)
    let header = ShardHeader(
      shard: shard.index, shards: shard.count, manifest: manifest,
      pipeline: Fingerprint.line(file), libvips: libvips, screens: file.screens,
      retention: CatalogRetention(file),
      lostAbove: file.lostAbove,
      head: String(decoding: head.line, as: UTF8.self), images: lines.count,
      counts: report.counts, problems: report.problemCount)
    let staged = workspace.staging("shard.jsonl")
    let target = try staged.open(.write)
    try target.write(header.line + [UInt8(ascii: "\n")])
    let gate = try await LineGate(of: output)
    let formats = header.formats
    try await lines.forEachResults { results in
      for result in results {
        try gate.expect(result.line.utf8)
        let bytes = ShardHeader.line(
          result.manifestLine, result.line.utf8, sha256: try await digests(of: result.line, formats)
        )
        try target.write(bytes + [UInt8(ascii: "\n")])
      }
    }
    let path = ShardHeader.path(shard.index, of: shard.count)
    try await gate.confirm()
    do {
      try await publish(staged, as: path, header, replaces: replaces)
      try await gate.confirm()
    } catch let error as SystemError where error.isOvertaken {
      try await output.delete(path)
      throw error
    }
  }

  /// SHA-256 of each file that a line names.
  private func digests(
    of line: String, _ formats: [CatalogFormat]
  ) async throws -> [String] {
    var digests: [String] = []
    for path in CatalogLine(line.utf8)?.files(formats)?.map(\.path) ?? [] {
      if let record = try await lines.state.file(at: path) {
        digests.append(record.sha256)
      } else {
        // A damaged state has lost its record.
        digests.append(try await output.digest(of: path))
      }
    }
    return digests
  }

  private func publish(
    _ staged: WorkFile, as path: String, _ header: ShardHeader, replaces: Bool
  ) async throws {
    if replaces { return try await output.write(path, staged: staged) }
    if try await output.create(path, staged: staged) { return }
    // Another run of this shard was faster, maybe on a machine that was taken for dead. Its result is
    // as good, if it is one of the same inputs.
    guard let other = try await ShardHeader.read(path, in: output), other.isOfSameInputs(as: header)
    else { throw OutputError.overtaken("shard \(shard) of the output \"\(output.location)\"") }
  }
}
