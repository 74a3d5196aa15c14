package import TesseraManifest
package import TesseraNet
internal import TesseraSystem

/// An output, and where its state is: in the private folder of a directory; for an output in an object store, in
/// a directory of this machine or in the store itself.
package struct OpenOutput: Sendable {
  package let output: any Output
  let place: Place

  enum Place {
    case inside(DirectoryOutput)
    /// In a directory of this machine, for an output in a store.
    case beside(String, StoreClient, StoreLocation)
    case stored(StoreClient, StoreLocation)
  }

  /// Whether a path names a place in an object store: `s3://bucket/prefix`.
  package static func isInStore(_ path: String) -> Bool { StoreLocation(path) != nil }

  /// Whether two paths name one place in an object store.
  package static func areOnePlace(_ one: String, _ other: String) -> Bool {
    StoreLocation(one).map { $0 == StoreLocation(other) } ?? false
  }

  /// - Parameters:
  ///   - path: a directory, or `s3://bucket/prefix`.
  ///   - state: the directory of the state of an output in a store; nil for one that is in the store.
  ///   - store: how an object store is reached.
  ///   - creates: whether a missing directory is created.
  package init(
    _ path: String, state: String? = nil, _ store: StoreSettings = StoreSettings(),
    creates: Bool = true
  ) throws {
    if let location = StoreLocation(path) {
      let client = StoreClient(store)
      output = ObjectOutput(location, client, concurrency: store.concurrency)
      place = state.map { .beside($0, client, location) } ?? .stored(client, location)
      return
    }
    let directory = try DirectoryOutput(path, creates: creates)
    output = directory
    place = .inside(directory)
  }

  /// Takes the output, or one of its shards, for this process.
  ///
  /// - Throws: also if another process holds it.
  package func hold(_ shard: Shard? = nil) async throws -> HeldOutput {
    let held = try await take(shard)
    // A store that does not list them has a rule for them at best; `forget` says so.
    _ = await held.clearUploads()
    return held
  }

  private func take(_ shard: Shard?) async throws -> HeldOutput {
    switch place {
    case .inside(let directory):
      try directory.expectOwn()
      let workspace = try directory.workspace()
      return try await HeldOutput(output, workspace, shard)
    case .beside(let state, let client, let location):
      let workspace = try Self.workspace(state, of: location)
      // It would not know what runs and `prune` have done with the other one.
      // A listing, because an answer to it says more of what is wrong than one to HEAD.
      let stored = try await output.list(StoredState.folder(of: shard)).contains {
        $0.name == StoredState.stateName
      }
      if stored { throw TesseraError.twoStates(state, output: output.location) }
      let held = try await HeldOutput(output, workspace, shard) { token in
        let lease = StoreLease(client, location, shard: shard, token: token)
        return (lease, ObjectOutput(location, client, lease))
      }
      do {
        try await StatesElsewhere(in: output).note(held.stateIdentifier ?? "", state)
        return held
      } catch {
        await held.release()
        throw error
      }
    case .stored(let client, let location):
      let stored = StoredState(client, location, shard: shard)
      let copy = try TemporaryDirectory()
      let workspace = Workspace(
        try Directory(copy.path), of: "the output \"\(output.location)\"")
      let lease = StoreLease(client, location, shard: shard)
      try await lease.take()
      do {
        try await stored.read(to: workspace.stateFile)
        return try HeldOutput(
          ObjectOutput(location, client, lease), workspace, lease, stored, copy)
      } catch {
        await lease.release()
        throw error
      }
    }
  }

  /// Whether a run has left a state on this machine.
  package func hasState() throws -> Bool {
    try existingWorkspace()?.hasState ?? false
  }

  /// The directory of a state, which is for one output only.
  private static func workspace(
    _ state: String, of location: StoreLocation
  ) throws -> Workspace {
    let (directory, name) = (
      try Directory(state, creates: true), "the state \"\(state)\" of the output \"\(location)\""
    )
    try directory.expectOwn(name)
    let workspace = Workspace(directory, of: name)
    if let other = try workspace.outputName(orSet: "\(location)"), other != "\(location)" {
      throw TesseraError.otherOutput(state: state, of: other, output: "\(location)")
    }
    return workspace
  }
}

/// Who is at work on an output.
package struct OutputActivity: Sendable, Equatable {
  /// A clause: "process 4711", "process 4711 on builder-3".
  package var holder: String
  /// Since when, in seconds since 1970; nil if the lock does not say, as that of shards and that of a store.
  package var since: Double?

  package init(holder: String, since: Double? = nil) {
    (self.holder, self.since) = (holder, since)
  }
}

/// What can be seen of an output without its lock.
extension OpenOutput {
  /// The histories of runs of all items and of those of shards, as far as they are there. Nothing is created.
  package func histories() async throws -> [RunHistory] {
    if let whole = try existingWorkspace() {
      var histories = [try whole.readHistory()]
      for part in try whole.shardParts() {
        var history = try part.workspace.readHistory()
        history.shard = part.shard
        histories.append(history)
      }
      return histories.filter { !$0.entries.isEmpty }
    }
    guard case .stored = place else { return [] }
    var histories: [RunHistory] = []
    for shard in try await storedShards(named: RunHistory.name) {
      histories.append(try await RunHistory.stored(in: output, of: shard))
    }
    return histories.filter { !$0.entries.isEmpty }
  }

  /// Who holds the output, or one of its shards; nil if no process does. One that begins at this moment may not be seen.
  package func activity() async throws -> OutputActivity? {
    switch place {
    case .inside(let directory):
      return Self.activity(in: FileSystem.join(directory.location, ".tessera"))
    case .beside(let state, let client, let location):
      // The one in the store is of any machine.
      if let here = Self.activity(in: state) { return here }
      return try await Self.activity(of: StoredState(client, location, shard: nil))
    case .stored(let client, let location):
      return try await Self.activity(of: StoredState(client, location, shard: nil))
    }
  }

  private static func activity(in folder: String) -> OutputActivity? {
    // Shards share this lock.
    guard let process = Host.holder(ofLockOn: FileSystem.join(folder, "lock")) else { return nil }
    // Who has it alone writes its number into it.
    let lock = (try? Directory(folder))?.sizeAndChange(of: "lock")
    return OutputActivity(
      holder: process == 0 ? "a process of another container" : "process \(process)",
      since: lock.flatMap { $0.size > 0 ? $0.changed : nil })
  }

  private static func activity(
    of state: StoredState
  ) async throws -> OutputActivity? {
    let holder = try await state.call { state in
      try StoreLease(state.client, state.output, shard: nil).anyHolder()
    }
    return holder.map {
      OutputActivity(holder: "\($0.name), last heard of \($0.age.components.seconds) s ago")
    }
  }

  /// What is left where the output is; nil for an object store, and if the system does not say.
  package var freeBytes: Int? { (output as? DirectoryOutput)?.freeBytes }
}
