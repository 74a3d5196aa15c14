internal import TesseraText

/// When to retry, with which pauses (``Backoff``), and all within the item's deadline. A pure value; the caller passes the elapsed time and the random
/// number.
package struct RetryPolicy: Sendable {
  /// Attempts after the first.
  package var retries: Int
  /// The time limit of all attempts together, pauses included.
  package var deadline: Duration
  /// The hosts that may have a number of retries of their own.
  package var hosts: HostRules

  private let backoff = Backoff()

  package init(retries: Int, deadline: Duration, hosts: HostRules = HostRules()) {
    self.retries = retries
    self.deadline = deadline
    self.hosts = hosts
  }

  /// The policy for a URL that a manifest names, by its host.
  package func at(_ url: String) -> RetryPolicy {
    var policy = self
    policy.retries = hosts.settings(at: url)?.retries ?? retries
    return policy
  }

  /// The pause before the next attempt; nil if the error is final.
  ///
  /// - Parameters:
  ///   - error: why the last attempt failed.
  ///   - tries: the number of attempts so far, at least 1.
  ///   - elapsed: the time since the first attempt began.
  ///   - chance: a random number from 0 to 1.
  package func wait(
    after error: FetchError, tries: Int, elapsed: Duration, chance: Double
  ) -> Duration? {
    // `runDeadline` may pass in a later run, not in this one.
    guard error.isRetryable, error.code != .runDeadline, !error.isHostGivenUp, tries <= retries
    else { return nil }
    let wait = backoff.pause(after: tries, chance: chance, wanted: error.retryAfter)
    // A pause beyond the deadline would only delay the failure.
    return elapsed + wait < deadline ? wait : nil
  }
}

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

/// Exponential back-off with jitter: a random part of a step that doubles each time, and at least what the server
/// wants. Jitter spreads the clients of a server that has recovered over the step. Pure.
package struct Backoff: Sendable, Equatable {
  /// The first and the longest step.
  private let base: Duration
  private let cap: Duration
  /// The share of a step that is not random, from 0 to 1.
  private let least: Double

  /// - Parameter least: 0 is "full jitter", 0.5 "equal jitter".
  package init(
    base: Duration = .milliseconds(500), cap: Duration = .seconds(30), least: Double = 0
  ) {
    (self.base, self.cap, self.least) = (base, cap, least)
  }

  /// The pause before the next attempt.
  ///
  /// - Parameters:
  ///   - tries: the number of attempts so far, at least 1.
  ///   - chance: a random number from 0 to 1.
  ///   - wanted: the pause that the server requests in Retry-After.
  package func pause(after tries: Int, chance: Double, wanted: Duration?) -> Duration {
    // The exponent is limited so that the shift cannot overflow.
    let step = min(cap, base * (1 << min(tries - 1, 16)))
    return max(step * (least + (1 - least) * chance), wanted ?? .zero)
  }
}
