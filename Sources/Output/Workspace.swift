package import TesseraManifest
package import TesseraSystem

/// The private folder of an output, on this machine:
///
///     lock             held by the process that works on the output
///     state.sqlite     what earlier runs learned
///     spool/           sources that wait for a worker
///     staging/         files that wait to be published
///     cache/           sources that are kept for later runs
///     runs.jsonl       what the last runs did
///     document         the catalog of an output that is in a store, or a shard's result
package struct Workspace: Sendable {
  private let directory: Directory
  /// For messages: `the output "feed"`.
  private let name: String

  private static let (state, spool, staging, cache) = ("state.sqlite", "spool", "staging", "cache")

  private static let damaged = "\(state).damaged"

  private let stagingFolder = OpenFolder()
  /// That of the output, for a shard's.
  private var whole: (directory: Directory, name: String)?

  package init(_ directory: Directory, of name: String) {
    self.directory = directory
    self.name = name
  }

  /// That of one shard, `shards/8/3` in that of its output.
  package func part(_ shard: Shard) throws(SystemError) -> Workspace {
    try directory.makePrivate()
    var workspace = Workspace(
      try directory.makeDirectory(Self.folder(of: shard)), of: "shard \(shard) of \(name)")
    workspace.whole = (directory, name)
    return workspace
  }

  /// The numbers of shards that runs were divided into, as far as their parts are there.
  package func shardCounts() throws(SystemError) -> [Int] {
    guard directory.exists("shards") else { return [] }
    return try directory.directory("shards").list().compactMap { Int($0) }.filter { $0 > 0 }
  }

  /// That of one shard, if a run has made it.
  package func existingPart(_ shard: Shard) throws(SystemError) -> Workspace? {
    directory.exists(Self.folder(of: shard)) ? try part(shard) : nil
  }

  private static func folder(of shard: Shard) -> String { "shards/\(shard.count)/\(shard.index)" }

  /// Those of all shards that runs have made.
  package func shards() throws(SystemError) -> [Workspace] { try shardParts().map(\.workspace) }

  func shardParts() throws(SystemError) -> [(shard: Shard, workspace: Workspace)] {
    var found: [(shard: Shard, workspace: Workspace)] = []
    for count in try shardCounts() {
      for name in try directory.directory("shards/\(count)").list() {
        guard let shard = Shard("\(name)/\(count)"), let part = try existingPart(shard) else {
          continue
        }
        found.append((shard, part))
      }
    }
    return found
  }

  package var spoolDirectory: String { directory.path(of: Self.spool) }

  /// - Parameter name: unique within the run.
  package func spool(_ name: String) -> WorkFile { file(Self.spool, name) }

  /// - Parameter name: unique within the run.
  package func staging(_ name: String) -> WorkFile {
    stagingFolder.file(name, at: Self.staging, in: directory)
  }

  func cached(_ name: String) -> WorkFile { file(Self.cache, name) }

  static let documentCopy = "document"
  package var documentCopy: WorkFile { WorkFile(Self.documentCopy, in: directory) }

  private func file(_ folder: String, _ name: String) -> WorkFile {
    WorkFile("\(folder)/\(name)", in: directory)
  }

  /// The output that the state describes, if it is in an object store: no file of it is looked for before
  /// it is named again. Nil if there was none; then this one is noted.
  func outputName(orSet name: String) throws(SystemError) -> String? {
    try noted("output", orSet: name)
  }

  /// The token of locks in a store that holders of this workspace take, one after the other.
  func leaseToken(orSet token: String) throws(SystemError) -> String {
    try noted("lease", orSet: token) ?? token
  }

  /// The text of a file; nil if there was none. Then this one is written.
  private func noted(_ file: String, orSet text: String) throws(SystemError) -> String? {
    if directory.exists(file) {
      let bytes = try directory.open(file, .read).read(1 << 16, at: 0)
      return String(decoding: bytes, as: UTF8.self)
    }
    try directory.replace(file, with: Array(text.utf8), draft: Draft.name(of: file))
    return nil
  }

  /// - Throws: ``SystemError`` if this user may not read what is in it: it is private to the user who runs.
  func expectReadable() throws(SystemError) { try directory.expectReadable() }

  // MARK: The history of runs

  func readHistory() throws(SystemError) -> RunHistory {
    guard directory.exists(RunHistory.name) else { return RunHistory() }
    return RunHistory(
      try directory.open(RunHistory.name, .read).read(RunHistory.readBytes, at: 0))
  }

  /// Appends to one that has only become longer. If it is replaced, a kill leaves the old one or the new one, and a draft
  /// until the next time.
  func writeHistory(_ new: RunHistory, after old: RunHistory) throws(SystemError) {
    let name = RunHistory.name
    guard new.document.starts(with: old.document) else {
      try Draft.clear(directory, of: name)
      return try directory.replace(name, with: new.document, draft: Draft.name(of: name))
    }
    try directory.open(name, directory.exists(name) ? .append : .create)
      .write(Array(new.document.dropFirst(old.document.count)))
  }

  // MARK: The state

  /// The bytes of the state with its log; nil if there is none.
  package var stateBytes: Int? {
    guard let bytes = directory.size(of: Self.state) else { return nil }
    return bytes + (directory.size(of: Self.state + "-wal") ?? 0)
  }

  /// The state as a whole file, while no process has it open.
  var stateFile: WorkFile { WorkFile(Self.state, in: directory) }
  var stateCopy: WorkFile { WorkFile("\(Self.state).copy", in: directory) }
  var damagedState: WorkFile { WorkFile(Self.damaged, in: directory) }

  /// Whether a run has left a state.
  package var hasState: Bool { directory.exists(Self.state) }

  /// When the state was last written to, in seconds since 1970; nil if there is none.
  package var stateChange: Double? {
    let logged = directory.sizeAndChange(of: Self.state + "-wal")?.changed
    let written = directory.sizeAndChange(of: Self.state)?.changed
    return [logged, written].compactMap(\.self).max()
  }

  /// The path of the state for SQLite, which takes no descriptor: without links, which SQLite
  /// rejects in turn.
  package func statePath() throws(SystemError) -> String {
    for name in [Self.state, Self.state + "-wal", Self.state + "-shm"]
    where directory.kind(of: name) == .link {
      throw .link(directory.path(of: name))
    }
    return FileSystem.join(directory.realPath ?? directory.path, Self.state)
  }

  /// Removes damaged states that were kept.
  ///
  /// - Parameter time: of those that were last written to before it, in seconds since 1970.
  package func removeDamagedStates(before time: Double = .infinity) throws(SystemError) {
    for name in try directory.list() where name.hasPrefix(Self.damaged) {
      guard let changed = directory.sizeAndChange(of: name)?.changed, changed < time else {
        continue
      }
      try directory.remove(name)
    }
  }

  /// Moves a damaged state out of the way, and returns its new path.
  package func setStateAside() throws(SystemError) -> String {
    let aside = Self.damaged
    // With its write-ahead log, which may hold the last commits.
    for suffix in ["-wal", "-shm"] { try directory.remove(aside + suffix) }
    try directory.rename(Self.state, to: aside)
    if directory.size(of: Self.state + "-wal") != nil {
      try directory.rename(Self.state + "-wal", to: aside + "-wal")
    }
    // SQLite rebuilds this index of its log.
    try directory.remove(Self.state + "-shm")
    return FileSystem.join(directory.realPath ?? directory.path, aside)
  }

  // MARK: The lock

  /// Takes the lock, which ends with this process at the latest. Shards of one output have a lock each,
  /// and share that of the output.
  ///
  /// - Throws: ``TesseraError`` of the code `busy` if another process holds the lock.
  package func lock() throws -> OutputLock {
    guard let whole else {
      return OutputLock(file: try Self.lock(directory, name, isShared: false), whole: nil)
    }
    let shared = try Self.lock(whole.directory, whole.name, isShared: true)
    do {
      return OutputLock(file: try Self.lock(directory, name, isShared: false), whole: shared)
    } catch {
      shared.unlock()
      throw error
    }
  }

  private static func lock(
    _ directory: Directory, _ name: String, isShared: Bool
  ) throws -> File {
    // The state may say more than the catalog, and the output is often a web server's folder.
    do throws(SystemError) {
      try directory.makePrivate()
    } catch {
      // Another user may not even read it, which says more.
      try directory.expectReadable()
      throw error
    }
    let file = try directory.open("lock", .lock)
    if try file.lock(isShared: isShared) {
      // The number is for messages only. The lock is the kernel's, so one of a killed run is not
      // stale.
      try file.truncate()
      if !isShared { try file.write(Array("\(Host.processIdentifier)\n".utf8)) }
      return file
    }
    // Only for the message: without it the holder is not named.
    let holder = (try? directory.open("lock", .read).read(32, at: 0)) ?? []
    throw TesseraError.busy(
      name, holder: String(decoding: holder, as: UTF8.self).filter(\.isNumber))
  }

  /// Empties staging and spool, and removes drafts, and what is not a regular file from the cache. The caller holds the
  /// lock, so what is there belongs to a dead run.
  package func clear() throws(SystemError) {
    try Draft.clear(directory)
    for folder in [Self.staging, Self.spool] { try directory.makeDirectory(folder).clear() }
    // Most outputs have none.
    guard directory.exists(Self.cache) else { return }
    let cache = try directory.directory(Self.cache)
    for name in try cache.list() where cache.size(of: name) == nil { try cache.removeTree(name) }
  }

  /// The digests of the cached sources. Creates nothing.
  package func cachedDigests() throws(SystemError) -> [String] {
    guard directory.exists(Self.cache) else { return [] }
    return try directory.directory(Self.cache).list()
  }

  package func removeCached(_ digest: String) throws(SystemError) { try cached(digest).remove() }

  /// The cached sources: name, size in bytes, last use in seconds since 1970. Creates the cache.
  var hasCache: Bool { directory.exists(Self.cache) }

  func cachedFiles() throws(SystemError) -> [(name: String, size: Int, used: Double)] {
    let cache = try directory.makeDirectory(Self.cache)
    return try cache.list().compactMap { name in
      cache.sizeAndChange(of: name).map { (name, $0.size, $0.changed) }
    }
  }
}

/// The lock of an output. It is held for as long as the value exists.
package struct OutputLock: ~Copyable {
  private let file: File
  private let whole: File?

  fileprivate init(file: consuming File, whole: consuming File?) {
    self.file = file
    self.whole = whole
  }

  deinit {
    file.unlock()
    whole?.unlock()
  }
}
