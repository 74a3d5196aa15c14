package import TesseraSystem

/// The earlier catalogs of an output, which are private like its state:
///
///     .tessera/catalogs/list.json              what is kept, the newest first
///     .tessera/catalogs/3f9c….json             a catalog, under a name made of its digest
///     .tessera/catalogs/3f9c….screens.feed.first.json   the first document of a screen
///
/// A catalog is kept before another one replaces it: its copy first, then the list, and only then the
/// new catalog. What the list does not name is left of a killed process. A kill at any time leaves the
/// current catalog and the kept ones whole.
package struct CatalogHistory: Sendable {
  private static let folder = KeptCatalog.folder
  private static let list = "\(folder)/list.json"

  let output: any Output
  let workspace: Workspace

  private static let partBytes = 8 << 20

  /// - Parameter workspace: of which this process holds the lock.
  package init(of output: any Output, _ workspace: Workspace) {
    self.output = output
    self.workspace = workspace
  }

  /// What an output keeps; nil if nothing has been kept yet.
  package static func kept(in output: any Output) async throws(SystemError) -> KeptCatalogs? {
    guard let document = try await output.document(list) else { return nil }
    guard let kept = KeptCatalogs(document: document) else {
      throw .damaged(
        FileSystem.join(output.location, list),
        "expected a list of kept catalogs; remove it, and earlier catalogs are forgotten")
    }
    return kept
  }

  /// Keeps the current catalog, unless the next one is the same.
  ///
  /// - Parameters:
  ///   - current: nil if there is none.
  ///   - before: the list as it is.
  ///   - next: the path that the next catalog would have in the list.
  ///   - retention: how many are kept beside the current one, and for how long.
  ///   - gate: through which what is kept has come.
  ///   - now: in seconds since 1970.
  /// - Returns: the list as it is then.
  func keep(
    _ current: CurrentCatalog?, in before: KeptCatalogs?, before next: String,
    _ retention: CatalogRetention, _ gate: LineGate, now: Double
  ) async throws(SystemError) -> KeptCatalogs? {
    var kept = before ?? KeptCatalogs(retention)
    kept.retention = retention
    kept.marks = gate.digest
    // The list says that there are changes until they are gone.
    kept.retention.changes = max(retention.changes, before?.retention.changes ?? 0)
    var replaced: KeptCatalog?
    if let current, current.keptPath != next, retention.count > 0 {
      replaced = try await copy(current, kept, now: now)
    }
    kept.keep(replaced, before: next, now: now)
    let isWorthIt =
      before != nil || !kept.catalogs.isEmpty || retention.changes > 0 || !gate.isEmpty
    guard kept != before, isWorthIt else { return before }
    try await write(kept)
    return kept
  }

  /// Notes that all documents are without the images of these marks.
  package func note(_ gate: LineGate) async throws(SystemError) {
    guard var kept = try await Self.kept(in: output), kept.marks != gate.digest else { return }
    kept.marks = gate.digest
    try await write(kept)
  }

  /// Replaces the list, after the copies are durable.
  func write(_ kept: KeptCatalogs) async throws(SystemError) {
    let staged = workspace.staging("kept.list")
    try staged.open(.write).write(kept.document)
    try await output.write(Self.list, staged: staged)
  }

  /// Drops the catalogs that have been kept for long enough.
  ///
  /// - Returns: how many.
  package func dropOld(now: Double) async throws(SystemError) -> Int {
    guard let before = try await Self.kept(in: output) else { return 0 }
    var kept = before
    kept.catalogs = before.catalogs.filter { before.isYoung($0, now: now) }
    guard kept != before else { return 0 }
    try await write(kept)
    try await removeUnlisted(kept)
    return before.catalogs.count - kept.catalogs.count
  }

  /// What follows when readers see another catalog.
  ///
  /// - Parameter retention: nil for that of the publication before, if the current catalog must not be kept.
  func followUp(
    _ retention: CatalogRetention?, _ kept: KeptCatalogs?
  ) async throws(SystemError) {
    try await removeUnlisted(kept)
    guard let retention = retention ?? kept?.retention else { return }
    try await PublishedChanges(of: output).write(retention, kept)
    if var kept, kept.retention.changes != retention.changes {
      kept.retention.changes = retention.changes
      try await write(kept)
    }
  }

  /// Removes copies that the list does not name: dropped ones, and those of killed processes.
  func removeUnlisted(_ kept: KeptCatalogs?) async throws(SystemError) {
    let names: [String]
    do throws(SystemError) {
      names = try await output.list(Self.folder).map(\.name)
    } catch {
      guard error.isMissingFile else { throw error }
      return
    }
    let catalogs = kept?.catalogs ?? []
    let listed = Set(catalogs.flatMap { [$0.path] + $0.companions.values } + [Self.list])
    for name in names where !listed.contains("\(Self.folder)/\(name)") {
      try await output.delete("\(Self.folder)/\(name)")
    }
  }

  /// Takes a copy that can't be read out of the list.
  func drop(_ path: String) async throws(SystemError) {
    guard let before = try await Self.kept(in: output) else { return }
    var kept = before
    kept.catalogs.removeAll { $0.path == path }
    for place in kept.catalogs.indices {
      kept.catalogs[place].companions = kept.catalogs[place].companions.filter { $0.value != path }
    }
    if kept != before { try await write(kept) }
  }

  // MARK: Copies

  private func copy(
    _ current: CurrentCatalog, _ kept: KeptCatalogs, now: Double
  ) async throws(SystemError) -> KeptCatalog {
    let path = current.keptPath
    let known = kept.catalogs.first { $0.path == path }
    var entry = KeptCatalog(
      path: path, companions: known?.companions ?? [:], images: current.images,
      bytes: current.bytes,
      digest: current.digest, time: Int(now))
    // Also where one is there: it may have been damaged since.
    try await copy(CurrentCatalog.path, to: path)
    for companion in try await ScreenFolder.firsts(in: output)
    // A killed run may have published those of the next catalog already.
    where try await ScreenFolder.parts(of: companion, in: output)?.catalog == current.digest {
      let target = KeptCatalog.path(digest: current.digest, companion: companion)
      try await copy(companion, to: target)
      entry.companions[companion] = target
    }
    return entry
  }

  /// What has a name is never written to, but replaced: so a second name is as good as a copy.
  private func copy(_ path: String, to target: String) async throws(SystemError) {
    if try await output.link(path, as: target) { return }
    try await output.write(target, staged: try await staged(path, as: "kept.copy"))
  }

  /// A copy of a document in a staged file.
  func staged(_ path: String, as name: String) async throws(SystemError) -> WorkFile {
    let staged = workspace.staging(name)
    let file = try staged.open(.write)
    var offset = 0
    while true {
      let part = try await output.read(path, Self.partBytes, at: offset)
      if part.isEmpty { break }
      try file.write(part)
      offset += part.count
    }
    return staged
  }
}

