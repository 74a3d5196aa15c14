internal import TesseraFetch

/// The tries of one item: counts what has failed, and the time that all of it took.
struct Tries {
  let policy: RetryPolicy
  private(set) var spent = Duration.zero
  private var failures = 0

  init(_ policy: RetryPolicy) { self.policy = policy }

  /// What is left of the deadline.
  var left: Duration { policy.deadline - spent }

  mutating func took(_ time: Duration) { spent += time }

  /// Waits as the policy says after a failure. False where the failure stands.
  ///
  /// - Throws: `CancellationError` where the task is cancelled.
  mutating func wait(after error: FetchError) async throws -> Bool {
    failures += 1
    let chance = Double.random(in: 0...1)
    guard
      let wait = policy.wait(after: error, tries: failures, elapsed: spent, chance: chance)
    else { return false }
    try await Task.sleep(for: wait)
    spent += wait
    return true
  }
}
