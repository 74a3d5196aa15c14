internal import TesseraText

/// When requests that have a rate may be sent: one after each interval, and never several at once, however long there
/// was none. A pure value; the caller passes `now`.
///
/// A request that is a little late does not delay those after it, so that the rate is kept: in any time there are at
/// most as many requests as fit into it and the ``slack``, and one more.
struct RatePace {
  private let interval: Duration
  /// How late a request may be without delaying the next one: a tenth of the interval, within what a busy machine needs
  /// to wake a thread.
  let slack: Duration
  /// When the next request may be sent; nil before the first one.
  private(set) var next: ContinuousClock.Instant?

  init(_ rate: RequestRate) {
    interval = rate.interval
    slack = min(max(interval / 10, .milliseconds(10)), .milliseconds(100))
  }

  func permits(now: ContinuousClock.Instant) -> Bool { next.map { $0 <= now } ?? true }

  mutating func sent(now: ContinuousClock.Instant) {
    next = max(next ?? now, now.advanced(by: .zero - slack)).advanced(by: interval)
  }
}
