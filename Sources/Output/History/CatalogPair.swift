internal import TesseraSystem

/// A catalog and its companions, the first documents of its screens, which readers see together: if one can't be replaced, the
/// others stay, too.
struct CatalogPair {
  private let output: any Output
  private let workspace: Workspace

  init(of output: any Output, _ workspace: Workspace) {
    (self.output, self.workspace) = (output, workspace)
  }

  /// A companion in a staged file.
  func staged(_ path: String, _ bytes: [UInt8]) throws(SystemError) -> WorkFile {
    let staged = workspace.staging(path.replacing("/", with: "-"))
    try staged.open(.write).write(bytes)
    return staged
  }

  /// Replaces all by staged files: nothing is written in between that a full disk could prevent.
  ///
  /// - Parameters:
  ///   - current: nil if there is none.
  ///   - companions: by their paths; others are deleted.
  func replace(
    _ current: CurrentCatalog?, by catalog: WorkFile, companions: [String: WorkFile]
  ) async throws(SystemError) {
    var before: [String: WorkFile] = [:]
    for path in try await ScreenFolder.firsts(in: output) {
      before[path] = try await copy(of: path)
    }
    do throws(SystemError) {
      // First: who reads the catalog may look for its screens.
      try await write(companions, replacing: before)
      try await output.write(CurrentCatalog.path, staged: catalog)
    } catch {
      // As far as that is possible; `verify` finds those that do not belong together. A call that failed may have replaced
      // the catalog.
      if try await CurrentCatalog(of: output)?.digest == current?.digest {
        try? await write(before, replacing: companions)
      }
      throw error
    }
    for copy in before.values { try copy.remove() }
  }

  private func write(
    _ companions: [String: WorkFile], replacing others: [String: WorkFile]
  ) async throws(SystemError) {
    for path in companions.keys.sorted() {
      if let staged = companions[path] { try await output.write(path, staged: staged) }
    }
    for path in others.keys.sorted() where companions[path] == nil {
      try await output.delete(path)
    }
  }

  /// A staged copy of a present companion.
  private func copy(of path: String) async throws(SystemError) -> WorkFile {
    let copy = workspace.staging("before-" + path.replacing("/", with: "-"))
    try copy.open(.write).write(try await output.document(path) ?? [])
    return copy
  }
}
