internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Makes one catalog of the results of all shards: byte for byte that of a run of all items.
package struct Merging: Sendable {
  private let roots: [String]
  private let target: String?
  private let count: Int?
  private let allowsLoss: Bool
  private let state: String?

  /// - Parameters:
  ///   - roots: the outputs that shards were written to.
  ///   - target: the output that gets the catalog, and copies of the files; nil for the only root.
  ///   - count: the number of shards; nil if there are those of one number only.
  ///   - state: the directory of the state of an output in an object store.
  ///   - allowsLoss: whether any number of images that the catalog shows may be lost.
  package init(
    _ roots: [String], into target: String?, shards count: Int?, state: String? = nil,
    allowsLoss: Bool = false
  ) {
    (self.state, self.allowsLoss) = (state, allowsLoss)
    self.roots = roots
    self.target = target
    self.count = count
  }

  /// - Throws: ``OutputToolError`` if a result is missing, is damaged, or does not belong to the
  ///   others, or if a run holds the output; or `CancellationError`. The last catalog then stands.
  package func run() async throws -> MergeReport {
    let folders = try roots.map { root throws(OutputToolError) in try OutputFolder(root) }
    let outputs = folders.map(\.published)
    // A lock creates a folder: without results nothing is made. A shard that runs has no result, but holds the output.
    let mayRun = try await folders[0].hasWorkspace()
    if target != nil || !mayRun {
      _ = try await ShardSet(in: outputs, count: count)
    }
    return try await OutputToolError.wrapAsyncWork {
      let held = try await OpenOutput(target ?? roots[0], state: state).hold()
      do {
        let report = try await held.keepingLock {
          // Those of the output itself under its lock: that they change meanwhile says that it is lost.
          let shards = try await ShardSet(
            in: target == nil ? [held.output] : outputs, count: count)
          return try await merge(shards, held)
        }
        await held.release()
        return report
      } catch {
        await held.release()
        throw error
      }
    }
  }

  private func merge(
    _ shards: ShardSet, _ held: HeldOutput
  ) async throws -> MergeReport {
    guard let first = shards.results.first?.header else {
      throw OutputToolError("no shard has a result")
    }
    let (output, workspace) = (held.output, held.workspace)
    let begun = ContinuousClock.now
    try await OutputToolError.wrapAsync {
      // No shard is running, so what is left there belongs to dead ones.
      try await held.prepare()
    }
    // Shards of one output have its marks.
    var known: Set<Identifier> = [Identifier(output.location)]
    let others = shards.results.map(\.output).filter { known.insert($0.location) }
    let gate = try await OutputToolError.wrapAsync { try await LineGate(of: output, and: others) }
    let report = try await count(shards, gate)
    if !allowsLoss { try await checkLoss(shards, gate, report, limit: first.lostAbove) }
    var copies = target.map { _ in FileCopies(to: output, workspace, first.formats) }
    try await OutputToolError.wrapAsyncWork {
      var draft = try CatalogDraft(
        head: Array(first.head.utf8), screens: first.screens, count: report.images, through: gate,
        in: workspace)
      try await shards.forEachImage(through: gate) { entry in
        try await copies?.copyFiles(of: entry, from: shards.results[entry.shard].output)
        try draft.add(Array(entry.image))
      }
      try await draft.publish(keeping: first.retention, now: Host.now)
      try await clearNotes(of: output, workspace)
    }
    try await writeRunReport(of: shards, gate, workspace)
    try await note(report, begun.duration(to: .now), held)
    var merged = report
    merged.copied = copies?.count ?? 0
    merged.copiedBytes = copies?.bytes ?? 0
    merged.catalog = FileSystem.join(output.location, CurrentCatalog.path)
    return merged
  }

  /// What the catalog will have.
  private func count(_ shards: ShardSet, _ gate: LineGate) async throws -> MergeReport {
    var report = MergeReport()
    for header in shards.results.map(\.header) {
      report.shards += 1
      report.images += header.images
      report.problems += header.problems
      report.counts.merge(header.counts, uniquingKeysWith: +)
    }
    if gate.isEmpty { return report }
    // The headers count images, too, that were forgotten since.
    (report.images, report.counts) = (0, [:])
    try await OutputToolError.wrapAsyncWork {
      try await shards.forEachImage(through: gate) { entry in
        let image = entry.image
        report.images += 1
        if let status = CatalogLine(image)?.status { report.counts[status, default: 0] += 1 }
      }
    }
    return report
  }
}

