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
