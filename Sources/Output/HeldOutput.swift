internal import Synchronization
internal import TesseraManifest
package import TesseraSystem

/// An output that this process alone works on, or one shard of it, with its workspace on this machine. It is held
/// until ``release()``, or until the process ends.
package final class HeldOutput: Sendable {
  package let output: any Output
  package let workspace: Workspace
  /// The kernel's, of the workspace; nil after the release.
  private let lock: Mutex<OutputLock?>
  /// Nil for a directory, and for a store that can't write on a condition.
  private let lease: StoreLease?
  /// Nil if the state is on this machine.
  let stored: StoredState?
  /// Nil for the whole output.
  let shard: Shard?
  /// That of a state which is on this machine, for an output in a store.
  let stateIdentifier: String?
  /// Of a workspace that lasts no longer than this value.
  private let temporary: TemporaryDirectory?

  /// The most work that is lost if a run with its state in a store is killed.
  private static let copyTime = Duration.seconds(600)

  /// With a workspace on this machine, of which a shard has a part.
  ///
  /// - Parameter lease: of an output in a store, with a token; it is taken once the workspace's lock is held. With it comes
  ///   the output that it fences.
  init(
    _ output: any Output, _ whole: Workspace, _ shard: Shard?,
    lease: ((_ token: String) -> (lease: StoreLease, output: any Output))? = nil
  ) async throws {
    workspace = if let shard { try whole.part(shard) } else { whole }
    (stored, temporary, self.shard) = (nil, nil, shard)
    lock = Mutex(try workspace.lock())
    guard let lease else {
      (self.output, self.lease, stateIdentifier) = (output, nil, nil)
      return
    }
    // The process that had this workspace before is dead, because its lock is held here: what it left in the store
    // ends now.
    let token = try workspace.leaseToken(orSet: StoreLock.newToken)
    stateIdentifier = try whole.leaseToken(orSet: StoreLock.newToken)
    let taken = lease("\(token) \(Host.name)")
    do {
      try await taken.lease.take()
      (self.output, self.lease) = (taken.output, taken.lease)
    } catch {
      // OpenStack Swift: the lock of the workspace has to do, which is why only this machine may use the output.
      guard (error as? TesseraError)?.code == .noConditions else { throw error }
      (self.output, self.lease) = (output, nil)
    }
  }

  /// An output that is only read, with a workspace that nothing else has.
  package convenience init(reading output: any Output, _ workspace: Workspace)
    async throws
  {
    try await self.init(output, workspace, nil)
  }

  /// With a state in a store, of which the workspace has a copy.
  ///
  /// - Parameter lease: it is taken, and fences the output.
  init(
    _ output: any Output, _ workspace: Workspace, _ lease: StoreLease,
    _ stored: StoredState, _ temporary: TemporaryDirectory
  ) throws {
    self.output = output
    self.workspace = workspace
    (self.lease, self.stored, self.temporary) = (lease, stored, temporary)
    (shard, stateIdentifier) = (lease.shard, nil)
    lock = Mutex(try workspace.lock())
  }

  /// Prepares the output for a run.
  package func prepare() async throws(SystemError) {
    // A store in which a lock was just written is reached.
    if lease == nil { try await output.prepare() }
    // After a kill, files are left that no record names.
    try await clear()
  }

  /// Removes what killed processes have left, in every place of what is held: drafts, and what they worked with. A draft that
  /// a living one has locked stays.
  package func clear() async throws(SystemError) {
    try workspace.clear()
    if shard == nil {
      for part in try workspace.shards() { try part.clear() }
    }
    try await output.clearDrafts(of: shard)
  }

  package func release() async {
    await lease?.release()
    lock.withLock { $0 = nil }
  }

  /// Makes sure that no other process has taken over the output. To be called before what others would see; what is
  /// written to ``output`` does so by itself.
  ///
  /// - Throws: ``TesseraError`` of the code `lost`.
  package func confirm() async throws { try await lease?.confirm() }

  /// Works with the state. If it is kept in the output's store, copies go there: each ten minutes, and at the
  /// end, whether the work succeeds or not.
  ///
  /// - Parameter copy: writes a copy of the state, as it is at that time, to a path.
  /// - Throws: ``TesseraError`` of the code `lost` if another process has taken over the output; or what the work or
  ///   `copy` throws.
  package func keepingState<Value: Sendable>(
    copy: @escaping @Sendable (_ path: String) async throws -> Void,
    work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let lease else { return try await work() }
    guard let stored else { return try await renewing(lease, work, beside: nil).get() }
    let result = await renewing(
      lease, work, beside: { try await self.copyRegularly(copy, to: stored) })
    do {
      try await self.copy(copy, to: stored)
    } catch {
      // The error of the work matters more. What it did is kept if possible.
      if case .success = result { throw error }
    }
    return try result.get()
  }

  /// Works without the state, which stays as it is.
  ///
  /// - Throws: ``TesseraError`` of the code `lost` if another process has taken over the output; or what the work throws.
  package func keepingLock<Value: Sendable>(
    work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let lease else { return try await work() }
    return try await renewing(lease, work, beside: nil).get()
  }

  /// Renews the lock until the work ends.
  ///
  /// - Parameter other: what else is done meanwhile.
  private func renewing<Value: Sendable>(
    _ lease: StoreLease, _ work: @escaping @Sendable () async throws -> Value,
    beside other: (@Sendable () async throws -> Never)?
  ) async -> Result<Value, any Error> {
    await withTaskGroup(of: Result<Value, any Error>.self) { group in
      group.addTask { await Self.result { try await work() } }
      group.addTask { await Self.result { try await lease.renew() } }
      if let other { group.addTask { await Self.result { try await other() } } }
      // The first that ends is the work, unless the output is lost.
      let first = await group.next()
      group.cancelAll()
      await group.waitForAll()
      return first ?? .failure(CancellationError())
    }
  }

  private static func result<Value>(
    _ body: () async throws -> Value
  ) async -> Result<Value, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }

  private func copyRegularly(
    _ copy: (String) async throws -> Void, to stored: StoredState
  ) async throws -> Never {
    var pause = Self.copyTime
    while true {
      try await Task.sleep(for: pause)
      let begun = ContinuousClock.now
      do {
        try await self.copy(copy, to: stored)
      } catch let error as TesseraError where error.code == .lost {
        throw error
      } catch {
        // The next one may succeed, and the last one has to.
      }
      pause = max(Self.copyTime, begun.duration(to: .now) * 10)
    }
  }

  private func copy(
    _ copy: (String) async throws -> Void, to stored: StoredState
  ) async throws {
    let file = workspace.stateCopy
    try file.remove()
    try await copy(file.path)
    try await confirm()
    try await stored.write(file)
    try file.remove()
  }

  /// Moves a damaged state out of the way. Returns its new path on this machine, and its name for the user.
  package func setStateAside() async throws -> (path: String, name: String) {
    let path = try workspace.setStateAside()
    guard let stored else { return (path, path) }
    return (path, try await stored.keepDamaged(workspace.damagedState))
  }
}