extension Merging {
  /// As a run does before it replaces a catalog.
  private func checkLoss(
    _ shards: ShardSet, _ gate: LineGate, _ report: MergeReport, limit: Double
  ) async throws {
    let shown = CatalogLine.shownStatuses.reduce(0) { $0 + report.counts[$1, default: 0] }
    guard limit < 100, LossCount.isOfInterest(hidden: report.images - shown, shown: shown) else {
      return
    }
    let statuses = try OutputToolError.wrap { try LineIndex() }
    try await OutputToolError.wrapAsyncWork {
      // On disk: there may be more images than memory holds.
      try await shards.forEachImage(through: gate) { entry in
        let image = entry.image
        guard let image = CatalogLine(image), let id = image.id else { return }
        _ = try statuses.add(id, .init(offset: image.isShown ? 1 : 0, length: 0, next: nil))
      }
      let count = try await LossCount(in: gate.output) { ids in
        try ids.map { id in try statuses.find(id).map { $0.offset == 1 } }
      }
      guard count.isAbove(limit) else { return }
      throw OutputToolError(
        count.sentence(limit: limit)
          + "; the last good catalog stands; if the images are really gone, accept it with merge --allow-loss"
      )
    }
  }

  /// If the files of the new catalog are dropped again, `prune` waits again. Runs of shards have other states than its.
  private func clearNotes(of output: any Output, _ workspace: Workspace) async throws {
    guard workspace.hasState else { return }
    let state = try StateStore(path: workspace.statePath())
    if try await state.hasNotes() {
      try await CurrentCatalog.forEachFiles(in: output) { try await state.clearNotes(on: $0) }
    }
    try await state.commit()
  }

  private func note(
    _ report: MergeReport, _ time: Duration, _ held: HeldOutput
  ) async throws(OutputToolError) {
    let failed = report.counts["failed", default: 0] + report.counts["stale", default: 0]
    var entry = HistoryEntry(
      .merge, ended: Host.now, seconds: time.inSeconds,
      failed + report.problems > 0 ? .someFailed : .done)
    entry.counts = report.counts
    try await OutputToolError.wrapAsync { try await held.note(entry) }
  }

  /// Writes `run.json`, without the shards whose own is missing or damaged.
  private func writeRunReport(
    of shards: ShardSet, _ gate: LineGate, _ workspace: Workspace
  ) async throws(OutputToolError) {
    var merged = MergedRunReport()
    for (header, place) in shards.results {
      let path = ShardHeader.reportPath(header.shard, of: header.shards)
      guard let bytes = try? await place.read(path, 1 << 20, at: 0),
        let report = try? JSONParser.parse(bytes)
      else { continue }
      merged.add(report)
    }
    guard let json = merged.json else { return }
    try await OutputToolError.wrapAsync {
      try await gate.publishReport(json, as: "run.json", workspace)
    }
  }
}

/// Copies files from outputs that were written apart.
private struct FileCopies {
  private let target: any Output
  private let workspace: Workspace
  private let formats: [CatalogFormat]
  private(set) var count = 0
  private(set) var bytes = 0

  init(to target: any Output, _ workspace: Workspace, _ formats: [CatalogFormat]) {
    self.target = target
    self.formats = formats
    self.workspace = workspace
  }

  mutating func copyFiles(of entry: LineHeap.Entry, from source: any Output) async throws {
    guard let image = CatalogLine(entry.image), let files = image.files(formats),
      files.count == entry.sha256.count
    else {
      throw OutputToolError(
        "a result in \"\(source.location)\" names malformed files; run it again")
    }
    let sizes = try await target.sizes(of: files.map(\.path))
    for ((file, digest), size) in zip(zip(files, entry.sha256), sizes) {
      guard let size else {
        try await copy(file, digest, from: source)
        continue
      }
      guard size == file.bytes else {
        throw OutputToolError(
          "\"\(FileSystem.join(target.location, file.path))\" has \(size) bytes, and that of "
            + "\"\(source.location)\" \(file.bytes): another version of a library made it, and clients keep what is behind "
            + "a name; merge into an output without it, or delete it there if no client has it yet")
      }
    }
  }

  private mutating func copy(
    _ file: PublishedFile, _ digest: String, from source: any Output
  ) async throws {
    let staged = workspace.staging("copy-\(count)")
    // A path that Tessera does not make is not copied to anywhere, and what is copied is what was checked.
    guard PublishedFile.isOne(file.path), try await stage(file, from: source, in: staged) == digest
    else {
      try staged.remove()
      throw OutputToolError(
        "\"\(FileSystem.join(source.location, file.path))\" is damaged; run its shard again")
    }
    try await target.publish(staged, as: file.path, digest: digest)
    count += 1
    bytes += file.bytes
  }

  /// Returns SHA-256 of what was staged.
  private func stage(
    _ file: PublishedFile, from source: any Output, in staged: WorkFile
  ) async throws -> String {
    let copy = try staged.open(.write)
    let digest = SHA256()
    var offset = 0
    while offset < file.bytes {
      let part = try await source.read(file.path, 1 << 20, at: offset)
      if part.isEmpty { break }
      part.withUnsafeBytes { digest.update($0) }
      try copy.write(part)
      offset += part.count
    }
    return digest.hexadecimal()
  }
}
