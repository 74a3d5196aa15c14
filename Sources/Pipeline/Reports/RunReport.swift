internal import TesseraCatalog
internal import TesseraJSON
package import TesseraManifest
internal import TesseraNet
package import TesseraOutput
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// What a run did: everything that `run.json` holds and the catalog must not.
package struct RunReport: Sendable {
  /// Seconds since 1970.
  package var started = 0.0
  package var seconds = 0.0
  /// The items of the last run on this output; nil if there was none.
  package var before: Int?
  /// Images of the catalog that the run left as they were; nil for a run of all images.
  package internal(set) var others: Int?
  /// Items by status.
  package var counts: [String: Int] = [:]
  /// Of the failed items, those that the run's deadline left no time for.
  package var notReached = 0
  /// Items with an error, by its code.
  package var errors: [String: Int] = [:]
  /// Items by how their errors relate to what the last run came to.
  package var failures: [ItemReport.FailureChange: Int] = [:]
  /// The first items of the manifest whose errors are new.
  package private(set) var newFailures: [Example] = []
  /// Stale items by the host that was requested.
  package private(set) var staleHosts: [String: StaleHost] = [:]
  /// The first manifest lines that can't be used.
  package var problems: [ManifestProblem] = []
  package var problemCount = 0
  /// URLs of the lines that were read anew that had to be encoded.
  package var encodedURLs = 0
  /// Images that were forgotten, and that the manifest still has.
  package var forgotten = 0
  /// Hosts that reject all or nearly all requests.
  var bans: [HostBan] = []
  /// Whether `run.json` may name them.
  var showsHosts = true
  package var requests = 0
  package var retries = 0
  package var notModified = 0
  package var bytesFetched = 0
  package var variantsAsked = 0
  /// Made by an image service, when clients request them.
  package var variantsDelivered = 0
  package var variantsMade = 0
  package var variantsReused = 0
  /// Files whose names others had already, with other bytes: these stand.
  package internal(set) var variantsStanding = 0
  package var bytesWritten = 0
  package var decodes = 0
  /// Decoded images that are not displayed as their headers say.
  package internal(set) var headerDiffers = 0
  /// Of the images that were decoded.
  package internal(set) var views = ViewCost()
  /// Images that got files of the better format in this run, their files and these files' bytes, and images that still lack
  /// them.
  package var upgradedImages = 0
  package var upgradedFiles = 0
  package var upgradedBytes = 0
  package var upgradesWaiting = 0
  /// The time of workers for that.
  var upgradeSeconds = 0.0
  /// Files of tables.
  package var tablesMade = 0
  package var tablesReused = 0
  /// Files that the deadline left no time for.
  package var tablesUnmade = 0
  /// Images that are missing in tables, because their files could not be decoded.
  package var tablesLeftOut = 0
  /// Whether lines of the catalog are older than what the run has learned of their sources; the next run makes them again.
  var isBehind = false
  package var workers = 0
  package var workersReplaced = 0
  /// In bytes.
  package var peakMemory = 0
  /// Items without an error, by what is new about them.
  package var changes: [ItemReport.Change: Int] = [:]
  /// For each error code the first item of the manifest that has it.
  package var examples: [String: Example] = [:]
  /// Of the sources that were decoded.
  package var sourceBytes = 0
  /// The time of all requests, and that of all jobs of workers; several go on at a time.
  var fetching = Duration.zero
  var transcoding = Duration.zero
  package var fetchSeconds: Double { fetching.inSeconds }
  package var transcodeSeconds: Double { transcoding.inSeconds }
  /// By their own time, the slowest first.
  package var slowest: [ItemReport] = []
  package var warnings: [String] = []
  /// Until when all sources are fresh, in seconds since 1970.
  var freshUntil = Double.infinity
  /// Whether the catalog, or the result of a shard, has been replaced.
  var isPublished = false
  /// Whether a catalog of this run has taken the place of another one.
  package internal(set) var hasReplaced = false
  /// The number of the run in the state; nil if it found nothing to do.
  var number: Int?
  /// What is counted of the output at its end.
  package internal(set) var figures = OutputFigures()
  /// Whether something that follows the catalog could not be done.
  package internal(set) var isIncomplete = false

  /// All problems are counted, and this many are kept: memory does not grow with the manifest.
  static let keptProblems = 100
  package static let keptSlowest = 10
  static let keptBans = 100
  package static let keptNewFailures = 19
  static let keptStaleHosts = 100

  /// An item with an error.
  package struct Example: Sendable, Encodable {
    package var id: String
    /// A clause, as the catalog has it.
    package var message: String
    var position: Int

    private enum CodingKeys: CodingKey { case id, message }
  }

  /// A host of stale items.
  package struct StaleHost: Sendable, Equatable {
    package var images = 0
    /// When it last confirmed one of them, in seconds since 1970.
    package var confirmed = 0.0
  }

  /// The code of items that the run's deadline left no time for.
  package static var deadlineCode: String { FetchError.Code.runDeadline.rawValue }

  package init() {}

  package var total: Int { counts.values.reduce(0, +) }
  package func count(_ status: String) -> Int { counts[status, default: 0] }

  /// A clause for each error code, the most frequent first: `2 dns, such as p2: no name`.
  package var reasons: [String] {
    errors.descending.map { code, count in
      let example = examples[code].map { ", such as \($0.id): \($0.message)" } ?? ""
      return "\(count) \(code)\(example)"
    }
  }

  /// Counts an error, and keeps the item as an example if it comes before the present one.
  mutating func add(_ error: CatalogImage.Failure, of item: ItemReport) {
    errors[error.code, default: 0] += 1
    if item.status == .failed, error.code == Self.deadlineCode { notReached += 1 }
    let example = Example(id: item.id, message: error.message, position: item.position)
    if item.failure == .new { addNew(example) }
    if let other = examples[error.code], other.position < item.position { return }
    examples[error.code] = example
  }

  private mutating func addNew(_ example: Example) {
    let place = newFailures.firstIndex { $0.position > example.position } ?? newFailures.count
    guard place < Self.keptNewFailures else { return }
    newFailures.insert(example, at: place)
    if newFailures.count > Self.keptNewFailures { newFailures.removeLast() }
  }

  mutating func addStale(_ item: ItemReport) {
    guard let confirmed = item.confirmed,
      staleHosts[item.host] != nil || staleHosts.count < Self.keptStaleHosts
    else { return }
    var host = staleHosts[item.host] ?? StaleHost()
    host.images += 1
    host.confirmed = max(host.confirmed, confirmed)
    staleHosts[item.host] = host
  }

  mutating func addTime(of item: ItemReport) {
    let least = slowest.count < Self.keptSlowest ? .zero : slowest.last?.ownTime ?? .zero
    guard item.ownTime > least else { return }
    slowest.append(item)
    slowest.sort { $0.ownTime > $1.ownTime }
    if slowest.count > Self.keptSlowest { slowest.removeLast() }
  }

  /// Items with an error.
  var failed: Int {
    count(CatalogImage.Status.failed.rawValue) + count(CatalogImage.Status.stale.rawValue)
  }

  /// The hosts that ban, and what to do: a clause each.
  package var banNotes: [(fault: String, remedy: String)] { bans.map { ($0.clause, $0.remedy) } }

  /// Whether anything did not come out as it should: exit status 1.
  package var hasFailures: Bool { failed + problemCount > 0 || isIncomplete }
}

