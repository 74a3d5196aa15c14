/// How an output grows, and when its disk is full if it goes on like this.
///
/// The growth is the median of the slopes between all pairs of points (the estimator of Theil and Sen): one large run, or
/// one large `prune`, does not decide it.
package enum DiskForecast {
  /// The size of an output at a time, in seconds since 1970.
  package struct Point: Sendable, Equatable {
    package var time: Double
    package var bytes: Int

    package init(time: Double, bytes: Int) { (self.time, self.bytes) = (time, bytes) }
  }

  /// What was longer ago says little of the present.
  private static let window = 30.0 * 86_400
  /// With less, nothing is said.
  private static let (fewest, shortest) = (5, 86_400.0)
  /// The slopes of their pairs are computed in a millisecond.
  private static let most = 100
  /// A later date would be a guess.
  private static let horizon = 5.0 * 365 * 86_400

  /// In bytes per second; nil if there are fewer than five points in the last thirty days, or less than a day between the
  /// first and the last of them. Points after `now` do not count: the clock was set back.
  package static func growth(_ points: [Point], now: Double) -> Double? {
    let recent = thinned(
      points.filter { $0.time <= now && $0.time >= now - window }.sorted { $0.time < $1.time })
    guard recent.count >= fewest, let first = recent.first, let last = recent.last,
      last.time - first.time >= shortest
    else { return nil }
    var slopes: [Double] = []
    for (index, point) in recent.enumerated() {
      for later in recent[(index + 1)...] where later.time > point.time {
        slopes.append(Double(later.bytes - point.bytes) / (later.time - point.time))
      }
    }
    slopes.sort()
    let middle = slopes.count / 2
    return slopes.count % 2 == 1 ? slopes[middle] : (slopes[middle - 1] + slopes[middle]) / 2
  }

  /// In seconds; nil if the output does not grow, or if that is more than five years away.
  package static func timeToFull(growth: Double, free: Int) -> Double? {
    guard growth > 0 else { return nil }
    let seconds = Double(max(0, free)) / growth
    return seconds <= horizon ? seconds : nil
  }

  /// At most ``most``, evenly, the first and the last included.
  private static func thinned(_ points: [Point]) -> [Point] {
    guard points.count > most else { return points }
    return (0..<most).map { points[$0 * (points.count - 1) / (most - 1)] }
  }
}
