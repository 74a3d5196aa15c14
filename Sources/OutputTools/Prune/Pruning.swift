internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

/// Deletes variants that neither the catalog nor a kept one names, and what the state knows of images that the
/// manifest no longer names, some time after that was first seen: clients that hold yesterday's catalog
/// still find their files.
package struct Pruning: Sendable {
  private let root: String
  private let grace: Duration
  private let isDryRun: Bool
  private let now: Double
  private let state: String?

  /// - Parameters:
  ///   - grace: how long a file or a row stays after it was first seen to be unnamed.
  ///   - isDryRun: whether nothing is deleted or recorded.
  ///   - now: in seconds since 1970.
  ///   - state: the directory of the state of an output in an object store.
  package init(
    _ root: String, grace: Duration, isDryRun: Bool, now: Double = Host.now, state: String? = nil
  ) {
    self.root = root
    self.state = state
    self.grace = grace
    self.isDryRun = isDryRun
    self.now = now
  }

  /// - Parameter onDelete: called for each file before it is deleted, or would be.
  /// - Throws: ``OutputToolError`` if the catalog is missing, or a run holds the output; or
  ///   `CancellationError`.
  package func run(
    onDelete: @escaping @Sendable (_ path: String) -> Void
  ) async throws -> PruneReport {
    let output = try OutputFolder(root, state: state)
    // Before the lock, which creates a folder: a folder that is not an output stays as it is.
    let catalog = try CatalogFile(of: try await LocalOutput(root))
    _ = try catalog.head()
    return try await output.holding { held, state in
      try await delete(catalog, output, held, state, onDelete)
    }
  }

  private func delete(
    _ catalog: CatalogFile, _ output: OutputFolder, _ held: HeldOutput, _ state: StateStore,
    _ onDelete: @Sendable (_ path: String) -> Void
  ) async throws -> PruneReport {
    let tables = try catalog.head().tablePaths
    var catalog = try catalog.lines()
    try await OutputToolError.wrapAsync { try await state.beginNaming() }
    try await record(in: state) { try catalog.next() }
    // The next catalog will name them.
    for path in try await output.shardResults() {
      var lines = try await ShardLines(path, in: output.published)
      try await record(in: state) { try await lines.nextImage() }
    }
    try await recordKept(of: output, state)
    var report = PruneReport()
    for folder in try await output.list("variants") {
      guard folder.kind == .folder else {
        report.foreign += 1
        continue
      }
      // A run that has taken over may name them again.
      try await held.confirm()
      try await prune("variants/\(folder.name)", of: output, state, &report, onDelete) {
        PublishedFile.digest(in: $0) != nil
      }
    }
    try await pruneTables(tables, of: output, held, state, &report, onDelete)
    try await prunePages(of: output, state, &report, onDelete)
    try await collectRows(state, &report)
    if !isDryRun { try await OutputToolError.wrapAsync { try await state.shrink() } }
    return report
  }

  /// After the files: records of files that are gone leave with them.
  private func collectRows(_ state: StateStore, _ report: inout PruneReport) async throws {
    // Without the names of all rows only those of files can be judged.
    let isWhole = try await OutputToolError.wrapAsync { try await state.nameRows() }
    for table in isWhole ? StateStore.Table.allCases : [.variants, .retired] {
      var (deleted, waiting) = (0, 0)
      var last: String? = ""
      while let key = last {
        try Task.checkCancellation()
        let part = try await OutputToolError.wrapAsync {
          try await state.collect(
            table, after: key, now: now, grace: grace.inSeconds, isDryRun: isDryRun)
        }
        last = part.last
        deleted += part.deleted
        waiting += part.waiting
      }
      if table != .retired {
        report.count(rows: table.rawValue, deleted: deleted, waiting: waiting)
      }
    }
  }

  /// Lists the names that images have in a table of the state, which may be larger than memory.
  private func record(
    in state: StateStore, _ next: () async throws -> JSONValue?
  ) async throws {
    var names: [String] = []
    while let image = try await next() {
      guard let files = PublishedFile.all(of: image) else {
        throw OutputToolError(
          "an image has a malformed catalog entry; run again before anything is deleted")
      }
      names += files.map(\.path)
      if names.count >= 1_000 {
        let batch = names
        try await OutputToolError.wrapAsync { try await state.name(batch) }
        names = []
      }
    }
    let batch = names
    try await OutputToolError.wrapAsync { try await state.name(batch) }
  }

  /// Names what earlier catalogs need, so that they can become the current one again.
  private func recordKept(of output: OutputFolder, _ state: StateStore) async throws {
    let kept = try await OutputToolError.wrapAsync {
      try await CatalogHistory.kept(in: output.published)
    }
    for catalog in kept?.catalogs ?? [] {
      // One that was removed by hand needs nothing.
      guard try await output.size(of: catalog.path) != nil else { continue }
      var images = KeptImages(catalog, in: output.published, checksDigest: false)
      try await record(in: state) { try await images.next() }
      let tables = images.tables.flatMap(\.files).flatMap {
        [$0.path] + ($0.index.map { [$0] } ?? [])
      }
      try await OutputToolError.wrapAsync { try await state.name(tables) }
      guard let index = catalog.index else { continue }
      try await OutputToolError.wrapAsync {
        let pages = try await CatalogPages.named(in: output.published, by: index)
        try await state.name((pages ?? []).map(\.path))
      }
    }
  }

  /// Deletes files of tables that the catalog does not name.
  private func pruneTables(
    _ named: [String], of output: OutputFolder, _ held: HeldOutput, _ state: StateStore,
    _ report: inout PruneReport, _ onDelete: (String) -> Void
  ) async throws {
    try await OutputToolError.wrapAsync { try await state.name(named) }
    guard try await output.hasTables() else { return }
    for folder in try await output.list("tables") {
      guard folder.kind == .folder else {
        report.foreign += 1
        continue
      }
      try await held.confirm()
      try await prune("tables/\(folder.name)", of: output, state, &report, onDelete) {
        PublishedFile.digest(in: $0) != nil
      }
    }
  }

  /// Deletes pages of the catalog that its index no longer names.
  private func prunePages(
    of output: OutputFolder, _ state: StateStore, _ report: inout PruneReport,
    _ onDelete: (String) -> Void
  ) async throws {
    guard try await output.hasPages() else { return }
    let pages = try await OutputToolError.wrapAsync {
      try await CatalogPages.named(in: output.published)
    }
    try await OutputToolError.wrapAsync {
      try await state.name([CatalogPages.index] + (pages ?? []).map(\.path))
    }
    try await prune(CatalogPages.folder, of: output, state, &report, onDelete) {
      CatalogPages.isPage($0)
    }
  }

  /// - Parameter isMade: whether a run gives such names. Files with other names are not deleted.
  private func prune(
    _ folder: String, of output: OutputFolder, _ state: StateStore, _ report: inout PruneReport,
    _ onDelete: (String) -> Void, _ isMade: (_ path: String) -> Bool
  ) async throws {
    for file in try await output.list(folder) {
      try Task.checkCancellation()
      let path = "\(folder)/\(file.name)"
      if path == CatalogPages.index { continue }
      guard isMade(path), case .file(let bytes) = file.kind else {
        report.foreign += 1
        continue
      }
      let fate = try await OutputToolError.wrapAsync { try await decide(about: path, state) }
      report.count(fate, bytes: bytes)
      guard case .deleted = fate else { continue }
      onDelete(path)
      if !isDryRun {
        // The file first: a kill in between leaves a note without a file, which does no harm.
        try await output.remove(path)
        try await OutputToolError.wrapAsync { try await state.forgetRetired(path) }
      }
    }
  }

  /// Decides about a file, and records when it was first seen to be unnamed.
  private func decide(about path: String, _ state: StateStore) async throws -> PruneReport.Fate {
    if try await state.isNamed(path) {
      // A file that is named again begins a new grace period when it is dropped again.
      if !isDryRun { try await state.forgetRetired(path) }
      return .kept
    }
    let since = try await state.retired(path, now: now, notes: !isDryRun)
    if now - since >= grace.inSeconds { return .deleted }
    // Its record stays with it.
    try await state.name([path])
    return .waiting(until: since + grace.inSeconds)
  }
}
