internal import TesseraFetch

/// The tries of one item: counts what has failed, and keeps the one deadline of all of them, which begins when
/// the first leaves the fetcher's queue.
struct Tries {
  let policy: RetryPolicy
  private var began: ContinuousClock.Instant?
  private var failures = 0

  init(_ policy: RetryPolicy) { self.policy = policy }

  /// When the last of them has to have ended; nil before the first.
  var end: ContinuousClock.Instant? { began?.advanced(by: policy.deadline) }

  mutating func took(_ time: Duration) {
    if began == nil { began = .now.advanced(by: .zero - time) }
  }

  /// Waits as the policy says after a failure. False where the failure stands.
  ///
  /// - Throws: `CancellationError` where the task is cancelled.
  mutating func wait(after error: FetchError) async throws -> Bool {
    failures += 1
    let chance = Double.random(in: 0...1)
    let elapsed = began?.duration(to: .now) ?? .zero
    guard
      let wait = policy.wait(after: error, tries: failures, elapsed: elapsed, chance: chance)
    else { return false }
    try await Task.sleep(for: wait)
    return true
  }
}
