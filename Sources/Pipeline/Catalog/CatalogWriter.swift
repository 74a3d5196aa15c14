internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

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
