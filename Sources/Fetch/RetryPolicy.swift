/// When to try again: exponential back-off with full jitter, the server's Retry-After obeyed, all
/// within the item's deadline. A value; the clock and chance are given to it.
package struct RetryPolicy: Sendable {
  /// Further tries after the first.
  package var retries: Int
  /// For all tries together, waits included.
  package var deadline: Duration

  /// The back-off's first and longest step.
  static let base = Duration.milliseconds(500)
  static let cap = Duration.seconds(30)

  package init(retries: Int, deadline: Duration) {
    self.retries = retries
    self.deadline = deadline
  }

  /// How long to wait before the next try, or nil where the error stands.
  ///
  /// - Parameters:
  ///   - error: why the last try failed.
  ///   - tries: how many there have been, at least 1.
  ///   - elapsed: since the first one began.
  ///   - chance: a random number from 0 to 1.
  package func wait(
    after error: FetchError, tries: Int, elapsed: Duration, chance: Double
  ) -> Duration? {
    guard error.isRetryable, error.code != .runDeadline, !error.isHostGivenUp, tries <= retries
    else { return nil }
    let step = min(Self.cap, Self.base * (1 << min(tries - 1, 16)))
    let wait = max(step * chance, error.retryAfter ?? .zero)
    return elapsed + wait < deadline ? wait : nil
  }
}
