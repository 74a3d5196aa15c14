internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState

/// Reads the manifest of a run, or of a look at the next one, to its end.
struct ManifestReading: Sendable {
  let runContext: RunContext
  let checks: RunChecks
  /// Whose items are read; nil for all.
  let shard: Shard?
  /// Selects the items that the run is for; nil for all.
  let selection: EntrySelection?

  /// The entries, whose ids `ledger` remembers: the state of the run, which has its lines, too; another one if nothing is
  /// changed.
  func entries(_ manifest: ManifestStream, ledger: StateStore? = nil) -> EntryStream {
    if runContext.chunks != nil || selection?.needsParts == true { manifest.makeParts() }
    return EntryStream(
      manifest, runContext.file.fetch, ledger: ledger ?? runContext.state,
      run: ledger == nil ? runContext.run : 1, standing: runContext.standing,
      chunks: runContext.chunks, claims: runContext.claims,
      lines: ledger == nil ? runContext.lines : nil,
      filter: ShardFilter(shard: shard, hasUnboundHeaders: runContext.file.fetch.hasUnboundHeaders),
      forgotten: checks.forgotten, selection: selection)
  }

  /// Has all entries taken, in batches, until `take` returns false.
  func read(
    _ entries: inout EntryStream, _ take: ([EntryStream.Record]) async throws -> Bool
  ) async throws {
    while true {
      // Before `next`, which looks items up: items that end meanwhile may have changed a source.
      runContext.turns.beginVerdicts()
      guard let batch = try await entries.next() else { break }
      guard try await take(batch) else { return }
    }
    runContext.turns.endVerdicts()
  }

  /// What is to be said of a manifest that was read to its end.
  ///
  /// - Throws: if the run does not accept it.
  func check(_ entries: EntryStream, _ manifest: ManifestStream) async throws -> [String] {
    try checks.check(entries, manifest, runContext.claims)
    return try await selection?.check(runContext.output, checks.forgotten) ?? []
  }
}