extension RunReport {
  /// The document `run.json`, for `run --json`.
  package var json: [UInt8] { json(below: []) }

  /// The document `run.json`. It is beside the catalog, and may be as public.
  ///
  /// - Parameter folders: paths of the output, from which on paths in warnings are shown.
  func json(below folders: [String]) -> [UInt8] {
    let places = folders.flatMap { [$0, FileSystem.realPath($0)].compactMap(\.self) }
      .sorted { $0.count > $1.count }
    let shown = warnings.map { warning in
      places.reduce(warning) { $0.replacing("\"\($1)/", with: "\"") }
    }
    return RunDocument(self, warnings: shown).json
  }
}

private struct RunDocument: JSONDocument {
  let schema = "tessera-run/1"
  let started: String
  let seconds: Double
  let items: Items
  let changes: Changes
  let errors: [String: Int]
  let examples: [String: RunReport.Example]
  let failures: Failures
  let stale: [Stale]
  let manifestProblems: Problems
  let bans: [Ban]
  let fetch: Fetch
  let variants: Variants
  let upgrade: Upgrade
  let tables: Tables
  let decodes, headerDiffers, sourceBytes: Int
  let view: View
  let workers: Workers
  let peakMemoryBytes: Int
  let slowest: [Item]
  let warnings: [String]

