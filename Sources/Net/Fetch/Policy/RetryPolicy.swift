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
