/// How one host has answered the requests so far, and whether it bans their sender. A pure value.
struct HostAnswers: Sendable, Equatable {
  private(set) var answers = 0
  /// Answered with 403 (Forbidden) or 429 (Too Many Requests).
  private(set) var rejected = 0
  /// The last answers, a bit each, the newest the lowest; set for those that were rejected.
  private var last: UInt64 = 0

  mutating func add(isRejected: Bool) {
    answers += 1
    if isRejected { rejected += 1 }
    last = last << 1 | (isRejected ? 1 : 0)
  }

  /// Fewer rejections may be about their own images.
  static let leastRejected = 5

  /// Whether at least nine in ten of the last answers, up to 64, are rejections. Not of all answers: a host that bans in the
  /// middle of a run has answered well before.
  var isBan: Bool {
    let count = min(answers, UInt64.bitWidth)
    let rejected = last.nonzeroBitCount
    return rejected >= Self.leastRejected && rejected * 10 >= count * 9
  }
}

/// A host that rejects all or nearly all requests.
package struct HostBan: Sendable, Equatable, Encodable {
  /// Host and port.
  package var host: String
  /// Requests that it answered, and those of them that it answered with 403 or 429.
  package var answers: Int
  package var rejected: Int

  package init(host: String, answers: Int, rejected: Int) {
    (self.host, self.answers, self.rejected) = (host, answers, rejected)
  }

  /// What happened: a clause.
  package var clause: String {
    rejected == answers
      ? "\(host) answered all \(answers) requests with 403 or 429"
      : "\(host) answered \(rejected) of \(answers) requests with 403 or 429, the last ones nearly all"
  }

  /// What to do: a clause.
  package var remedy: String {
    "it probably bans this pipeline: send it fewer requests (fetch.hosts: [{host: \(host), rate: 1/s}]), name a contact "
      + "(fetch.user-agent), send the header that it requires (fetch.hosts), or ask its owner; the runbook has the steps"
  }
}

/// The answers of the hosts of one process.
package struct HostTally: Sendable, Equatable {
  /// A manifest may name any number of hosts.
  static let mostHosts = 1_000

  private var hosts: [String: HostAnswers] = [:]

  mutating func add(_ result: FetchResult) {
    let host = result.answeredBy
    guard !host.isEmpty else { return }
    var isRejected = false
    if case .failure(let error) = result.result { isRejected = [403, 429].contains(error.status) }
    if hosts.count >= Self.mostHosts, hosts[host] == nil {
      hosts = hosts.filter { $1.rejected > 0 }
      guard hosts.count < Self.mostHosts else { return }
    }
    hosts[host, default: HostAnswers()].add(isRejected: isRejected)
  }

  /// The hosts that ban, the one with the most rejections first.
  package var bans: [HostBan] {
    hosts.filter(\.value.isBan)
      .map { HostBan(host: $0, answers: $1.answers, rejected: $1.rejected) }
      .sorted { ($1.rejected, $0.host) < ($0.rejected, $1.host) }
  }

  var names: [String] { Array(hosts.keys) }

  /// Whether any of them is a server on the internet, which others run.
  package var hasPublicHost: Bool {
    hosts.keys.contains { AddressPolicy.isPublic("http://\($0)/") }
  }
}
