internal import TesseraText

/// Notices that of most images there is nothing to show: a name server is down, a token has expired. Then the fault is
/// not the items', and a run that stops and says so is better than one that fails the whole manifest. Stale images are no
/// failures here: they are shown as they were.
///
/// One host that fails is not such a fault, however many images it has: the other hosts have to fail,
/// too. A run with one host has no others.
struct FailureWatch {
  /// The number of last items that count. Fewer than `fewest` mean nothing.
  static let window = 200
  static let fewest = 100

  /// The share that may fail, in per cent.
  private let limit: Double
  /// The results of the last items, the oldest at `next`: the code of an error, or nil.
  private var last: [String?] = []
  private var next = 0
  private var hosts = HostResults()

  /// - Parameter limit: in per cent; at 100 a run is never stopped.
  init(limit: Double) { self.limit = limit }

  /// Notes that an item of a host is in flight.
  mutating func begin(_ host: String) { hosts.begin(host) }

  /// Takes the results of items that were not in flight, and did not fail.
  mutating func take(successes count: Int) {
    for _ in 0..<min(count, Self.window) { add(nil) }
  }

  private mutating func add(_ code: String?) {
    if last.count < Self.window {
      last.append(code)
    } else {
      last[next] = code
      next = (next + 1) % Self.window
    }
  }

  /// Takes the result of an item. Returns a diagnosis, without its full stop, if too much has failed.
  ///
  /// - Parameters:
  ///   - host: as in ``begin(_:)``.
  ///   - counts: whether the result is of this run: a failure that an earlier run has found is not.
  mutating func diagnosis(
    after error: (code: String, message: String)?, of host: String? = nil, counts: Bool = true
  ) -> String? {
    if let host { hosts.end(host, hasFailed: counts ? error != nil : nil) }
    guard counts else { return nil }
    add(error?.code)
    // At the start of a run a few failures are a large share.
    guard let error, last.count >= Self.fewest else { return nil }
    let failed = last.compactMap(\.self)
    guard
      Double(failed.count) * 100 > limit * Double(last.count),
      hosts.shareWithoutTheWorst.map({ $0 * 100 > limit }) ?? true
    else { return nil }
    let counts = Dictionary(grouping: failed, by: \.self).mapValues(\.count)
      .descending
    let parts = counts.prefix(3).map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    return
      "\(failed.count) of the last \(last.count) images failed, which is more than fail-above: "
      + "\(Units.text(percentage: limit)) (\(parts)); the last one: \(error.message) The catalog stays as it was"
  }
}

/// The last results of the hosts whose items ran last.
///
/// It remembers hosts by their number and not by their images: a manifest that is sorted by host has
/// thousands of images of one host in a row.
private struct HostResults {
  private struct Host {
    var name: String
    var inFlight = 0
    var failures: [Bool] = []
  }

  /// Hosts, and results of each. With 20 of each, one result never decides, and the failure of a
  /// network is noticed after the twentieth host of a sorted manifest.
  private static let limit = 20

  /// The one that was changed last is at the end.
  private var hosts: [Host] = []

  mutating func begin(_ name: String) { change(name) { $0.inFlight += 1 } }

  /// - Parameter hasFailed: nil if the result does not count.
  mutating func end(_ name: String, hasFailed: Bool?) {
    change(name) { host in
      host.inFlight = max(0, host.inFlight - 1)
      guard let hasFailed else { return }
      host.failures.append(hasFailed)
      host.failures = host.failures.suffix(Self.limit)
    }
  }

  private mutating func change(_ name: String, _ body: (inout Host) -> Void) {
    let index = hosts.firstIndex { $0.name == name }
    var host = index.map { hosts.remove(at: $0) } ?? Host(name: name)
    body(&host)
    hosts.append(host)
    if hosts.count > Self.limit { hosts.removeFirst() }
  }

  /// The failed share, from 0 to 1, of all hosts but the one that fails most; each host counts the
  /// same. Nil if there is only one. A host that may still do well counts as if it did: a server answers
  /// "not found" sooner than another one sends an image.
  var shareWithoutTheWorst: Double? {
    let shares = hosts.compactMap { host in
      host.failures.isEmpty
        ? (host.inFlight > 0 ? 0 : nil)
        : Double(host.failures.count { $0 }) / Double(host.failures.count)
    }
    guard shares.count > 1 else { return nil }
    return shares.sorted().dropLast().reduce(0, +) / Double(shares.count - 1)
  }
}
