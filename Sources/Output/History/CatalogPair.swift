internal import TesseraSystem

/// A catalog and the index of its pages, which readers see together: if one can't be replaced, the other stays, too.
struct CatalogPair {
  private let output: any Output
  private let workspace: Workspace

  init(of output: any Output, _ workspace: Workspace) {
    (self.output, self.workspace) = (output, workspace)
  }

  /// Replaces both by staged files: nothing is written between the two that a full disk could prevent.
  ///
  /// - Parameter index: nil for a catalog without pages.
  func replace(
    _ form: CatalogForm, by catalog: WorkFile, index: WorkFile?
  ) async throws(SystemError) {
    let before = try await copyOfIndex()
    do throws(SystemError) {
      // First: who reads the catalog may look for its pages.
      if let index {
        try await output.write(CatalogPages.index, staged: index)
      } else {
        try await output.delete(CatalogPages.index)
      }
      try await output.write(form.name, staged: catalog)
    } catch {
      // As far as that is possible; `verify` finds two that do not belong together.
      try? await settle(before)
      throw error
    }
    try before?.remove()
  }

  /// After a call that failed, but may have replaced its file: the index becomes that of the current catalog again.
  private func settle(_ before: WorkFile?) async throws(SystemError) {
    let current = try await CurrentCatalog(of: output)?.digest
    guard try await CatalogPages.catalogDigest(in: output) != current else { return }
    if let before {
      try await output.write(CatalogPages.index, staged: before)
    } else {
      try await output.delete(CatalogPages.index)
    }
  }

  /// A staged copy of the present index; nil if there is none.
  private func copyOfIndex() async throws(SystemError) -> WorkFile? {
    guard let size = try await output.size(of: CatalogPages.index) else { return nil }
    let copy = workspace.staging("index.before")
    try copy.open(.write).write(try await output.read(CatalogPages.index, size, at: 0))
    return copy
  }
}
