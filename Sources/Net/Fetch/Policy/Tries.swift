/// The attempts at one item: counts the failures and keeps the one deadline of all attempts, which
/// begins when the first one leaves the fetcher's queue.
///
/// A value; its decisions take `now`. Only ``wait(after:)`` sleeps.
package struct Tries {
  package let policy: RetryPolicy
  /// When the whole run ends.
  private let runEnd: ContinuousClock.Instant?
  private var began: ContinuousClock.Instant?
  private var failures = 0

  package init(_ policy: RetryPolicy, runEnd: ContinuousClock.Instant? = nil) {
    self.policy = policy
    self.runEnd = runEnd
  }

  /// When the last attempt must have ended; nil before the first one has begun.
  package var end: ContinuousClock.Instant? { began?.advanced(by: policy.deadline) }

  /// Records an attempt that has just ended.
  ///
  /// - Parameters:
  ///   - time: since it left the queue.
  ///   - waited: for a rate, which is not the item's time.
  package mutating func took(
    _ time: Duration, waited: Duration = .zero, now: ContinuousClock.Instant = .now
  ) {
    // Of other waits only the first attempt's time in the queue is left out: the item has not begun before.
    began = began?.advanced(by: waited) ?? now.advanced(by: .zero - time)
  }

  /// Records how an attempt ended.
  package mutating func took(_ answer: FetchResult) { took(answer.time, waited: answer.waited) }

  /// Records a failure, and returns the pause before the next attempt; nil if the failure is final.
  ///
  /// - Parameter chance: a random number from 0 to 1.
  package mutating func pause(
    after error: FetchError, now: ContinuousClock.Instant, chance: Double
  ) -> Duration? {
    failures += 1
    let elapsed = began?.duration(to: now) ?? .zero
    guard
      let wait = policy.wait(after: error, tries: failures, elapsed: elapsed, chance: chance)
    else { return nil }
    // A pause beyond the run's end is cut short: the next attempt then fails with `runDeadline`,
    // which names the true cause.
    let left = runEnd.map { now.duration(to: $0) } ?? wait
    return max(.zero, min(wait, left))
  }

  /// Records a failure, and sleeps as the policy says. Returns false if the failure is final.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  package mutating func wait(after error: FetchError) async throws -> Bool {
    guard let pause = pause(after: error, now: .now, chance: .random(in: 0...1)) else {
      return false
    }
    try await Task.sleep(for: pause)
    return true
  }
}
