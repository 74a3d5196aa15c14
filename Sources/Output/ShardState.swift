internal import TesseraNet
internal import TesseraSystem

/// The state of one shard of an output that this process holds as a whole: no shard runs meanwhile.
package struct ShardState: Sendable {
  /// For SQLite.
  package let path: String
  private let workspace: Workspace
  private let write: @Sendable () async throws -> Void
  private let keep: @Sendable (WorkFile) async throws -> String
  private let copy: TemporaryDirectory?

  fileprivate init(
    of workspace: Workspace, copy: TemporaryDirectory? = nil,
    write: @escaping @Sendable () async throws -> Void,
    keep: @escaping @Sendable (WorkFile) async throws -> String
  ) throws(SystemError) {
    path = try workspace.statePath()
    (self.workspace, self.copy, self.write, self.keep) = (workspace, copy, write, keep)
  }

  /// Writes a changed state back to where it belongs, once no process has it open.
  package func save() async throws { try await write() }

  /// Moves a damaged state out of the way. Returns its new path on this machine, and its name for the user.
  package func setAside() async throws -> (path: String, name: String) {
    let path = try workspace.setStateAside()
    return (path, try await keep(workspace.damagedState))
  }
}

extension HeldOutput {
  /// The workspaces on this machine: that of the output, and those of its shards.
  package func workspaces() throws -> [Workspace] {
    [workspace] + (try workspace.shards())
  }

  /// The states of all shards.
  package func shardStates() async throws -> [ShardState] {
    if let stored { return try await stored.shardStates() }
    return try workspace.shards().filter(\.hasState).map { shard in
      let aside = try shard.statePath() + ".damaged"
      return try ShardState(of: shard) {
      } keep: { _ in
        aside
      }
    }
  }

  /// Removes damaged states that were kept, of the output and of its shards.
  package func removeDamagedStates() async throws {
    for workspace in try workspaces() {
      try workspace.removeDamagedStates()
    }
    try await stored?.removeDamaged()
  }
}

extension StoredState {
  /// Copies of the states of all shards. The lock of the whole output is held, so no shard changes them.
  fileprivate func shardStates() async throws -> [ShardState] {
    var states: [ShardState] = []
    for location in try await objects(named: StoredState.stateName) {
      let copy = try TemporaryDirectory()
      let workspace = Workspace(try Directory(copy.path), of: "a copy of the state")
      let file = StoredStateFile(client: client, location: location)
      guard
        let found = try await call({ _ in
          try file.read(to: workspace.stateFile)
        })
      else { continue }
      states.append(
        try ShardState(of: workspace, copy: copy) { [self] in
          let etag = try await call { _ in
            try file.write(workspace.stateFile, after: found.etag)
          }
          if etag == nil { throw TesseraError.lost("\"\(location)\"") }
        } keep: { [self] file in
          try await keepDamaged(file, of: location)
        })
    }
    return states
  }

  fileprivate func removeDamaged() async throws {
    let name = "\(StoredState.stateName).damaged"
    let locations =
      [output.appending("\(StoredState.root)/\(name)")] + (try await objects(named: name))
    try await call { state in
      for location in locations { try state.client.delete(location) }
    }
  }

  /// Objects of this name in the folders of shards.
  private func objects(named name: String) async throws -> [StoreLocation] {
    try await call { state in
      try state.client.locations(below: state.output.appending(StoredState.shardFolder))
        .filter { $0.key.hasSuffix("/\(name)") }
    }
  }
}
