/// Exponential back-off with full jitter: a random part of a step that doubles each time, and at least what the server
/// wants. Full jitter spreads the clients of a server that has recovered over the whole step. Pure.
package struct Backoff: Sendable, Equatable {
  /// The first and the longest step.
  package var base = Duration.milliseconds(500)
  package var cap = Duration.seconds(30)

  package init() {}

  /// The pause before the next attempt.
  ///
  /// - Parameters:
  ///   - tries: the number of attempts so far, at least 1.
  ///   - chance: a random number from 0 to 1.
  ///   - wanted: the pause that the server requests in Retry-After.
  package func pause(after tries: Int, chance: Double, wanted: Duration?) -> Duration {
    // The exponent is limited so that the shift cannot overflow.
    let step = min(cap, base * (1 << min(tries - 1, 16)))
    return max(step * chance, wanted ?? .zero)
  }
}
