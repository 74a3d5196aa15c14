/// Detects a stalled transfer: fewer than `minimumSpeed` bytes a second over a window of ten
/// seconds. A value; the caller passes `now`.
///
/// libcurl's CURLOPT_LOW_SPEED_LIMIT would also count the time before the first byte, which has its
/// own limit here.
struct StallWatch {
  static let window = Duration.seconds(10)

  private let minimum: Int
  private var start: ContinuousClock.Instant
  private var bytes = 0

  init(minimumSpeed: Int, now: ContinuousClock.Instant) {
    minimum = minimumSpeed * Int(Self.window.components.seconds)
    start = now
  }

  mutating func received(_ count: Int) { bytes += count }

  /// Whether a window has ended and was too slow. Begins the next window.
  mutating func isStalled(now: ContinuousClock.Instant) -> Bool {
    guard start.duration(to: now) >= Self.window else { return false }
    defer {
      start = now
      bytes = 0
    }
    return bytes < minimum
  }
}
