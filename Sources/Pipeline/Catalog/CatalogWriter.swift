internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem

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

/// Writes the catalog from the state, in the order of the manifest, a line for each image: the same
/// inputs give the same bytes.
struct CatalogWriter {
  let file: PipelineFile
  let libvips: String
  let tables: [String: [CatalogTable]]?
  let lines: any CatalogLines
  let output: any Output
  let workspace: Workspace

  /// - Parameters:
  ///   - now: in seconds since 1970.
  ///   - retention: how many earlier catalogs are kept, and for how long; nil if the current catalog must not be kept.
  ///   - replaced: called when readers see the new catalog, whatever follows, with whether it is another one.
  /// - Returns: its chunks.
  func write(
    now: Double, keeping retention: CatalogRetention?, replaced: (Bool) -> Void
  ) async throws -> ChunkList {
    let head = CatalogHead(file, libvips: libvips, tables: tables)
    // Staged and then renamed: a disk that is full, or a kill, leaves the old catalog as it is.
    var draft = try CatalogDraft(
      head: head.line, screens: file.screens, count: lines.count,
      through: try await LineGate(of: output), in: workspace)
    let chunks = try await lines.write(to: &draft)
    try await draft.publish(keeping: retention, now: now, replaced: replaced)
    return chunks
  }
}

extension CatalogRetention {
  init(_ file: PipelineFile) {
    self.init(
      count: max(file.keptCatalogs.count, file.catalogChanges),
      age: file.keptCatalogs.age.inSeconds, changes: file.catalogChanges)
  }
}

/// Everything in a catalog but its images: it follows from the pipeline file and the versions.
struct CatalogHead {
  /// As a JSON object without a line break, without what follows from the images.
  let line: [UInt8]

  /// - Parameter tables: of ready pixels; nil if the run makes none.
  init(_ file: PipelineFile, libvips: String, tables: [String: [CatalogTable]]? = nil) {
    let slots = file.plan.slots.map { slot in
      (slot.name, CatalogSlot(width: slot.width, height: slot.height, mode: slot.mode))
    }
    var head = Catalog(
      generator: .init(name: Version.name, version: Version.number, libvips: libvips),
      pipeline: .init(
        name: file.name, fingerprint: Fingerprint.pipeline(file)),
      baseURL: file.baseURL, formats: FileNames(file).formats,
      slots: Dictionary(slots) { first, _ in first },
      scales: file.plan.scales, images: [])
    head.tables = tables
    line = head.headLine(slotNames: file.plan.slots.map(\.name))
  }
}
