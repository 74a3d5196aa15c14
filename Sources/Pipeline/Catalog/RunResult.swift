internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState

/// What a run publishes: a catalog, or the result of a shard.
struct RunResult: Sendable {
  let file: PipelineFile
  let libvips: String
  var tables: [String: [CatalogTable]]?
  let lines: any CatalogLines
  /// Nil for a run that writes a catalog.
  let shard: ShardResult?

  /// What the result of a shard has besides.
  struct ShardResult: Sendable {
    let shard: Shard
    let lines: RunLines
    let state: StateStore
    /// The digest of the whole manifest.
    let manifest: String?
  }

  /// - Parameters:
  ///   - now: in seconds since 1970.
  ///   - replaces: whether this run has published a result already.
  ///   - retention: how many earlier catalogs are kept, and for how long; nil if the current catalog must not be kept.
  ///   - replaced: called when readers see the new catalog, whatever follows, with whether it is another one.
  /// - Returns: the chunks of the document.
  func publish(
    _ report: RunReport, to output: any Output, _ workspace: Workspace, now: Double, replaces: Bool,
    keeping retention: CatalogRetention?, replaced: (Bool) -> Void
  ) async throws -> ChunkList {
    if let shard {
      let writer = ShardWriter(
        shard: shard.shard, file: file, libvips: libvips, lines: shard.lines, state: shard.state,
        output: output,
        workspace: workspace)
      return try await writer.write(manifest: shard.manifest, report, replaces: replaces)
    }
    let writer = CatalogWriter(
      file: file, libvips: libvips, tables: tables, lines: lines, output: output,
      workspace: workspace)
    return try await writer.write(now: now, keeping: retention, replaced: replaced)
  }
}
