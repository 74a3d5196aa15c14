/// The tries of one item: counts what has failed, and keeps the one deadline of all of them, which begins when
/// the first leaves the fetcher's queue.
package struct Tries {
  package let policy: RetryPolicy
  /// When the run as a whole ends.
  private let runEnd: ContinuousClock.Instant?
  private var began: ContinuousClock.Instant?
  private var failures = 0

  package init(_ policy: RetryPolicy, runEnd: ContinuousClock.Instant? = nil) {
    self.policy = policy
    self.runEnd = runEnd
  }

  /// When the last of them has to have ended; nil before the first.
  package var end: ContinuousClock.Instant? { began?.advanced(by: policy.deadline) }

  package mutating func took(_ time: Duration) {
    if began == nil { began = .now.advanced(by: .zero - time) }
  }

  /// Waits as the policy says after a failure. False where the failure stands.
  ///
  /// - Throws: `CancellationError` where the task is cancelled.
  package mutating func wait(after error: FetchError) async throws -> Bool {
    failures += 1
    let chance = Double.random(in: 0...1)
    let elapsed = began?.duration(to: .now) ?? .zero
    guard
      let wait = policy.wait(after: error, tries: failures, elapsed: elapsed, chance: chance)
    else { return false }
    // There is no time to wait for after the run's; the next try will say so.
    let left = runEnd.map { ContinuousClock.now.duration(to: $0) } ?? wait
    try await Task.sleep(for: max(.zero, min(wait, left)))
    return true
  }
}
