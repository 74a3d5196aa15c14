internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraPipelineFile

/// Writes the catalog from the state, in the order of the manifest, a line for each image: the same
/// inputs give the same bytes.
struct CatalogWriter {
  let file: PipelineFile
  let libvips: String
  let tables: [String: [CatalogTable]]?
  let lines: ResultLines
  let output: any Output
  let workspace: Workspace

  /// - Parameter now: in seconds since 1970.
  func write(now: Double) async throws {
    let head = CatalogHead(file, libvips: libvips, tables: tables)
    // Staged and then renamed: a disk that is full, or a kill, leaves the old catalog as it is.
    var draft = try CatalogDraft(
      head.form, head: head.line, count: lines.count,
      pages: file.catalogPages.map { (size: $0, head: head.pageLine) }, in: workspace)
    try await lines.forEachLine { try draft.add(Array($0.line.utf8)) }
    try await draft.publish(to: output, keeping: file.keepCatalogs, now: now)
  }
}
