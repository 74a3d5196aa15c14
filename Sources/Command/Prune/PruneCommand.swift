internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

enum PruneCommand: Command {
  static let name = "prune"
  static let summary = "delete variants that the catalog no longer names (--dry-run)"

  private static let dryRun = Flag(
    "--dry-run", "list what would be deleted, and why other files stay; delete nothing")
  private static let grace = Option.duration(
    "--grace", "how long files and records stay after they are no longer named; default 7d",
    allowsZero: true)

  static let syntax = Syntax(
    [OutputOptions.operand],
    text: """
      Deletes files below variants that the catalog of an output does not name, and parts that its screens
      do not name, a week after they left the catalog, so that clients with yesterday's catalog still
      find their files. When that was say the catalogs that are kept; else it is when prune first
      looked. What the state knows of images that the manifest does not name leaves it after the same
      time. Files of catalogs that rollback can go back to stay. Call it after each run.
      """,
    options: [dryRun, grace, OutputOptions.state],
    example: Example(
      "tessera prune build/feed --dry-run", "Lists what would be deleted."),
    statuses: [
      ExitMeaning(.done, "pruned"),
      ExitMeaning(.failed, "there is no catalog, or a file can't be deleted"),
      ExitMeaning(.busy, "a run holds the output"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let grace = try arguments.value(Self.grace) ?? .seconds(7 * 86_400)
    let isDryRun = arguments.has(dryRun)
    let isJSON = arguments.has(CommonFlag.json)
    let output = try OutputOptions.output(arguments, of: Self.self)
    let pruning = Pruning(
      output.root, grace: grace, isDryRun: isDryRun, state: output.state, store: output.store)
    let lists = isDryRun && !isJSON
    let report = try await pruning.run { path in
      if lists { Console.line(path) }
    } onStay: { path, reason in
      if lists { Console.line("\(path) \(reason)") }
    } repaired: {
      Console.warn($0)
    }
    if isJSON {
      Console.write(report)
    } else if !arguments.has(CommonFlag.quiet) {
      Console.line(summary(of: report, isDryRun: isDryRun))
    }
    return .done
  }

  private static func summary(of report: PruneReport, isDryRun: Bool) -> String {
    let deleted = isDryRun ? "would be deleted" : "deleted"
    var text =
      "\(Amount.count(report.deleted, "file")) \(deleted) "
      + "(\(Amount.bytes(report.deletedBytes))), \(report.kept) kept"
    if !report.keptByOthers.isEmpty {
      let places = report.keptByOthers.sorted { $0.key < $1.key }.map { "\($0.value) by \($0.key)" }
      let end = report.keptUntil.map { ", until \($0) at the latest" } ?? ""
      text += " (\(places.joined(separator: ", ")) alone\(end))"
    }
    if report.waiting > 0 {
      text += ", \(report.waiting) waiting (\(Amount.bytes(report.waitingBytes))"
      text += report.nextDeletionTime.map { "; the first until \($0))" } ?? ")"
    }
    if report.foreign > 0 { text += ", \(report.foreign) not made by tessera" }
    guard report.deletedRows + report.waitingRows > 0 else { return text }
    text += "; \(Amount.count(report.deletedRows, "record")) of the state \(deleted)"
    return report.waitingRows > 0 ? text + ", \(report.waitingRows) waiting" : text
  }
}

/// What `prune` did, or would do.
struct PruneReport: Sendable, JSONDocument {
  /// What becomes of a variant.
  enum Fate {
    /// Something names it.
    case kept(by: StateStore.Naming)
    /// It is unnamed, but not for long enough.
    case waiting(until: Double)
    case deleted

    /// Why a file stays that the current catalog does not name: a clause; nil for all others.
    var reasonToStay: String? {
      switch self {
      case .kept(let naming) where naming.place == OutputPlace.catalog.rawValue: nil
      case .kept(let naming) where naming.place == OutputPlace.screens.rawValue: nil
      case .kept(let naming):
        "stays: named by \(naming.place)"
          + (naming.until.map { ", until \(Host.timestamp($0)) at the latest" } ?? "")
      case .waiting(let end):
        "stays until \(Host.timestamp(end)): clients with an earlier catalog may fetch it"
      case .deleted: nil
      }
    }
  }

  let schema = "tessera-prune/1"
  var kept = 0
  private(set) var keptBytes = 0
  /// Files that stay because an earlier catalog, or the result of a shard, names them, by place.
  private(set) var keptByOthers: [String: Int] = [:]
  /// When the last of the kept catalogs that name files ends, in seconds since 1970.
  private var lastEnd: Double? { didSet { keptUntil = lastEnd.map(Host.timestamp) } }
  /// The same in UTC.
  private(set) var keptUntil: String?
  /// Kept catalogs that were dropped because of their age.
  var dropped = 0
  var deleted = 0
  var deletedBytes = 0
  var waiting = 0
  var waitingBytes = 0
  /// When the first of the waiting files may be deleted, in seconds since 1970; nil if none waits.
  private(set) var nextDeletion: Double? {
    didSet { nextDeletionTime = nextDeletion.map(Host.timestamp) }
  }
  /// The same in UTC.
  private(set) var nextDeletionTime: String?
  /// Files that no run made. They stay.
  var foreign = 0
  /// Rows of the state that left it, by table.
  private var rows = JSONMembers<Int>()
  private(set) var deletedRows = 0
  private(set) var waitingRows = 0

  private enum CodingKeys: String, CodingKey {
    case schema, kept
    case keptByOthers = "keptBy"
    case keptUntil
    case dropped = "droppedCatalogs"
    case deleted, deletedBytes, waiting, waitingBytes
    case nextDeletionTime = "nextDeletion"
    case foreign, rows, waitingRows
  }

  mutating func count(_ fate: Fate, bytes: Int) {
    switch fate {
    case .kept(let naming):
      kept += 1
      keptBytes += bytes
      if fate.reasonToStay != nil { keptByOthers[naming.place, default: 0] += 1 }
      lastEnd = [lastEnd, naming.until].compactMap(\.self).max()
    case .waiting(let end):
      waiting += 1
      waitingBytes += bytes
      nextDeletion = min(nextDeletion ?? end, end)
    case .deleted:
      deleted += 1
      deletedBytes += bytes
    }
  }

  mutating func count(rows table: String, deleted: Int, waiting: Int) {
    rows.append(table, deleted)
    deletedRows += deleted
    waitingRows += waiting
  }
}
