internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// The output of a run, as the tools use it. This is the one place that knows how an output is laid
/// out, apart from its catalog and its variants.
struct OutputFolder: Sendable {
  /// The path, as the caller named it.
  let root: String

  init(_ root: String) { self.root = root }

  /// Takes the lock that runs take, until the result ends. Creates the private folder if needed.
  ///
  /// - Throws: ``OutputToolError``, with `isBusy` if another process holds the lock.
  func lock() throws(OutputToolError) -> OutputLock {
    try OutputToolError.wrap { try DirectoryOutput(root).workspace.lock() }
  }

  /// Whether a run has left its state here.
  var hasState: Bool { DirectoryOutput(root).workspace.hasState }

  /// Opens the state, and creates one if there is none.
  func state() throws(OutputToolError) -> StateStore {
    try OutputToolError.wrap { try StateStore(path: DirectoryOutput(root).workspace.statePath) }
  }

  /// The published files.
  var published: any Output { DirectoryOutput(root) }

  func list(_ folder: String) throws(OutputToolError) -> [OutputEntry] {
    try OutputToolError.wrap { try published.list(folder) }
  }

  func remove(_ path: String) throws(OutputToolError) {
    try OutputToolError.wrap { try published.delete(path) }
  }
}
