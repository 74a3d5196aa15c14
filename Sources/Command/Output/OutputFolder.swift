internal import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// The output of a run, as the tools use it: a directory, or one in an object store. This is the one
/// place that knows how an output is laid out, apart from its catalog and its variants.
struct OutputFolder: Sendable {
  /// The published files.
  private(set) var published: any Output
  private let place: OpenOutput
  /// Whether the state is looked for in the output's store.
  private let isStored: Bool
  /// The path, as the caller named it.
  let root: String

  /// - Parameters:
  ///   - state: the directory of the state of an output in an object store; nil for a state in the store.
  ///   - store: how that store is reached.
  init(_ root: String, state: String? = nil, store: StoreSettings = StoreSettings()) throws {
    self.root = root
    isStored = OpenOutput.isInStore(root) && state == nil
    if !OpenOutput.isInStore(root) {
      guard FileSystem.isDirectory(root) else {
        throw TesseraError(noOutput: root, exists: FileSystem.exists(root))
      }
      guard state == nil else {
        throw TesseraError(
          .output,
          "\"\(root)\" is a directory and holds its own state; --state is for an output in an object store"
        )
      }
    }
    place = try OpenOutput(root, state: state, store, creates: false)
    published = place.output
  }

  /// The same, whose changes end when another process takes the output over.
  func fenced(by held: HeldOutput) -> OutputFolder {
    var folder = self
    folder.published = held.output
    return folder
  }

  /// What becomes of states that are damaged.
  enum Damage: Sendable {
    /// They stay, and the work fails.
    case stays
    /// Once the work meets one, it is set aside, and the work begins again with an empty one.
    case setAside
    /// All are examined before the work, and nothing remains of damaged ones.
    case removed
  }

  /// Takes the output as runs do, and works with its states: that of the whole, which is created if there is none, and
  /// those of its shards.
  ///
  /// - Parameters:
  ///   - withShards: whether the work takes the states of shards.
  ///   - repaired: called with a warning, a clause, for each state that was set aside.
  ///   - saves: whether the work has changed the states of shards; nil if it always does.
  ///   - work: throws the errors of states as they are. What it did until it failed is found done when it begins again.
  /// - Throws: ``TesseraError``, with `isBusy` if another process holds the output; or
  ///   `CancellationError`.
  func holding<Value: Sendable>(
    withShards: Bool, damage: Damage, repaired: (String) -> Void,
    saves: (@Sendable (Value) -> Bool)? = nil,
    _ work: @escaping @Sendable (HeldOutput, [StateStore]) async throws -> Value
  ) async throws -> Value {
    let held = try await place.hold()
    do {
      // One that is made here would be taken for that of runs, which keep theirs elsewhere; shards that keep
      // theirs in the store have no state of the whole.
      if isStored, !held.workspace.hasState, try await held.shardStates().isEmpty {
        try expectState(held)
      }
      if damage != .stays { try await held.clear() }
      let value = try await repairing(held, withShards: withShards, damage, repaired) { shards in
        try await Self.working(with: held, shards, saves, work)
      }
      await held.release()
      return value
    } catch {
      await held.release()
      throw error
    }
  }

  private func repairing<Value: Sendable>(
    _ held: HeldOutput, withShards: Bool, _ damage: Damage, _ repaired: (String) -> Void,
    _ work: ([ShardState]) async throws -> Value
  ) async throws -> Value {
    var repairs = 0
    while true {
      let shards = withShards ? try await held.shardStates() : []
      do {
        if damage == .removed { try await Self.examine(held, shards) }
        return try await work(shards)
      } catch let error as StateError
        where damage != .stays && repairs <= shards.count && StateStore.isDamaged(error)
      {
        try await held.confirm()
        let warning = try await held.keepingLock {
          try await Self.repair(held, shards, after: error, isKept: damage == .setAside)
        }
        repaired(warning)
        repairs += 1
      }
    }
  }

  /// - Throws: `StateError` for the first that is damaged.
  private static func examine(_ held: HeldOutput, _ shards: [ShardState]) async throws {
    let own = held.workspace.hasState ? [try held.workspace.statePath()] : []
    try await held.keepingLock {
      for path in own + shards.map(\.path) {
        if let error = StateStore.damage(at: path) { throw error }
      }
    }
  }

  private static func working<Value: Sendable>(
    with held: HeldOutput, _ shards: [ShardState], _ saves: (@Sendable (Value) -> Bool)?,
    _ work: @escaping @Sendable (HeldOutput, [StateStore]) async throws -> Value
  ) async throws -> Value {
    let state = try StateStore(path: held.workspace.statePath())
    return try await held.keepingState(
      copy: { try await state.copy(to: $0) },
      work: {
        let parts = try shards.map { try StateStore(path: $0.path) }
        let value = try await work(held, [state] + parts)
        try await state.commit()
        for (shard, part) in zip(shards, parts) {
          try await part.close()
          if saves?(value) ?? true { try await shard.save() }
        }
        return value
      })
  }

