internal import TesseraFetch
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem

extension OutputStatus {
  /// The document that `status --json` prints.
  ///
  /// - Parameter count: how many of the last runs it has.
  package func json(runs count: Int) -> [UInt8] { StatusDocument(self, runs: count).json }
}

private struct StatusDocument: JSONDocument {
  let schema = "tessera-status/1"
  let output, time: String
  let inProgress, inProgressSince: String?
  let imagesDone: Int?
  let killed: Bool
  let problems: [String]
  let runs: [RecordedRun]
  let summary: HistorySummary
  let failures: Failures
  let bans: [HostBan]
  let kept: Kept
  let prune: Prune
  let figures: OutputFigures

  /// A person gets fewer.
  private static let listedHosts = 1_000

  struct Failures: Encodable {
    let ofRun: String?
    let failed, stale: Int
    let staleUntil: String?
    let byCode, byHost: [Group]
    let withoutHost: Int
    let isApproximate: Bool
  }

  struct Group: Encodable {
    let name: String
    let images: Int
    let ids: [String]
    let staleUntil: String?
    let httpStatuses: JSONMembers<Int>?
  }

  struct Kept: Encodable {
    let catalog: Catalog?
    let catalogs: [KeptCatalogList.Entry]
    let screens, changes, shardResults: Int
  }

  struct Catalog: Encodable {
    let path: String
    let images: Int?
    let bytes: Int
    let digest: String
    let rolledBack: String?
  }

  struct Prune: Encodable {
    let deletable, deletableBytes, waiting, waitingBytes: Int
    let nextDeletion: String?
  }

  init(_ status: OutputStatus, runs count: Int) {
    func groups(_ groups: some Sequence<FailureCensus.Group>) -> [Group] {
      groups.map { group in
        Group(
          name: group.name, images: group.count, ids: group.ids,
          staleUntil: group.oldestStale.flatMap(status.staleEnd(of:)),
          httpStatuses: group.httpStatuses.isEmpty
            ? nil : JSONMembers(group.statuses.map { ("\($0.status)", $0.count) }))
      }
    }
    let (failed, places, unnamed) = (status.failures, status.kept, status.unnamed)
    (output, time) = (status.output, Host.timestamp(status.now))
    (inProgress, inProgressSince) = (status.holder, status.busySince.map(Host.timestamp))
    (imagesDone, killed, problems) = (status.imagesDone, status.wasKilled, status.problems)
    (runs, summary) = (Array(status.runs.prefix(count)), status.summary)
    failures = Failures(
      ofRun: status.runWithoutCatalog?.time, failed: failed.failed, stale: failed.stale,
      staleUntil: status.staleEnd, byCode: groups(failed.byCode),
      byHost: groups(failed.byHost.prefix(Self.listedHosts)), withoutHost: failed.withoutHost,
      isApproximate: failed.isApproximate)
    bans = status.bans
    kept = Kept(
      catalog: places.current.map { current in
        Catalog(
          path: current.name, images: current.images, bytes: current.bytes, digest: current.digest,
          rolledBack: status.rollbackTime)
      }, catalogs: places.catalogs, screens: places.screens, changes: places.changes,
      shardResults: places.shards)
    prune = Prune(
      deletable: unnamed.deletable, deletableBytes: unnamed.deletableBytes,
      waiting: unnamed.waiting, waitingBytes: unnamed.waitingBytes,
      nextDeletion: unnamed.nextDeletion.map(Host.timestamp))
    figures = status.figures
  }
}

extension RecordedRun: Encodable {
  private enum CodingKeys: CodingKey { case time, shard }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: CodingKeys.self)
    try object.encode(time, forKey: .time)
    try object.encodeIfPresent(shard, forKey: .shard)
    try entry.encode(to: encoder)
  }
}
