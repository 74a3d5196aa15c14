internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// The output of a run, as the tools use it. This is the one place that knows how an output is laid
/// out, apart from its catalog and its variants.
struct OutputFolder: Sendable {
  /// The published files.
  let published: DirectoryOutput

  init(_ root: String) throws(OutputToolError) {
    guard FileSystem.isDirectory(root) else {
      throw OutputToolError(
        "\"\(root)\" holds no catalog.json; it must be the output of a run")
    }
    published = try OutputToolError.wrap { try DirectoryOutput(root) }
  }

  /// The path, as the caller named it.
  var root: String { published.location }

  /// Takes the lock that runs take, until the result ends. Creates the private folder if needed.
  ///
  /// - Throws: ``OutputToolError``, with `isBusy` if another process holds the lock.
  func lock() throws(OutputToolError) -> OutputLock {
    try OutputToolError.wrap { try published.workspace().lock() }
  }

  /// The state; nil if no run has left one.
  func existingState() throws(OutputToolError) -> StateStore? {
    try OutputToolError.wrap {
      try published.workspaceWithState().map { try StateStore(path: $0.statePath()) }
    }
  }

  /// Opens the state, and creates one if there is none.
  func state() throws(OutputToolError) -> StateStore {
    try OutputToolError.wrap { try StateStore(path: published.workspace().statePath()) }
  }

  func list(_ folder: String) throws(OutputToolError) -> [OutputEntry] {
    try OutputToolError.wrap { try published.list(folder) }
  }

  func remove(_ path: String) throws(OutputToolError) {
    try OutputToolError.wrap { try published.delete(path) }
  }
}
