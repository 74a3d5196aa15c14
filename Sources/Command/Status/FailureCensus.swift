internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraState
internal import TesseraSystem
internal import TesseraText

/// Failed and stale images, counted by error code and by host, each with a few ids.
///
/// Memory does not grow with the images. Codes are few. Of hosts, those with the fewest images are dropped when there are
/// too many; then counts are lower bounds (`isApproximate`).
struct FailureCensus: Sendable, Equatable {
  /// What has these images in common.
  struct Group: Sendable, Equatable {
    var name: String
    var count = 0
    /// The first ones.
    var ids: [String] = []
    /// As ``FailureCensus/oldestStale``.
    private(set) var oldestStale: Double?
    /// The images with the error `http-status` by the status that their server answered with; the first ten statuses.
    private(set) var httpStatuses: [Int: Int] = [:]

    /// The statuses that most images have come first.
    var statuses: [(status: Int, count: Int)] {
      httpStatuses.map { (status: $0, count: $1) }
        .sorted { ($1.count, $0.status) < ($0.count, $1.status) }
    }

    fileprivate mutating func add(_ id: String, httpStatus: Int?, stale: Double?) {
      count += 1
      oldestStale = [oldestStale, stale].compactMap(\.self).min()
      if ids.count < FailureCensus.namedIDs { ids.append(id) }
      if let httpStatus, httpStatuses.count < 10 || httpStatuses[httpStatus] != nil {
        httpStatuses[httpStatus, default: 0] += 1
      }
    }
  }

  private(set) var failed = 0
  private(set) var stale = 0
  private var codes: [String: Group] = [:]
  private var hosts: [String: Group] = [:]
  /// Images whose host is not recorded: the pipeline keeps URLs out of the catalog (`urls: none`), or they have none.
  private(set) var withoutHost = 0
  private(set) var isApproximate = false
  /// When the source of a stale image that is not gone was last confirmed, of the one where that is longest ago.
  private(set) var oldestStale: Double?

  private static let namedIDs = 3
  private let mostHosts: Int

  init(mostHosts: Int = 10_000) { self.mostHosts = mostHosts }

  /// By falling number.
  var byCode: [Group] { Self.sorted(codes) }
  var byHost: [Group] { Self.sorted(hosts) }

  private static func sorted(_ groups: [String: Group]) -> [Group] {
    groups.values.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  mutating func add(_ item: StateStore.TroubledItem) {
    add(
      item.id, code: item.code, host: item.host ?? "", isStale: item.isStale,
      checked: item.isLost ? nil : item.checked,
      httpStatus: item.code == FetchError.Code.httpStatus.rawValue
        ? HTTPStatus.status(inMessage: item.message) : nil)
  }

  mutating func add(
    _ id: String, code: String, host: String, isStale: Bool, checked: Double? = nil,
    httpStatus: Int? = nil
  ) {
    if isStale {
      stale += 1
      oldestStale = [oldestStale, checked].compactMap(\.self).min()
    } else {
      failed += 1
    }
    codes[code, default: Group(name: code)]
      .add(id, httpStatus: httpStatus, stale: isStale ? checked : nil)
    guard !host.isEmpty else {
      withoutHost += 1
      return
    }
    hosts[host, default: Group(name: host)]
      .add(id, httpStatus: httpStatus, stale: isStale ? checked : nil)
    if hosts.count > mostHosts { dropRareHosts() }
  }

  private mutating func dropRareHosts() {
    isApproximate = true
    let kept = byHost.prefix(mostHosts / 2)
    hosts = [:]
    for group in kept { hosts[group.name] = group }
  }
}

/// What the runs of the last thirty days came to together, as far as the history has them. Runs of shards count each; one that
/// was killed has left no entry, and does not count.
struct HistorySummary: Sendable, Equatable, Encodable {
  static let days = 30
  private let days = Self.days

  /// When the first run ended that the history has, in seconds since 1970, if that is less than thirty days ago; nil if it
  /// reaches further back.
  private(set) var since: Double?
  /// The same in UTC.
  private(set) var sinceTime: String?
  var runs = 0
  /// Those of them that came to no result, and those that a signal stopped.
  var failed = 0
  var stopped = 0
  var requests = 0
  var fetchedBytes = 0
  /// Files that were made.
  var encodes = 0
  var writtenBytes = 0

  private enum CodingKeys: String, CodingKey {
    case days
    case sinceTime = "since"
    case runs, failed, stopped, requests, fetchedBytes, encodes, writtenBytes
  }

  /// - Parameters:
  ///   - entries: in any order; those of tools do not count.
  ///   - now: in seconds since 1970. Entries after it were made before the clock was set back, and count.
  init(_ entries: [HistoryEntry], now: Double) {
    let start = now - Double(Self.days) * 86_400
    if let first = entries.map(\.ended).min(), first > start {
      (since, sinceTime) = (first, Host.timestamp(first))
    }
    for entry in entries where entry.kind == .run && entry.ended >= start {
      runs += 1
      if entry.outcome == .failed { failed += 1 }
      if entry.outcome == .stopped { stopped += 1 }
      requests += entry.work[.requests] ?? 0
      fetchedBytes += entry.work[.fetchedBytes] ?? 0
      encodes += entry.work[.encodes] ?? 0
      writtenBytes += entry.work[.writtenBytes] ?? 0
    }
  }
}

/// What keeps files of an output from `prune`: the documents that name them.
struct KeptPlaces: Sendable {
  /// The current catalog.
  struct Current: Sendable {
    var name: String
    var images: Int?
    var bytes: Int
    var digest: String
  }

  var current: Current?
  /// What is wrong with the current catalog, if it is there: completes "catalog.json …".
  var damage: String?
  /// Whether the current catalog is one that another had replaced, too.
  var hasCurrent = false
  /// The newest first.
  var catalogs: [KeptCatalogList.Entry] = []
  /// How many the pipeline keeps, and for how long each, in seconds; nil if nothing has been kept yet.
  var limit: (count: Int, age: Double)?
  /// Screens of the current catalog, and changes that lead to it.
  var screens = 0
  var changes = 0
  /// Results of shards, which the next catalog will name.
  var shards = 0

  static func read(in output: any Output, now: Double) async throws -> KeptPlaces {
    var places = KeptPlaces()
    let current = try await CurrentCatalog(of: output)
    if let current {
      places.current = Current(
        name: CurrentCatalog.path, images: current.images, bytes: current.bytes,
        digest: current.digest)
      if try await !current.isWhole(in: output) { places.damage = "is cut off" }
    } else if try await CurrentCatalog.isThere(in: output) {
      places.damage = "is not a catalog as a run writes it"
    }
    let kept = try await CatalogHistory.kept(in: output)
    places.take(kept, besides: current, now: now)
    places.screens = try await ScreenFolder.firsts(in: output).count
    places.changes = try await PublishedChanges.all(in: output).count
    places.shards = try await ShardResults.paths(in: output).count
    return places
  }

  private mutating func take(_ kept: KeptCatalogs?, besides current: CurrentCatalog?, now: Double) {
    guard let kept else { return }
    limit = (kept.retention.count, kept.retention.age)
    hasCurrent = kept.catalogs.contains { $0.path == current?.keptPath }
    catalogs = kept.others(than: current?.keptPath).enumerated().map { index, other in
      var entry = KeptCatalogList.Entry(other, number: index + 1, now: now)
      entry.until = Host.timestamp(kept.end(of: other))
      return entry
    }
  }
}
