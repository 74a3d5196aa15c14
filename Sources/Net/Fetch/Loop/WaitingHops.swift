/// Transfers that a redirect leads on, and that wait until its target may get another request. They hold no place
/// meanwhile, neither of all transfers nor of a host.
struct WaitingHops {
  private var hops: [(transfer: Transfer, job: FetchJob, since: ContinuousClock.Instant)] = []

  var isEmpty: Bool { hops.isEmpty }

  func has(target: String) -> Bool { hops.contains { $0.job.target == target } }

  mutating func add(_ transfer: Transfer, _ job: FetchJob, now: ContinuousClock.Instant) {
    hops.append((transfer, job, now))
  }

  /// Removes and returns the transfer that has waited longest, of those that may go on. Its wait is not a part of its time.
  mutating func takeNext(
    now: ContinuousClock.Instant, where mayContinue: (_ target: String?) -> Bool
  ) -> (transfer: Transfer, job: FetchJob)? {
    guard let index = hops.firstIndex(where: { mayContinue($0.job.target) }) else { return nil }
    var (transfer, job, since) = hops.remove(at: index)
    let wait = since.duration(to: now)
    job.heldForRate += wait
    transfer.deadline += wait
    return (transfer, job)
  }

  mutating func remove(_ identifier: Int) -> (transfer: Transfer, job: FetchJob)? {
    guard let index = hops.firstIndex(where: { $0.job.identifier == identifier }) else {
      return nil
    }
    let hop = hops.remove(at: index)
    return (hop.transfer, hop.job)
  }

  mutating func takeAll() -> [(transfer: Transfer, job: FetchJob)] {
    defer { hops = [] }
    return hops.map { ($0.transfer, $0.job) }
  }
}