/// What is beside an output in a store, besides its files.
extension HeldOutput {
  /// Removes what killed processes have left in a store, where no reader sees it: parts of objects.
  ///
  /// - Returns: why they could not be looked for, a clause; nil if they could.
  package func clearUploads() async -> String? {
    guard let output = output as? ObjectOutput else { return nil }
    do throws(SystemError) {
      try await output.clearUploads(of: shard)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Where other states of an output in a store are, which this process can't reach.
  package func statesElsewhere() async throws -> [String] {
    guard output is ObjectOutput else { return [] }
    return try await StatesElsewhere(in: output).all(but: stateIdentifier)
  }
}

/// The history of what was done with an output, which its holder writes.
extension HeldOutput {
  package func runHistory() async throws -> RunHistory {
    guard stored != nil else {
      return try workspace.readHistory()
    }
    return try await RunHistory.stored(in: output, of: shard)
  }

  /// What is left on the disk of an output that is a directory; nil for an object store, and if the system does not say.
  package var room: FileSystem.Room? { (output as? DirectoryOutput)?.room }
  package var freeBytes: Int? { room?.freeBytes }

  /// Adds an entry to the history.
  ///
  /// - Parameter known: as it was read; nil to read it.
  package func note(
    _ entry: HistoryEntry, after known: RunHistory? = nil
  ) async throws {
    let history = if let known { known } else { try await runHistory() }
    let next = history.adding(entry)
    guard stored != nil else { return try workspace.writeHistory(next, after: history) }
    try await output.write(RunHistory.path(of: shard), next.document)
  }
}

/// That of an output whose state is in its store is beside it there.
extension RunHistory {
  static func path(of shard: Shard?) -> String { "\(StoredState.folder(of: shard))/\(name)" }

  static func stored(
    in output: any Output, of shard: Shard?
  ) async throws -> RunHistory {
    RunHistory(try await output.document(path(of: shard)) ?? [], shard: shard)
  }
}
