/// Where the time of day comes from. Decisions take `now`; only the edge asks a clock.
package struct WallClock: Sendable {
  /// Seconds since 1970 in UTC.
  package var now: @Sendable () -> Double

  package init(now: @escaping @Sendable () -> Double) { self.now = now }

  package static let system = WallClock { Host.now }

  package static func fixed(_ seconds: Double) -> WallClock { WallClock { seconds } }
}
