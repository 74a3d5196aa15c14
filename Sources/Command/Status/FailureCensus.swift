internal import TesseraJSON
internal import TesseraNet
internal import TesseraOutput
internal import TesseraState
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
