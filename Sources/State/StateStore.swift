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
  /// The highest number of an item of the last completed run.
  private(set) var lastItem = 0

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
    lastItem = try Self.lastItem(in: database)
  }

  private static func lastItem(in database: Database) throws(StateError) -> Int {
    try database.prepare(
      "SELECT last_item FROM runs WHERE items IS NOT NULL ORDER BY number DESC LIMIT 1"
    ).first([]) { $0.int(0) } ?? 0
  }

  func readLastItem() throws(StateError) { lastItem = try Self.lastItem(in: database) }

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
    lastItem = try database.prepare("SELECT max(number) FROM items").first([]) { $0.int(0) } ?? 0
    try database.prepare(
      "UPDATE runs SET pipeline = ?1, items = ?2, identity = ?3, addresses = ?4, last_item = ?6"
        + " WHERE number = ?5"
    ).run([
      .text(completed.pipeline), .int(completed.items), .optional(completed.identity),
      .optional(completed.addresses), .int(run), .int(lastItem),
    ])
  }

  // MARK: Commits

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
