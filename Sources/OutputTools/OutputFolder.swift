internal import TesseraManifest
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

  /// The states that may know an item, the newest first: that of runs of all items, and those of its
  /// shard.
  func existingStates(knowing id: String) throws(OutputToolError) -> [StateStore] {
    try OutputToolError.wrap {
      let shards = try published.shardCounts().compactMap { count in
        try published.workspaceWithState(
          ofShard: Shard.index(of: id, among: count), of: count)
      }
      let workspaces = try [published.workspaceWithState()].compactMap(\.self) + shards
      return try workspaces.sorted { $0.stateChange ?? 0 > $1.stateChange ?? 0 }
        .map { try StateStore(path: $0.statePath()) }
    }
  }

  /// Opens the state, and creates one if there is none.
  func state() throws(OutputToolError) -> StateStore {
    try OutputToolError.wrap { try StateStore(path: published.workspace().statePath()) }
  }

  func list(_ folder: String) throws(OutputToolError) -> [OutputEntry] {
    try OutputToolError.wrap { try published.list(folder) }
  }

  /// The paths of the results of shards.
  func shardResults() throws(OutputToolError) -> [String] {
    guard published.root.exists(ShardHeader.folder) else { return [] }
    var paths: [String] = []
    for folder in try list(ShardHeader.folder) where folder.kind == .folder {
      let path = "\(ShardHeader.folder)/\(folder.name)"
      for entry in try list(path) {
        // `3.jsonl`, and not `3.run.json` or the draft of one.
        guard case .file = entry.kind, entry.name.hasSuffix(".jsonl") else { continue }
        paths.append("\(path)/\(entry.name)")
      }
    }
    return paths
  }

  func remove(_ path: String) throws(OutputToolError) {
    try OutputToolError.wrap { try published.delete(path) }
  }
}
