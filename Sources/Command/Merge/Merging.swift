internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Makes one catalog of the results of all shards: byte for byte that of a run of all items.
struct Merging: Sendable {
  private let roots: [String]
  private let target: String?
  private let count: Int?
  private let allowsLoss: Bool
  private let state: String?
  private let now: Double

  /// - Parameters:
  ///   - roots: the outputs that shards were written to.
  ///   - target: the output that gets the catalog, and copies of the files; nil for the only root.
  ///   - count: the number of shards; nil if there are those of one number only.
  ///   - state: the directory of the state of an output in an object store.
  ///   - allowsLoss: whether any number of images that the catalog shows may be lost.
  ///   - now: in seconds since 1970.
  init(
    _ roots: [String], into target: String?, shards count: Int?, state: String? = nil,
    allowsLoss: Bool = false, now: Double = Host.now
  ) {
    (self.state, self.allowsLoss, self.now) = (state, allowsLoss, now)
    self.roots = roots
    self.target = target
    self.count = count
  }

  /// - Throws: ``TesseraError`` if a result is missing, is damaged, or does not belong to the
  ///   others, or if a run holds the output; or `CancellationError`. The last catalog then stands.
  func run() async throws -> MergeReport {
    let folders = try roots.map { root in try OutputFolder(root) }
    let outputs = folders.map(\.published)
    // A lock creates a folder: without results nothing is made. A shard that runs has no result, but holds the output.
    let mayRun = try await folders[0].hasWorkspace()
    if target != nil || !mayRun {
      _ = try await ShardSet(in: outputs, count: count)
    }
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

  private func merge(
    _ shards: ShardSet, _ held: HeldOutput
  ) async throws -> MergeReport {
    guard let first = shards.results.first?.header else {
      throw TesseraError(.output, "no shard has a result")
    }
    let (output, workspace) = (held.output, held.workspace)
    let begun = ContinuousClock.now
    // No shard is running, so what is left there belongs to dead ones.
    try await held.prepare()
    // Shards of one output have its marks.
    var known: Set<Identifier> = [Identifier(output.location)]
    let others = shards.results.map(\.output).filter { known.insert($0.location) }
    let gate = try await LineGate(of: output, and: others)
    let report = try await count(shards, gate)
    if !allowsLoss { try await checkLoss(shards, gate, report, limit: first.lostAbove) }
    let state = workspace.hasState ? try StateStore(path: workspace.statePath()) : nil
    var copies = target.map { _ in FileCopies(to: output, workspace, state, first.formats) }
    var draft = try CatalogDraft(
      head: Array(first.head.utf8), screens: first.screens, count: report.images, through: gate,
      in: workspace)
    try await shards.forEachImage(through: gate) { entry in
      let source = shards.results[entry.shard].output
      try draft.add(try await copies?.line(of: entry, from: source) ?? Array(entry.image))
    }
    try await draft.publish(keeping: first.retention, now: now)
    if let state { try await clearNotes(of: output, in: state) }
    try await writeRunReport(of: shards, gate, workspace)
    try await note(report, begun.duration(to: .now), held)
    var merged = report
    merged.copied = copies?.count ?? 0
    merged.copiedBytes = copies?.bytes ?? 0
    merged.standing = copies?.standing ?? 0
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
    try await shards.forEachImage(through: gate) { entry in
      let image = entry.image
      report.images += 1
      if let status = CatalogLine(image)?.status { report.counts[status, default: 0] += 1 }
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
    let statuses = try LineIndex()
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
    throw TesseraError(
      .lostImages, "\(count.sentence(limit: limit)); the last good catalog stands",
      remedy: "if the images are really gone, accept it with merge --allow-loss")
  }

  /// If the files of the new catalog are dropped again, `prune` waits again. Runs of shards have other states than its.
  private func clearNotes(of output: any Output, in state: StateStore) async throws {
    if try await state.hasNotes() {
      try await CurrentCatalog.forEachFiles(in: output) { try await state.clearNotes(on: $0) }
    }
    try await state.commit()
  }

  private func note(
    _ report: MergeReport, _ time: Duration, _ held: HeldOutput
  ) async throws {
    let failed = report.counts["failed", default: 0] + report.counts["stale", default: 0]
    var entry = HistoryEntry(
      .merge, ended: now, seconds: time.inSeconds,
      failed + report.problems > 0 ? .someFailed : .done)
    entry.counts = report.counts
    try await held.note(entry)
  }

  /// Writes `run.json`, without the shards whose own is missing or damaged.
  private func writeRunReport(
    of shards: ShardSet, _ gate: LineGate, _ workspace: Workspace
  ) async throws {
    var merged = MergedRunReport()
    for (header, place) in shards.results {
      let path = ShardHeader.reportPath(header.shard, of: header.shards)
      guard let bytes = try? await place.read(path, 1 << 20, at: 0),
        let report = try? JSONParser.parse(bytes)
      else { continue }
      merged.add(report)
    }
    guard let json = merged.json else { return }
    try await gate.publishReport(json, as: "run.json", workspace)
  }
}

/// The `run.json` of a whole run, put together from those of its shards: sums, and the longest time and the
/// highest memory of any of them.
struct MergedRunReport {
  private var sum: JSONValue?

  /// Lists that grow with the shards keep this many entries.
  private static let kept = 100
  /// What is not added up.
  private static let maxima: Set<String> = ["seconds", "peakMemoryBytes"]

  mutating func add(_ report: JSONValue) {
    sum = sum.map { Self.combined($0, report, "") } ?? report
  }

  /// Nil without any report.
  var json: [UInt8]? {
    guard let sum else { return nil }
    var writer = JSONWriter(indent: 2)
    writer.value(sum)
    return writer.take() + [UInt8(ascii: "\n")]
  }

  private static func combined(
    _ one: JSONValue, _ other: JSONValue, _ name: String
  ) -> JSONValue {
    switch (one, other) {
    case (.object(var members), .object(let others)):
      for member in others {
        if let index = members.firstIndex(where: { $0.name == member.name }) {
          // An example is of one shard as a whole.
          if name == "examples" { continue }
          members[index].value = combined(members[index].value, member.value, member.name)
        } else {
          // An error that no earlier shard had.
          members.append(member)
        }
      }
      return .object(
        ["errors", "examples"].contains(name) ? members.sorted { $0.name < $1.name } : members)
    case (.array(let values), .array(let others)): return combined(values, others, name)
    case (.number, .number):
      if maxima.contains(name) {
        return (one.doubleValue ?? 0) >= (other.doubleValue ?? 0) ? one : other
      }
      if let count = one.intValue, let second = other.intValue { return .int(count + second) }
      return .number("\((one.doubleValue ?? 0) + (other.doubleValue ?? 0))")
    // The first start, and the last answer; the schema is the same in all.
    case (.string(let text), .string(let second)):
      return .string(name == "confirmed" ? max(text, second) : min(text, second))
    default: return one
    }
  }

  /// A host of several shards is one. Hosts that the reports don't name stay apart.
  private static func mergedHosts(_ entries: [JSONValue]) -> [JSONValue] {
    entries.reduce(into: []) { merged, entry in
      let host = entry["host"]?.stringValue
      if host != nil, let index = merged.firstIndex(where: { $0["host"]?.stringValue == host }) {
        merged[index] = combined(merged[index], entry, "host")
      } else {
        merged.append(entry)
      }
    }
  }

  private static func combined(
    _ values: [JSONValue], _ others: [JSONValue], _ name: String
  ) -> JSONValue {
    if name == "slowest" {
      let all = values + others
      func seconds(_ value: JSONValue) -> Double { value["seconds"]?.doubleValue ?? 0 }
      return .array(Array(all.sorted { seconds($0) > seconds($1) }.prefix(RunReport.keptSlowest)))
    }
    if ["bans", "stale"].contains(name) {
      return .array(Array(mergedHosts(values + others).prefix(kept)))
    }
    if name == "firstNew" {
      return .array(Array((values + others).prefix(RunReport.keptNewFailures)))
    }
    // Each shard warns of the same kernel.
    let new = others.filter { !values.contains($0) }
    return .array(Array((values + new).prefix(kept)))
  }
}
