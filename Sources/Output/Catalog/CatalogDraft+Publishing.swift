package import TesseraSystem

extension CatalogDraft {
  /// Replaces the catalog of an output, which is kept if it is another one.
  ///
  /// - Parameters:
  ///   - retention: how many earlier catalogs are kept, and for how long; nil if the current catalog must not be kept.
  ///   - now: in seconds since 1970.
  ///   - replaced: called when readers see the new one, whatever follows, with whether it is another one.
  package consuming func publish(
    keeping retention: CatalogRetention?, now: Double, replaced: (Bool) -> Void = { _ in }
  ) async throws(SystemError) {
    let digest = try end()
    do throws(SystemError) {
      try await replace(digest, keeping: retention, now: now, replaced)
    } catch {
      try await gate.settle(workspace)
      throw error
    }
    try await gate.settle(workspace)
  }

  private func replace(
    _ digest: String, keeping retention: CatalogRetention?, now: Double, _ replaced: (Bool) -> Void
  ) async throws(SystemError) {
    let output = gate.output
    let history = CatalogHistory(of: output, workspace)
    var list = try await history.eraseForgotten(gate)
    let current = try await CurrentCatalog(of: output)
    let next = KeptCatalog.path(digest: digest)
    if let retention {
      list = try await history.keep(current, in: list, before: next, retention, gate, now: now)
    }
    let pair = CatalogPair(of: output, workspace)
    var companions: [String: WorkFile] = [:]
    for screen in screens {
      companions[screen.first] = try pair.staged(
        screen.first, try await screen.publish(to: output, digest: digest))
    }
    try await gate.confirm()
    try output.keepCopy(staged, workspace)
    try await pair.replace(current, by: staged, companions: companions)
    replaced(current?.keptPath != next)
    try await history.followUp(retention, list)
  }
}
