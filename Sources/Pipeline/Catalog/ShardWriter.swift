internal import TesseraBytes
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
  let lines: RunLines
  let state: StateStore
  let output: any Output
  let workspace: Workspace

  /// - Parameters:
  ///   - manifest: SHA-256 of the whole manifest.
  ///   - report: what the run has counted.
  ///   - replaces: whether this run has written the result already.
  /// - Returns: the chunks of the result.
  /// - Throws: also ``TesseraError`` of the code `lost`.
  func write(
    manifest: String?, _ report: RunReport, replaces: Bool = false
  ) async throws -> ChunkList {
    guard let manifest else {
      throw TesseraError(.local, "the manifest was not read to its end")
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
    var written = header.line.count + 1
    let chunks = try await lines.writeChunks { lines, numbers in
      var part: [UInt8] = []
      for (number, line) in zip(numbers, CatalogDocument.lines(lines)) {
        try gate.expect(line)
        part += ShardHeader.line(number, line, sha256: try await digests(of: line, formats))
        part.append(UInt8(ascii: "\n"))
      }
      try target.write(part)
      defer { written += part.count }
      return (written..<written + part.count, CRC32.of(part))
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
    return chunks
  }

  /// SHA-256 of each file that a line names.
  private func digests(
    of line: ArraySlice<UInt8>, _ formats: [CatalogFormat]
  ) async throws -> [String] {
    var digests: [String] = []
    for path in CatalogLine(line)?.files(formats)?.map(\.path) ?? [] {
      if let record = try await state.file(at: path) {
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
    else { throw TesseraError.overtaken("shard \(shard) of the output \"\(output.location)\"") }
  }
}
