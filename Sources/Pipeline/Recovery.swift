internal import TesseraCatalog
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// What a run believes of what earlier runs left behind, after something went wrong below them.
///
/// A killed process loses nothing that it wrote, because the system still has it. A machine that stops
/// loses what was not on the disk, and that may be a file's bytes without its name. So before a catalog
/// gets its name, everything that was written goes to the disk (syncfs(2)), and the files of a run that
/// did not get that far are compared with the digests in the state, once, if the machine was booted
/// since.
struct Recovery: Sendable {
  private let held: HeldOutput
  private var output: any Output { held.output }

  init(_ held: HeldOutput) { self.held = held }

  private static let batch = 500

  /// Examines the files of runs that ended together with the machine, and removes those that are not
  /// whole.
  ///
  /// - Parameter boot: the machine's boot id.
  /// - Returns: how many were removed.
  func removeUnwritten(_ state: StateStore, boot: String) async throws -> Int {
    guard try await state.hasDoubts(boot: boot) else { return 0 }
    var removed = 0
    var key = ""
    while true {
      let files = try await state.doubtful(boot: boot, after: key, limit: Self.batch)
      guard let last = files.last else { break }
      try Task.checkCancellation()
      key = last.key
      var (whole, broken): ([String], [String]) = ([], [])
      for file in files {
        if try await isWhole(file.file) { whole.append(file.key) } else { broken.append(file.key) }
      }
      try await state.forgetVariants(broken)
      try await state.endDoubts(of: whole)
      removed += broken.count
    }
    try await state.endDoubts(boot: boot)
    return removed
  }

  /// Removes the file if it is not whole.
  private func isWhole(_ file: VariantRecord?) async throws -> Bool {
    // A path that Tessera does not make is not Tessera's to remove.
    guard let file, FileName.parts(of: file.path) != nil else { return false }
    // A file that can't be read is as good as a broken one.
    if (try? await output.digest(of: file.path)) == file.sha256 { return true }
    try await output.delete(file.path)
    return false
  }

  /// Moves a damaged state out of the way. Returns a warning for the user.
  func setAside(_ error: StateError) async throws -> String {
    try await StateStore.replace(
      after: error, by: held.workspace.statePath(), aside: try await held.setStateAside())
  }
}
