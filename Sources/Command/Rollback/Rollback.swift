internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraSystem

/// Makes an earlier catalog of an output the current one again.
///
/// The state stays what it is, so the next run writes the catalog that follows from it.
struct Rollback: Sendable {
  private let root: String
  private let state: String?
  private let store: StoreSettings
  private let now: Double

  /// How many files are looked for at a time.
  private static let batch = 1_000

  /// - Parameters:
  ///   - state: the directory of the state of an output in an object store.
  ///   - now: in seconds since 1970.
  init(
    _ root: String, state: String? = nil, store: StoreSettings = StoreSettings(),
    now: Double = Host.now
  ) {
    (self.root, self.store) = (root, store)
    self.state = state
    self.now = now
  }

  /// The catalogs that can be rolled back to, the newest first.
  func list() async throws -> KeptCatalogList {
    let output = try OutputFolder(root, state: state, store: store)
    var list = KeptCatalogList(catalogs: [])
    for (number, kept) in try await kept(in: output.published).enumerated() {
      var entry = KeptCatalogList.Entry(kept, number: number + 1, now: now)
      entry.counts = try await Self.statuses(of: kept, in: output.published)
      try Task.checkCancellation()
      list.catalogs.append(entry)
    }
    return list
  }

  /// How many images have which status; nil for a damaged catalog, which is listed all the same: to roll back to it says what
  /// is wrong.
  private static func statuses(
    of kept: KeptCatalog, in output: any Output
  ) async throws -> [String: Int]? {
    var texts = CatalogTexts(kept.path, in: output)
    var counts: [String: Int] = [:]
    while true {
      let line: [UInt8]?
      do {
        line = try await texts.next()
      } catch {
        guard error.isDamage || error.isMissingFile else { throw error }
        return nil
      }
      guard let line else { return counts }
      let status = CatalogLine.status(in: line).flatMap(CatalogImage.Status.init)
      guard let status else { return nil }
      counts[status.rawValue, default: 0] += 1
    }
  }

  private func kept(in output: any Output) async throws -> [KeptCatalog] {
    let current = try await CurrentCatalog(of: output)
    return try await CatalogHistory.kept(in: output)?.others(than: current?.keptPath) ?? []
  }

  /// - Parameter number: 1 for the catalog before the current one.
  /// - Throws: ``TesseraError`` if there is no such catalog, it names a file that is not there, or a run
  ///   holds the output; or `CancellationError`. The current catalog then stands.
  func run(to number: Int) async throws -> RollbackReport {
    let output = try OutputFolder(root, state: state, store: store)
    // The lock creates a folder, and a folder that is not an output stays as it is. In an output the lock comes
    // first: a run that is at work may be about to keep a catalog.
    if try await !output.hasWorkspace() { _ = try await target(number, in: output) }
    return try await output.locked { held in
      let begun = ContinuousClock.now
      // A run may have ended meanwhile.
      let history = CatalogHistory(of: held.output, held.workspace)
      try await held.clear()
      try await history.eraseForgotten(try await LineGate(of: held.output))
      let target = try await target(number, in: output)
      var report = RollbackReport(target, number: number, now: now)
      try await check(target, output, &report)
      // A run that has taken over would publish at the same time.
      try await held.confirm()
      report.hasReplaced = try await CurrentCatalog(of: held.output) != nil
      try await history.rollBack(to: target, now: now)
      var entry = HistoryEntry(
        .rollback, ended: now, seconds: begun.duration(to: .now).inSeconds, .done)
      entry.counts = report.counts
      report.warning = await OutputFolder.note(entry, in: held)
      return report
    }
  }

  private func target(
    _ number: Int, in output: OutputFolder
  ) async throws -> KeptCatalog {
    let kept = try await kept(in: output.published)
    guard let target = kept.dropFirst(number - 1).first else {
      let found = kept.count == 1 ? "1 earlier catalog" : "\(kept.count) earlier catalogs"
      throw TesseraError(
        .output,
        "\"\(root)\" keeps \(kept.isEmpty ? "no earlier catalog" : "\(found), not \(number)")",
        remedy: kept.isEmpty
          ? "a run keeps the one that it replaces (keep-catalogs)"
          : "tessera rollback --list \(ShellWords.operands([root])) shows them", subject: root)
    }
    return target
  }

  // MARK: Checks

