package import TesseraSystem

extension CatalogHistory {
  /// Makes a kept catalog the current one, in the order in which a run publishes. The one that was
  /// current is kept.
  package func rollBack(to kept: KeptCatalog, now: Double) async throws(SystemError) {
    let gate = try await LineGate(of: output)
    do throws(SystemError) {
      try await replace(by: kept, gate, now: now)
    } catch {
      try await gate.settle(workspace)
      throw error
    }
    try await gate.settle(workspace)
  }

  private func replace(
    by kept: KeptCatalog, _ gate: LineGate, now: Double
  ) async throws(SystemError) {
    let before = try await Self.kept(in: output)
    let retention =
      before?.retention ?? CatalogRetention(count: 1, age: CatalogRetention.usualAge)
    try await expect(kept, gate)
    // Both are staged before either is replaced: a disk that is full leaves the current ones.
    let catalog = try await staged(kept.path, as: "rollback.catalog")
    var companions: [String: WorkFile] = [:]
    for (companion, path) in kept.companions {
      companions[companion] = try await staged(
        path, as: "rollback-" + companion.replacing("/", with: "-"))
    }
    let current = try await CurrentCatalog(of: output)
    let list = try await keep(
      current, in: before, before: kept.path, retention, gate, now: now)
    try await gate.confirm()
    try await CatalogPair(of: output, workspace).replace(
      current, by: catalog, companions: companions)
    try await followUp(retention, list)
  }

  /// - Throws: if a kept catalog has an image that was forgotten, which it has not any more.
  private func expect(_ kept: KeptCatalog, _ gate: LineGate) async throws(SystemError) {
    guard !gate.isEmpty else { return }
    var texts = CatalogTexts(kept.path, in: output)
    while let text = try await texts.next() {
      guard !gate.admits(text) else { continue }
      // A file that was put back is not what the list says of it.
      try await gate.eraseForgotten(workspace)
      try gate.expect(text)
    }
  }

  /// Takes forgotten images out of all documents, unless the list says that this was done for these marks: a `forget` that
  /// was killed leaves them there, and so does a backup that is put back.
  ///
  /// - Returns: the list as it is then.
  @discardableResult
  package func eraseForgotten(_ gate: LineGate) async throws(SystemError) -> KeptCatalogs? {
    let kept = try await Self.kept(in: output)
    guard gate.digest != kept?.marks ?? "" else { return kept }
    try await gate.eraseForgotten(workspace)
    return try await Self.kept(in: output)
  }
}