/// A catalog and its companions, the first documents of its screens, which readers see together: if one can't be replaced, the
/// others stay, too.
struct CatalogPair {
  private let output: any Output
  private let workspace: Workspace

  init(of output: any Output, _ workspace: Workspace) {
    (self.output, self.workspace) = (output, workspace)
  }

  /// A companion in a staged file.
  func staged(_ path: String, _ bytes: [UInt8]) throws(SystemError) -> WorkFile {
    let staged = workspace.staging(path.replacing("/", with: "-"))
    try staged.open(.write).write(bytes)
    return staged
  }

  /// Replaces all by staged files: nothing is written in between that a full disk could prevent.
  ///
  /// - Parameters:
  ///   - current: nil if there is none.
  ///   - companions: by their paths; others are deleted.
  func replace(
    _ current: CurrentCatalog?, by catalog: WorkFile, companions: [String: WorkFile]
  ) async throws(SystemError) {
    var before: [String: WorkFile] = [:]
    for path in try await ScreenFolder.firsts(in: output) {
      before[path] = try await copy(of: path)
    }
    do throws(SystemError) {
      // First: who reads the catalog may look for its screens.
      try await write(companions, replacing: before)
      try await output.write(CurrentCatalog.path, staged: catalog)
    } catch {
      // As far as that is possible; `verify` finds those that do not belong together. A call that failed may have replaced
      // the catalog.
      if try await CurrentCatalog(of: output)?.digest == current?.digest {
        try? await write(before, replacing: companions)
      }
      throw error
    }
    for copy in before.values { try copy.remove() }
  }

  private func write(
    _ companions: [String: WorkFile], replacing others: [String: WorkFile]
  ) async throws(SystemError) {
    for path in companions.keys.sorted() {
      if let staged = companions[path] { try await output.write(path, staged: staged) }
    }
    for path in others.keys.sorted() where companions[path] == nil {
      try await output.delete(path)
    }
  }

  /// A staged copy of a present companion.
  private func copy(of path: String) async throws(SystemError) -> WorkFile {
    let copy = workspace.staging("before-" + path.replacing("/", with: "-"))
    try copy.open(.write).write(try await output.document(path) ?? [])
    return copy
  }
}
