internal import TesseraSystem
internal import TesseraText

/// What earlier runs learned and what this run has done so far: one SQLite database (WAL mode) with
/// one owner.
///
/// The order of effects around it makes a kill harmless: files are published before the records that
/// name them are written, and the catalog is written from the records.
package actor StateStore {
  let database: Database
  let sources: RecordTable<SourceRecord>
  let headers: RecordTable<HeaderRecord>
  let contents: RecordTable<ContentRecord>
  let variants: RecordTable<VariantRecord>
  let placeholders: RecordTable<PlaceholderRecord>
  let rejections: RecordTable<RejectionRecord>
  let qualities: RecordTable<QualityRecord>
  let items: ItemTable
  let lookups: Lookups
  package nonisolated let path: String
  private var begun = ContinuousClock.now
  /// Whether a source of this run is another one than before.
  var hasChangedSources = false
  /// The number of the last completed run, and the highest one of an item of it; 0 before the first.
  private(set) var lastCompleted = (run: 0, item: 0)
  var lastItem: Int { lastCompleted.item }

  /// Opens the state at a path and creates it if it does not exist. An empty path opens a temporary
  /// state that no other process sees and that is gone with the store.
  package init(path: String) throws(StateError) { try self.init(Database(path)) }

  /// Opens a state of this version that nothing writes to, and whose log is empty, only to read it.
  init(atRest path: String) throws(StateError) {
    try self.init(Database(path, isAtRest: true))
  }

  private init(_ database: Database) throws(StateError) {
    path = database.path
    self.database = database
    // WAL with NORMAL: a power cut may lose the last commits, but never their order. The time-out
    // comes first, because an earlier connection to the file may still be closing.
    try database.execute(
      "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        // KiB. Keys are digests, so every image changes pages of its own: with fewer in memory, the
        // same page is written to the log, and read again, many times.
        + "PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 4000")  // pages
    // Before the statements are compiled: they name columns of the newest schema.
    try Schema.prepare(database)
    sources = try RecordTable(database)
    headers = try RecordTable(database)
    contents = try RecordTable(database)
    variants = try RecordTable(database, extra: "run")
    placeholders = try RecordTable(database)
    rejections = try RecordTable(database)
    qualities = try RecordTable(database)
    items = try ItemTable(database)
    lookups = try Lookups(database)
    lastCompleted = try Self.lastCompleted(in: database)
  }

  private static func lastCompleted(in database: Database) throws(StateError) -> (
    run: Int, item: Int
  ) {
    try database.prepare(
      "SELECT number, last_item FROM runs WHERE items IS NOT NULL ORDER BY number DESC LIMIT 1"
    ).first([]) { ($0.int(0), $0.int(1)) } ?? (0, 0)
  }

  /// Whether it has items of a completed run.
  package func hasItems() throws(StateError) -> Bool { lastItem > 0 }

  func readLastCompleted() throws(StateError) {
    lastCompleted = try Self.lastCompleted(in: database)
  }

  // MARK: Runs

  /// Begins a run and returns its number, which is larger than all before.
  ///
  /// - Parameter boot: the machine's boot id. What was written since that boot is there, whatever
  ///   happened to the process that wrote it.
  package func beginRun(boot: String) throws(StateError) -> Int {
    try begin()
    try database.prepare("INSERT INTO runs (boot) VALUES (?)").run([.text(boot)])
    // The row of the last run is never deleted: a number that came again would make its items look
    // like repeated ones.
    let number = try database.prepare("SELECT max(number) FROM runs").first([]) { $0.int(0) }
    try noteClaims()
    // At once: of a run that is killed, the state shows that it began.
    try commit()
    return number ?? 1
  }

  /// What a completed run made: the output's catalog.
  package struct CompletedRun: Sendable, Equatable {
    /// The name of its pipeline.
    package var pipeline: String
    package var items: Int
    /// SHA-256 of the path of the pipeline file, and of everything that makes requests of the manifest's URLs.
    package var identity: String?
    package var addresses: String?

    package init(
      pipeline: String, items: Int, identity: String? = nil, addresses: String? = nil
    ) {
      (self.pipeline, self.items) = (pipeline, items)
      (self.identity, self.addresses) = (identity, addresses)
    }
  }

  /// The last completed run; nil if there was none.
  package func lastCompletedRun() throws(StateError) -> CompletedRun? {
    try Self.lastCompletedRun(in: database)
  }

  static func lastCompletedRun(in database: Database) throws(StateError) -> CompletedRun? {
    try database.prepare(
      "SELECT pipeline, items, identity, addresses FROM runs WHERE items IS NOT NULL"
        + " ORDER BY number DESC LIMIT 1"
    ).first([]) { row in
      CompletedRun(
        pipeline: row.text(0), items: row.int(1), identity: row.optionalText(2),
        addresses: row.optionalText(3))
    }
  }

  /// More files are made that are not on the disk yet.
  package func reopenRun(_ run: Int, boot: String) throws(StateError) {
    try begin()
    try database.prepare("UPDATE runs SET boot = ? WHERE number = ?").run([.text(boot), .int(run)])
    try commit()
  }

  /// They are on the disk.
  package func closeRun(_ run: Int) throws(StateError) {
    try begin()
    try database.prepare("UPDATE runs SET boot = NULL WHERE number = ?").run([.int(run)])
    try commit()
  }

  func note(_ completed: CompletedRun, as run: Int) throws(StateError) {
    lastCompleted = (
      run, try database.prepare("SELECT max(number) FROM items").first([]) { $0.int(0) } ?? 0
    )
    try database.prepare(
      "UPDATE runs SET pipeline = ?1, items = ?2, identity = ?3, addresses = ?4, last_item = ?6"
        + " WHERE number = ?5"
    ).run([
      .text(completed.pipeline), .int(completed.items), .optional(completed.identity),
      .optional(completed.addresses), .int(run), .int(lastItem),
    ])
  }

  // MARK: Commits

  /// Commits what is left, for a file that is read or copied next; the log is empty after it.
  package func close() throws(StateError) {
    try commit()
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Writes within this time are committed together: a commit for each item would write twenty times as
  /// much. A kill costs the items of a fifth of a second, which the next run processes again.
  private static let commitTime = Duration.milliseconds(200)

  /// To be called before each write.
  func begin() throws(StateError) {
    if database.isInTransaction {
      // The task below has to wait for its turn on this actor, which may take long while it is busy.
      guard begun.duration(to: .now) > Self.commitTime * 2 else { return }
      try commit()
    }
    // IMMEDIATE takes the write lock now: SQLite rejects a later upgrade from reading without
    // waiting.
    try database.execute("BEGIN IMMEDIATE")
    begun = .now
    Task { [weak self] in
      try? await Task.sleep(for: Self.commitTime)
      // The next caller receives the error, because the connection keeps its first one.
      try? await self?.commit()
    }
  }

  /// Commits all writes so far.
  package func commit() throws(StateError) {
    if database.isInTransaction { try database.execute("COMMIT") }
  }

  /// Runs `body` in one transaction for reading, because each statement by itself would lock and unlock
  /// the file.
  func reading<Value>(_ body: () throws(StateError) -> Value) throws(StateError) -> Value {
    guard !database.isInTransaction else { return try body() }
    try database.execute("BEGIN")
    // Nothing was written, so ending it cannot lose anything.
    defer { try? database.execute("COMMIT") }
    return try body()
  }

  /// Writes a copy of the state, as it is now, to a file that does not exist yet. Others may go on working with the
  /// state meanwhile.
  package func copy(to path: String) async throws(StateError) {
    try commit()
    try await Self.copy(self.path, to: path)
  }

  /// On another thread than the state's, with a connection of its own.
  @concurrent
  static func copy(_ source: String, to path: String) async throws(StateError) {
    let database = try Database(source, isReadOnly: true)
    try database.prepare("VACUUM INTO ?").run([.text(path)])
  }
}

/// What a state remembers of the output beside its records.
extension StateStore {
  /// The digest of the marks of forgotten images that were last taken out of this state; nil if there were none. A
  /// witness: a store that once says that there are no marks is not believed.
  package func forgottenMarks() throws(StateError) -> String? {
    try Self.forgottenMarks(in: database)
  }

  static func forgottenMarks(in database: Database) throws(StateError) -> String? {
    try database.prepare("SELECT text FROM notes WHERE name = 'forgotten'").first([]) { $0.text(0) }
  }

  package func note(forgottenMarks digest: String) throws(StateError) {
    try begin()
    try database.prepare("INSERT OR REPLACE INTO notes (name, text) VALUES ('forgotten', ?)")
      .run([.text(digest)])
    try commit()
  }

  /// The ids of items, present and former, to which this applies.
  ///
  /// - Parameter matches: the id, and the key of a source of its; nil if there is none.
  package func ids(
    where matches: @Sendable (_ id: String, _ source: String?) -> Bool
  ) throws(StateError) -> [String] {
    var found: Set<Identifier> = []
    func look(_ id: String, _ source: String?) {
      if !found.contains(id), matches(id, source) { found.insert(id) }
    }
    try database.prepare(
      "SELECT id, source, request FROM items"
    ).run([]) { row in
      look(row.text(0), row.isNull(1) ? nil : row.key(1))
      if !row.isNull(2) { look(row.text(0), row.key(2)) }
    }
    try database.prepare("SELECT id, kind, name FROM former").run([]) { row in
      let kind = Possession.Kind(rawValue: row.text(1))
      look(row.text(0), kind == .sources || kind == .rejections ? row.key(2) : nil)
    }
    return found.texts
  }
}

/// What the last run left, from which the next one knows what has not changed.
extension StateStore {
  /// The end of a run.
  package struct RunEnd: Sendable, Equatable {
    /// What changes when a file of the output is added, removed or replaced.
    package var output: String
    /// In seconds since 1970.
    package var ended: Double
    /// All of its manifest as one chunk; nil if it may not be compared.
    package var whole: Chunk?

    package init(output: String, ended: Double, whole: Chunk? = nil) {
      (self.output, self.ended, self.whole) = (output, ended, whole)
    }
  }

  /// Nil if the last run that began has not come to its end.
  package func lastEnd() throws(StateError) -> RunEnd? {
    let last = try database.prepare(
      "SELECT output, ended, whole FROM runs ORDER BY number DESC LIMIT 1")
    return try last.first([]) { row in
      row.isNull(0)
        ? nil
        : RunEnd(
          output: row.text(0), ended: row.double(1),
          whole: Chunk(UnsafeRawBufferPointer(row.bytes(2))))
    } ?? nil
  }

  /// - Parameter run: nil for the last one.
  package func note(_ end: RunEnd, of run: Int? = nil) throws(StateError) {
    var whole: [UInt8] = []
    end.whole?.write(to: &whole)
    try begin()
    try database.prepare(
      "UPDATE runs SET output = ?, ended = ?, whole = ?"
        + " WHERE number = coalesce(?, (SELECT max(number) FROM runs))"
    ).run([.text(end.output), .double(end.ended), .blob(whole), .optional(run)])
    try commit()
  }
}

/// Files of runs that ended together with the machine: they may be named and not be on the disk.
extension StateStore {
  /// Whether there was such a run.
  package func hasDoubts(boot: String) throws(StateError) -> Bool {
    try database.prepare("SELECT 1 FROM runs WHERE boot <> ? LIMIT 1").first([.text(boot)]) { _ in
      true
    } ?? false
  }

  /// Up to `limit` files of such runs, in the order of their keys, after `key`. The path is nil if the
  /// record is damaged.
  package func doubtful(
    boot: String, after key: String, limit: Int
  ) throws(StateError) -> [(key: String, file: VariantRecord?)] {
    let columns = VariantRecord.columns
    var found: [(String, VariantRecord?)] = []
    try database.prepare(
      "SELECT \(columns.joined(separator: ", ")), mark, key FROM variants"
        + " WHERE key > ? AND run IN (SELECT number FROM runs WHERE boot <> ?) ORDER BY key LIMIT ?"
    ).run([.key(key), .text(boot), .int(limit)]) { row in
      let key = Int32(columns.count + 1)
      let isSound = row.isSound(key: key, columns: columns.count)
      found.append((row.key(key), isSound ? VariantRecord(row) : nil))
    }
    return found
  }

  /// Marks files as examined and whole.
  package func endDoubts(of keys: [String]) throws(StateError) {
    let update = try database.prepare("UPDATE variants SET run = NULL WHERE key = ?")
    for key in keys {
      try begin()
      try update.run([.key(key)])
    }
  }

  /// Forgets files. They are regenerated when they are needed.
  package func forgetVariants(_ keys: [String]) throws(StateError) {
    for key in keys {
      try begin()
      try variants.delete(key)
    }
  }

  /// All files of such runs were examined.
  package func endDoubts(boot: String) throws(StateError) {
    try begin()
    try database.prepare("UPDATE runs SET boot = NULL WHERE boot <> ?").run([.text(boot)])
    try commit()
  }
}

/// Separates a damaged state from one that is whole and only failed this time, and puts an empty one in its place.
extension StateStore {
  /// Whether the state that an error is about has to be set aside. Its store is not used any more.
  ///
  /// SQLite's word is not enough: a healthy state that is set aside loses all freshness. So the file is
  /// examined with a new connection. If it can't be examined now, it counts as whole.
  package static func isDamaged(_ error: StateError) -> Bool {
    guard error.suggestsDamage else { return false }
    // A store that lost what it acknowledged, or contradicts itself, is damaged, whatever it looks like.
    if error.kind == .incomplete || error.kind == .older { return true }
    if damage(at: error.path) != nil { return true }
    do throws(StateError) {
      let database = try Database(error.path)
      return try !Schema.isWhole(database)
    } catch {
      return error.kind != .unavailable
    }
  }

  /// What is wrong with the file of a state that no store has open; nil if it is whole, or can't be examined now. Reads all
  /// of it.
  package static func damage(at path: String) -> StateError? {
    do throws(StateError) {
      // For writing, because a write-ahead log may have to be recovered.
      let database = try Database(path)
      try database.execute("PRAGMA busy_timeout = 5000")
      try database.limitSteps()
      // Not quick_check: it does not compare an index with its table. One finding is enough.
      let finding = try database.prepare("PRAGMA integrity_check(1)").first([]) { $0.text(0) }
      return finding == "ok"
        ? nil : StateError(kind: .corrupt, path: path, message: "database disk image is malformed")
    } catch {
      return error.kind == .unavailable ? nil : error
    }
  }

  /// An empty state in the place of a damaged one, which is at another path now. Files are found again by their names,
  /// which follow from the bytes of their sources.
  ///
  /// - Parameters:
  ///   - error: about the damage.
  ///   - aside: where the damaged state is, and its name for the user.
  ///   - isKept: whether it stays there. Then the new one also knows whose the output is, and that images were forgotten.
  /// - Returns: a warning: a clause.
  package static func replace(
    after error: StateError, by path: String, aside: (path: String, name: String),
    isKept: Bool = true
  ) async throws(StateError) -> String {
    let state = try StateStore(path: path)
    if isKept { try await state.takeNotes(from: aside.path) }
    try await state.close()
    return error.finding
      + (isKept ? "; it was set aside as \"\(aside.name)\"" : "; it was replaced by an empty one")
      + ", and everything is fetched again"
  }

  /// Of a state that can't be read, nothing.
  func takeNotes(from path: String) throws(StateError) {
    guard let damaged = try? Database(path, isReadOnly: true) else { return }
    // If this fails, no table can be read either.
    try? damaged.limitSteps()
    defer { damaged.unlimitSteps() }
    try begin()
    // Without it, the next run is only not compared with the last one.
    if let last = try? Self.lastCompletedRun(in: damaged) {
      try database.execute("INSERT OR REPLACE INTO runs (number) VALUES (0)")
      try note(last, as: 0)
    }
    // Without it, a store is believed that says there are no marks of forgotten images.
    if let marks = try? Self.forgottenMarks(in: damaged) { try note(forgottenMarks: marks) }
    try commit()
  }
}

/// A state that is only read.
package struct StateReading: Sendable {
  package let store: StateStore

  package init(path: String) throws(StateError) { store = try Self.open(path) }

  private static func open(_ path: String) throws(StateError) -> StateStore {
    do throws(StateError) {
      // Opening a file without tables would make them, which is a run's to do.
      let isEmpty = try Schema.isEmpty(Database(path, isReadOnly: true))
      return try StateStore(path: isEmpty ? "" : path)
    } catch {
      // SQLite makes an index of the log, though the log is empty. Who looks for what fills the disk gets along without.
      guard error.isFullDisk, isAtRest(path) else { throw error }
      return try StateStore(atRest: path)
    }
  }

  /// Whether the file has all that was written: a log may have later commits, or the rest of one that is half in the file.
  private static func isAtRest(_ path: String) -> Bool {
    FileSystem.size(ofFile: path + "-wal") ?? 0 == 0
  }
}
