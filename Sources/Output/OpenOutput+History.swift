internal import TesseraNet
internal import TesseraSystem

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