  /// Finds the first file that the catalog names and that is not there.
  private func check(
    _ kept: KeptCatalog, _ output: OutputFolder, _ report: inout RollbackReport
  ) async throws {
    guard try await output.size(of: kept.path) != nil else {
      throw missing(kept.path, of: kept, found: nil)
    }
    var images = KeptImages(kept, in: output.published, checksDigest: true)
    let formats = try await images.formats()
    var files: [(path: String, bytes: Int?)] = []
    while let image = try await images.next() {
      try Task.checkCancellation()
      report.count(image.status ?? "")
      guard let named = image.files(formats) else {
        throw images.damaged("is damaged: an image has a malformed entry")
      }
      files += named.map { ($0.path, $0.bytes) }
      if files.count >= Self.batch { try await find(&files, of: kept, output, &report) }
    }
    for file in images.tables.flatMap(\.files) {
      files.append((file.path, file.bytes))
      if let index = file.index { files.append((index, nil)) }
    }
    for path in kept.companions.values.sorted() where try await output.size(of: path) == nil {
      throw missing(path, of: kept, found: nil)
    }
    for path in kept.companions.values.sorted() {
      let parts = try await ScreenFolder.parts(of: path, in: output.published)?.parts
      files += (parts ?? []).map { ($0, nil) }
    }
    try await find(&files, of: kept, output, &report)
  }

  private func find(
    _ files: inout [(path: String, bytes: Int?)], of kept: KeptCatalog, _ output: OutputFolder,
    _ report: inout RollbackReport
  ) async throws {
    let paths = files.map(\.path)
    let sizes = try await output.published.sizes(of: paths)
    for (file, size) in zip(files, sizes) where size == nil || size != file.bytes ?? size {
      throw missing(file.path, of: kept, found: size)
    }
    report.files += files.count
    files.removeAll(keepingCapacity: true)
  }

  private func missing(_ path: String, of kept: KeptCatalog, found: Int?) -> TesseraError {
    let file = FileSystem.join(root, path)
    return TesseraError(
      .output,
      "the catalog that was replaced at \(Host.timestamp(Double(kept.time))) can't be rolled back to: "
        + "\"\(file)\" " + (found.map { "has another size (\($0) bytes)" } ?? "is missing")
        + "; the current catalog stands; try an older one (--to N), or repair the pipeline and run again"
    )
  }
}

/// The catalogs that an output keeps beside the current one.
struct KeptCatalogList: Sendable, JSONDocument {
  struct Entry: Sendable, Encodable {
    /// 1 for the newest.
    var number: Int
    /// When it was replaced, in UTC.
    var time: String
    /// How long ago, in seconds.
    var age: Double
    /// Nil if an older version wrote the catalog.
    var images: Int?
    /// Images by status; nil if the catalog can't be read.
    var counts: [String: Int]?
    var bytes: Int
    var digest: String
    /// Relative to the output.
    var path: String
    /// Until when it is kept at the latest, in UTC; nil if only the order counts.
    var until: String?

    private enum CodingKeys: String, CodingKey {
      case number
      case time = "replaced"
      case images, counts, bytes, digest, path, until
    }

    init(_ kept: KeptCatalog, number: Int, now: Double) {
      self.number = number
      time = Host.timestamp(Double(kept.time))
      age = max(0, now - Double(kept.time))
      (images, bytes, digest) = (kept.images, kept.bytes, kept.digest)
      path = kept.path
    }
  }

  let schema = "tessera-rollback-list/1"
  var catalogs: [Entry]
}

/// What `rollback` did.
struct RollbackReport: Sendable, JSONDocument {
  let schema = "tessera-rollback/1"
  /// The catalog that is the current one again.
  var catalog: KeptCatalogList.Entry
  private(set) var images = 0
  /// Images by status.
  private(set) var counts: [String: Int] = [:]
  /// The files that it names, all of which were found.
  var files = 0
  /// Whether there was a catalog, which is kept now.
  var hasReplaced = false
  /// What could not be written after it: a clause; nil if all was.
  var warning: String?

  private enum CodingKeys: CodingKey { case schema, catalog, images, counts, files, warning }

  init(_ kept: KeptCatalog, number: Int, now: Double) {
    catalog = KeptCatalogList.Entry(kept, number: number, now: now)
  }

  mutating func count(_ status: String) {
    images += 1
    counts[status, default: 0] += 1
  }
}
