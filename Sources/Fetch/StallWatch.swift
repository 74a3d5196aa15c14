/// Notices a transfer that has become too slow: fewer than `minimumSpeed` bytes a second over a
/// window of ten seconds. (libcurl's own check also runs while the first byte is waited for, which
/// has a time limit of its own here.)
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

  /// Whether the window that has just ended was too slow.
  mutating func isStalled(now: ContinuousClock.Instant) -> Bool {
    guard start.duration(to: now) >= Self.window else { return false }
    defer {
      start = now
      bytes = 0
    }
    return bytes < minimum
  }
}
