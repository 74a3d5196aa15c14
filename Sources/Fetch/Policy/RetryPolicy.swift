/// When to retry: exponential back-off with full jitter, at least the server's Retry-After, and all
/// within the item's deadline. A pure value; the caller passes the elapsed time and the random
/// number.
package struct RetryPolicy: Sendable {
  /// Attempts after the first.
  package var retries: Int
  /// The time limit of all attempts together, pauses included.
  package var deadline: Duration

  /// The first and the longest step of the back-off.
  static let base = Duration.milliseconds(500)
  static let cap = Duration.seconds(30)

  package init(retries: Int, deadline: Duration) {
    self.retries = retries
    self.deadline = deadline
  }

  /// The pause before the next attempt; nil if the error is final.
  ///
  /// - Parameters:
  ///   - error: why the last attempt failed.
  ///   - tries: the number of attempts so far, at least 1.
  ///   - elapsed: the time since the first attempt began.
  ///   - chance: a random number from 0 to 1. Full jitter spreads the clients of a server that has
  ///     recovered over the whole step.
  package func wait(
    after error: FetchError, tries: Int, elapsed: Duration, chance: Double
  ) -> Duration? {
    // `runDeadline` may pass in a later run, not in this one.
    guard error.isRetryable, error.code != .runDeadline, !error.isHostGivenUp, tries <= retries
    else { return nil }
    // The exponent is limited so that the shift cannot overflow.
    let step = min(Self.cap, Self.base * (1 << min(tries - 1, 16)))
    let wait = max(step * chance, error.retryAfter ?? .zero)
    // A pause beyond the deadline would only delay the failure.
    return elapsed + wait < deadline ? wait : nil
  }
}
