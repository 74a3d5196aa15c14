internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraSystem

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
