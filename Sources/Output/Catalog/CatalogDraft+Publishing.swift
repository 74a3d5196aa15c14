package import TesseraSystem

extension CatalogDraft {
  /// Replaces the catalog of an output, which is kept if it is another one.
  ///
  /// - Parameters:
  ///   - retention: how many earlier catalogs are kept, and for how long; nil if the current one is none to go back to.
  ///   - now: in seconds since 1970.
  ///   - replaced: called when readers see the new one, whatever follows, with whether it is another one.
  package consuming func publish(
    keeping retention: CatalogRetention?, now: Double, replaced: (Bool) -> Void = { _ in }
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
    _ sum: String, keeping retention: CatalogRetention?, now: Double, _ replaced: (Bool) -> Void
  ) async throws(SystemError) {
    let output = gate.output
    let history = CatalogHistory(of: output, workspace)
    var list = try await history.eraseForgotten(gate)
    let current = try await CurrentCatalog(of: output)
    let next = KeptCatalog.path(digest: sum, form)
    if let retention {
      list = try await history.keep(current, in: list, before: next, retention, gate, now: now)
    }
    let pair = CatalogPair(of: output, workspace)
    var companions: [String: WorkFile] = [:]
    for part in parts {
      for (path, bytes) in try await part.publish(to: output, digest: sum) {
        companions[path] = try pair.staged(path, bytes)
      }
    }
    try await gate.confirm()
    try await pair.replace(current, by: staged, form, companions: companions)
    replaced(current?.keptPath != next)
    try await history.followUp(form, retention, list)
  }
}