  struct Items: Encodable {
    let total, ok, stale, failed, pending, notReached, forgotten, encodedURLs, others: Int
  }

  struct Changes: Encodable {
    let new, changed, reused: Int
  }

  struct Failures: Encodable {
    let new, known, solved: Int
    let firstNew: [RunReport.Example]
  }

  struct Stale: Encodable {
    let host: String?
    let images: Int
    let confirmed: String
  }

  struct Problems: Encodable {
    let total: Int
    let first: [ManifestProblem]
  }

  struct Ban: Encodable {
    let host: String?
    let answers, rejected: Int
  }

  struct Fetch: Encodable {
    let requests, retries, notModified, bytes: Int
    let transferSeconds: Double
  }

  struct Variants: Encodable {
    let asked, delivered, made, reused, standing, bytesWritten: Int
  }

  struct Upgrade: Encodable {
    let images, files, bytes, waiting: Int
    let jobSeconds: Double
  }

  struct Tables: Encodable {
    let made, reused, leftOut: Int
  }

  struct View: Encodable {
    let bytes, exactBytes: Int
  }

  struct Workers: Encodable {
    let count: Int
    let jobSeconds: Double
    let replaced: Int
  }

  struct Item: Encodable {
    let id: String
    let seconds, fetchSeconds, transcodeSeconds: Double
  }

  init(_ report: RunReport, warnings: [String]) {
    (started, seconds) = (Host.timestamp(report.started), report.seconds)
    func count(_ status: CatalogImage.Status) -> Int { report.count(status.rawValue) }
    items = Items(
      total: report.total, ok: count(.ok), stale: count(.stale), failed: count(.failed),
      pending: count(.pending), notReached: report.notReached, forgotten: report.forgotten,
      encodedURLs: report.encodedURLs, others: report.others ?? 0)
    let changes = report.changes
    self.changes = Changes(
      new: changes[.new] ?? 0, changed: changes[.changed] ?? 0, reused: changes[.reused] ?? 0)
    (errors, examples) = (report.errors, report.examples)
    failures = Failures(
      new: report.failures[.new] ?? 0, known: report.failures[.known] ?? 0,
      solved: report.failures[.solved] ?? 0, firstNew: report.newFailures)
    stale = report.staleHosts.descending(by: \.images)
      .map { host, stale in
        Stale(
          host: report.showsHosts && !host.isEmpty ? host : nil, images: stale.images,
          confirmed: Host.timestamp(stale.confirmed))
      }
    manifestProblems = Problems(total: report.problemCount, first: report.problems)
    bans = report.bans.prefix(RunReport.keptBans).map { ban in
      Ban(
        host: report.showsHosts ? ban.host : nil, answers: ban.answers, rejected: ban.rejected)
    }
    fetch = Fetch(
      requests: report.requests, retries: report.retries, notModified: report.notModified,
      bytes: report.bytesFetched, transferSeconds: report.fetchSeconds)
    variants = Variants(
      asked: report.variantsAsked, delivered: report.variantsDelivered, made: report.variantsMade,
      reused: report.variantsReused, standing: report.variantsStanding,
      bytesWritten: report.bytesWritten)
    upgrade = Upgrade(
      images: report.upgradedImages, files: report.upgradedFiles, bytes: report.upgradedBytes,
      waiting: report.upgradesWaiting, jobSeconds: report.upgradeSeconds)
    tables = Tables(
      made: report.tablesMade, reused: report.tablesReused, leftOut: report.tablesLeftOut)
    (decodes, headerDiffers) = (report.decodes, report.headerDiffers)
    (sourceBytes, peakMemoryBytes) = (report.sourceBytes, report.peakMemory)
    view = View(bytes: report.views.meanBytes, exactBytes: report.views.meanExactBytes)
    workers = Workers(
      count: report.workers, jobSeconds: report.transcodeSeconds, replaced: report.workersReplaced)
    slowest = report.slowest.map { item in
      Item(
        id: item.id, seconds: item.ownSeconds, fetchSeconds: item.fetching.inSeconds,
        transcodeSeconds: item.transcoding.inSeconds)
    }
    self.warnings = warnings
  }
}