  private static func repair(
    _ held: HeldOutput, _ shards: [ShardState], after error: StateError, isKept: Bool
  ) async throws -> String {
    let shard = shards.first { $0.path == error.path }
    let aside = if let shard { try await shard.setAside() } else { try await held.setStateAside() }
    let warning = try await StateStore.replace(
      after: error, by: shard?.path ?? held.workspace.statePath(), aside: aside,
      isKept: isKept)
    try await shard?.save()
    return warning
  }

  /// Takes the output as runs do, and leaves its state alone.
  ///
  /// - Throws: as ``holding(withShards:damage:repaired:saves:_:)``.
  func locked<Value: Sendable>(
    _ work: @escaping @Sendable (HeldOutput) async throws -> Value
  ) async throws -> Value {
    let held = try await place.hold()
    do {
      // Results of shards become a catalog without this lock.
      if try await shardResults().isEmpty { try expectState(held) }
      let value = try await held.keepingLock { try await work(held) }
      await held.release()
      return value
    } catch {
      await held.release()
      throw error
    }
  }

  /// Adds an entry to the history of an output after something that can't be taken back. Returns a warning if that fails:
  /// what was done, and has to be known, matters more.
  static func note(_ entry: HistoryEntry, in held: HeldOutput) async -> String? {
    do {
      try await held.note(entry)
      return nil
    } catch {
      return "the history of runs was not written: \(error)"
    }
  }

  /// A lock in the store says nothing to runs that keep their state, and their lock, elsewhere.
  private func expectState(_ held: HeldOutput) throws {
    guard isStored, !held.workspace.hasState else { return }
    throw TesseraError(
      .output, "\"\(root)\" has no state in its store",
      remedy: "name the directory of its state (--state), which is \"state\" in the pipeline file")
  }

  func size(of path: String) async throws -> Int? {
    try await published.size(of: path)
  }

  /// The states that may know an item, the newest first: that of runs of all items, and those of its
  /// shard.
  func existingStates(knowing id: String) async throws -> [ExistingState] {
    let states = try await place.readableStates { Shard(Shard.index(of: id, among: $0), of: $0) }
    var existing: [ExistingState] = []
    for state in states { existing.append(try await ExistingState(state)) }
    return existing
  }

  /// All states: that of runs of all items, and those of shards.
  func existingStates() async throws -> [ExistingState] {
    var existing: [ExistingState] = []
    try await forEachState { file, _, _ in existing.append(try await ExistingState(file)) }
    return existing
  }

  /// A state, and the copy that it may be.
  struct ExistingState {
    private let reading: StateReading
    private let file: ReadableState

    var store: StateStore { reading.store }

    init(_ file: ReadableState) async throws {
      self.file = file
      reading = try StateReading(path: file.path)
    }
  }

  // MARK: Without the lock

  /// Who is at work on it; nil if no process is.
  func activity() async throws -> OutputActivity? {
    try await place.activity()
  }

  func histories() async throws -> [RunHistory] {
    try await place.histories()
  }

  /// As `OpenOutput.forEachState`.
  func forEachState(
    _ body: (ReadableState, _ bytes: Int, Shard?) async throws -> Void
  ) async throws {
    try await place.forEachState(body)
  }

  var freeBytes: Int? { place.freeBytes }

  func list(_ folder: String) async throws -> [OutputEntry] {
    try await published.list(folder)
  }

  /// Whether a run has begun here.
  func hasWorkspace() async throws -> Bool {
    let folder = ".tessera"
    guard !OpenOutput.isInStore(root) else {
      // With its state on this machine, an output in a store has such a folder once something was replaced.
      let hasState = try place.hasState()
      return hasState ? true : try await !list(folder).isEmpty
    }
    return FileSystem.isDirectory(FileSystem.join(root, folder))
  }

  /// The paths of the results of shards.
  func shardResults() async throws -> [String] {
    try await ShardResults.paths(in: published)
  }

  func remove(_ path: String) async throws {
    try await published.delete(path)
  }
}

extension TesseraError {
  /// What was named is not the output of a run.
  init(noOutput root: String, exists: Bool) {
    if FileSystem.isDirectory(FileSystem.join(root, ".tessera")) {
      self.init(
        .output, "\"\(root)\" holds no catalog yet: no run has come to its end",
        remedy: "run again, which goes on where the last one was stopped", subject: root,
        isRetryable: true)
      return
    }
    self.init(
      .output,
      "\(exists ? "\"\(root)\" holds no catalog.json" : "there is no file or folder \"\(root)\"")",
      remedy: "it must be the output of a run", subject: root)
  }
}
