package import TesseraSystem

extension CatalogDraft {
  /// Replaces the catalog of an output, which is kept if it is another one.
  ///
  /// - Parameters:
  ///   - retention: how many earlier catalogs are kept, and for how long; nil if the current one is none to go back to.
  ///   - now: in seconds since 1970.
  ///   - replaced: called when readers see the new one, whatever follows.
  package consuming func publish(
    keeping retention: CatalogRetention?, now: Double, replaced: () -> Void = {}
  ) async throws(SystemError) {
    let sum = try end()
    do throws(SystemError) {
      try await replace(sum, keeping: retention, now: now, replaced)
    } catch {
      try await gate.settle(workspace)
      throw error
    }
    try await gate.settle(workspace)
  }

  private func replace(
    _ sum: String, keeping retention: CatalogRetention?, now: Double, _ replaced: () -> Void
  ) async throws(SystemError) {
    let output = gate.output
    let history = CatalogHistory(of: output, workspace)
    try await history.eraseForgotten(gate)
    if let retention {
      try await history.keepCurrent(
        before: KeptCatalog.path(digest: sum, form), retention, gate, now: now)
    }
    let pair = CatalogPair(of: output, workspace)
    var companions: [String: WorkFile] = [:]
    for part in parts {
      for (path, bytes) in try await part.publish(to: output, digest: sum) {
        companions[path] = try pair.staged(path, bytes)
      }
    }
    try await gate.confirm()
    try await pair.replace(form, by: staged, companions: companions)
    replaced()
    try await form.deleteOthers(in: output)
    try await history.removeUnlisted()
    // That of the publication before, if the current catalog is none to go back to.
    let known = try await CatalogHistory.kept(in: output)?.retention
    if let retention = retention ?? known {
      try await CatalogPatches(of: output, workspace).write(retention)
    }
  }
}
