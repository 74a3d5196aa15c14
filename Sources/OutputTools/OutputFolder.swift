internal import TesseraFetch
internal import TesseraManifest
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// The output of a run, as the tools use it: a directory, or one in an object store. This is the one
/// place that knows how an output is laid out, apart from its catalog and its variants.
struct OutputFolder: Sendable {
  /// The published files.
  let published: any Output
  /// Nil for an object store.
  private let directory: DirectoryOutput?
  /// The directory of the state of an output in an object store.
  private let state: String?
  /// The path, as the caller named it.
  let root: String

  /// - Parameter state: the directory of the state of an output in an object store; nil if it is not
  ///   needed.
  init(_ root: String, state: String? = nil) throws(OutputToolError) {
    self.root = root
    self.state = state
    if let location = StoreLocation(root) {
      published = ObjectOutput(location, StoreSettings())
      directory = nil
      return
    }
    guard FileSystem.isDirectory(root) else {
      throw OutputToolError(
        "\"\(root)\" holds no catalog.json; it must be the output of a run")
    }
    guard state == nil else {
      throw OutputToolError(
        "\"\(root)\" is a directory and holds its own state; --state is for an output in an object "
          + "store")
    }
    let directory = try OutputToolError.wrap { try DirectoryOutput(root) }
    published = directory
    self.directory = directory
  }

  /// The private folder; created if it is missing.
  func workspace() throws(OutputToolError) -> Workspace {
    if let directory { return try OutputToolError.wrap { try directory.workspace() } }
    guard let state else {
      throw OutputToolError(
        "\"\(root)\" is in an object store; name the directory of its state (--state), which is "
          + "\"state\" in the pipeline file")
    }
    return try OutputToolError.wrap {
      Workspace(try Directory(state, creates: true), of: "the output \"\(root)\"")
    }
  }

  /// Takes the lock that runs take, until the result ends. Creates the private folder if needed.
  ///
  /// - Throws: ``OutputToolError``, with `isBusy` if another process holds the lock.
  func lock() throws(OutputToolError) -> OutputLock {
    let workspace = try workspace()
    return try OutputToolError.wrap { try workspace.lock() }
  }

  /// The states that may know an item, the newest first: that of runs of all items, and those of its
  /// shard.
  func existingStates(knowing id: String) throws(OutputToolError) -> [StateStore] {
    // Nothing is created for an output without a private folder.
    if let directory, !directory.hasWorkspace { return [] }
    let whole = try workspace()
    return try OutputToolError.wrap {
      let shards = try whole.shardCounts().compactMap { count in
        try whole.existingShard(Shard.index(of: id, among: count), of: count)
      }
      return try ([whole] + shards).filter(\.hasState)
        .sorted { $0.stateChange ?? 0 > $1.stateChange ?? 0 }
        .map { try StateStore(path: $0.statePath()) }
    }
  }

  /// Opens the state, and creates one if there is none.
  func openState() throws(OutputToolError) -> StateStore {
    let workspace = try workspace()
    return try OutputToolError.wrap { try StateStore(path: workspace.statePath()) }
  }

  func list(_ folder: String) async throws(OutputToolError) -> [OutputEntry] {
    try await OutputToolError.wrapAsync { try await published.list(folder) }
  }

  /// The paths of the results of shards.
  func shardResults() async throws(OutputToolError) -> [String] {
    // A directory that no shard has written to has no such folder.
    if let directory, !directory.root.exists(ShardHeader.folder) { return [] }
    var paths: [String] = []
    for folder in try await list(ShardHeader.folder) where folder.kind == .folder {
      let path = "\(ShardHeader.folder)/\(folder.name)"
      for entry in try await list(path) {
        // `3.jsonl`, and not `3.run.json` or the draft of one.
        guard case .file = entry.kind, entry.name.hasSuffix(".jsonl") else { continue }
        paths.append("\(path)/\(entry.name)")
      }
    }
    return paths
  }

  func remove(_ path: String) async throws(OutputToolError) {
    try await OutputToolError.wrapAsync { try await published.delete(path) }
  }
}
