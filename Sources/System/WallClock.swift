internal import Glibc

/// The source of the time of day, in seconds since 1970 in UTC.
///
/// A decision takes `now` as an argument; only the code at the edge asks a clock. A deadline or a
/// pause is measured with `ContinuousClock`, because the time of day can jump.
package struct WallClock: Sendable {
  package var now: @Sendable () -> Double

  package init(now: @escaping @Sendable () -> Double) { self.now = now }

  /// The machine's clock.
  package static let system = WallClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// A clock that has stopped, for tests.
  package static func fixed(_ seconds: Double) -> WallClock { WallClock { seconds } }
}

extension Host {
  /// Seconds since 1970 in UTC, by the machine's clock.
  package static var now: Double { WallClock.system.now() }

  /// A time in seconds since 1970 as RFC 3339 in UTC: `2026-11-21T12:00:00Z`.
  package static func timestamp(_ seconds: Double) -> String {
    // By hand, because Foundation's DateFormatter brings ICU: a binary of 58 MB instead of 6.
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}

extension Duration {
  /// The duration as a number of seconds with their fraction.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
