package import TesseraManifest
package import TesseraNet
internal import TesseraSystem

/// The state of an output, to be read beside runs: the state itself, or a copy of one that is in a store, which is
/// removed together with this value.
package struct ReadableState: Sendable {
  /// For SQLite.
  package let path: String
  /// When it was last written, in seconds since 1970.
  let changed: Double
  private let copy: TemporaryDirectory?

  fileprivate init(_ workspace: Workspace) throws(SystemError) {
    path = try workspace.statePath()
    changed = workspace.stateChange ?? 0
    copy = nil
  }

  fileprivate init(_ workspace: Workspace, changed: Double, _ copy: TemporaryDirectory)
    throws(SystemError)
  {
    path = try workspace.statePath()
    self.changed = changed
    self.copy = copy
  }
}

extension OpenOutput {
  /// The state of runs of all items of an output, if it is there; the parameters are those of
  /// ``init(_:state:_:creates:)``.
  package static func readableState(
    of path: String, _ state: String?, _ store: StoreSettings
  ) async throws -> ReadableState? {
    guard StoreLocation(path) != nil || FileSystem.exists(path) else { return nil }
    return try await OpenOutput(path, state: state, store, creates: false)
      .readableStates { _ in nil }.first
  }

  /// The state of runs of all items, and those of shards, as far as they are there, the newest first. Nothing is
  /// created.
  ///
  /// - Parameter shard: the one that matters of this many; nil for none.
  package func readableStates(
    _ shard: (_ count: Int) -> Shard?
  ) async throws -> [ReadableState] {
    var states: [ReadableState] = []
    if let workspace = try existingWorkspace() {
      states = try Self.states(in: workspace, shard)
    } else if case .stored(let client, let location) = place {
      var numbers: [Shard?] = [nil]
      for count in try await storedCounts() {
        if let shard = shard(count) { numbers.append(shard) }
      }
      for number in numbers {
        let stored = StoredState(client, location, shard: number)
        states += try await stored.copy().map { [$0] } ?? []
      }
    }
    return states.sorted { $0.changed > $1.changed }
  }

  /// Calls `body` with the state of runs of all items, and with those of all shards, as far as they are there, one after
  /// the other: copies of those in a store are removed again, each before the next one. Nothing is created.
  package func forEachState(
    _ body: (ReadableState, _ bytes: Int, Shard?) async throws -> Void
  ) async throws {
    if let whole = try existingWorkspace() {
      let parts = try whole.shardParts()
      for (workspace, shard) in [(whole, nil)] + parts.map({ ($0.workspace, Optional($0.shard)) }) {
        guard let bytes = workspace.stateBytes else { continue }
        try await body(try ReadableState(workspace), bytes, shard)
      }
    } else if case .stored(let client, let location) = place {
      for shard in try await storedShards(named: StoredState.stateName) {
        let stored = StoredState(client, location, shard: shard)
        guard let copy = try await stored.copy() else { continue }
        try await body(copy, FileSystem.size(ofFile: copy.path) ?? 0, shard)
      }
    }
  }

  /// The workspace on this machine; nil if there is none, and for a state in a store.
  ///
  /// - Throws: also if this user may not read it.
  func existingWorkspace() throws -> Workspace? {
    let workspace: Workspace
    switch place {
    case .inside(let directory):
      guard directory.hasWorkspace else { return nil }
      workspace = try directory.workspace()
    case .beside(let state, _, _):
      guard FileSystem.exists(state) else { return nil }
      workspace = Workspace(try Directory(state), of: "the state \"\(state)\"")
    case .stored: return nil
    }
    try workspace.expectReadable()
    return workspace
  }

  /// The shards of an output in a store whose folders have an object of this name; nil stands for the whole, and comes first.
  func storedShards(named name: String) async throws -> [Shard?] {
    guard case .stored(let client, let location) = place else { return [] }
    let found = try await StoredState(client, location, shard: nil).call {
      state throws in
      try client.locations(below: state.output.appending(StoredState.shardFolder)).map(\.key)
    }
    let shards = found.filter { $0.hasSuffix("/\(name)") }.compactMap { key -> Shard? in
      let parts = key.split(separator: "/").suffix(3).compactMap { Int($0) }
      return parts.count == 2 ? Shard(parts[1], of: parts[0]) : nil
    }
    return [nil] + shards.sorted { ($0.count, $0.index) < ($1.count, $1.index) }
  }

  /// The sources that are kept for later runs; nil without a cache on this machine. Nothing is dropped.
  package func readableCache() throws -> SourceCache? {
    guard let workspace = try existingWorkspace(), workspace.hasCache else { return nil }
    return try SourceCache(in: workspace, limit: .max)
  }

  private static func states(
    in whole: Workspace, _ shard: (Int) -> Shard?
  ) throws(SystemError) -> [ReadableState] {
    var found = [whole]
    for count in try whole.shardCounts() {
      guard let shard = shard(count) else { continue }
      if let workspace = try whole.existingPart(shard) { found.append(workspace) }
    }
    return try found.filter(\.hasState).map { (workspace) throws(SystemError) in
      try ReadableState(workspace)
    }
  }

  /// The numbers of shards that runs of an output in a store were divided into.
  private func storedCounts() async throws -> [Int] {
    try await output.list(StoredState.shardFolder).compactMap { Int($0.name) }.filter { $0 > 0 }
  }
}

extension StoredState {
  /// A copy to be read; nil if the state is missing.
  fileprivate func copy() async throws -> ReadableState? {
    let copy = try TemporaryDirectory()
    let workspace = Workspace(try Directory(copy.path), of: "a copy of the state")
    try await read(to: workspace.stateFile)
    guard workspace.hasState else { return nil }
    return try ReadableState(workspace, changed: changed, copy)
  }
}
