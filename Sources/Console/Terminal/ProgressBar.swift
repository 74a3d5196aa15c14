/// The text of a run's progress: a value that is given the time.
package struct ProgressBar: Sendable {
  /// How far the run is.
  package struct Progress: Sendable {
    package var done: Int
    /// The items with an error among those that are done.
    package var failed: Int
    /// Nil while the number of items is unknown.
    package var total: Int?

    package init(done: Int, failed: Int, total: Int?) {
      self.done = done
      self.failed = failed
      self.total = total
    }

    var isComplete: Bool { done == total }
  }

  /// When the run began.
  var start: ContinuousClock.Instant

  /// The widest bar, in columns: on a wide terminal a longer one says no more.
  private static let longest = 40
  /// A narrower bar is left out.
  private static let shortest = 10

  package init(start: ContinuousClock.Instant) { self.start = start }

  /// `[#####     ] 45/62  12/s  1 failed  0:03 left`, narrower than a terminal of `width` columns.
  package func line(
    _ progress: Progress, now: ContinuousClock.Instant, width: Int
  ) -> String {
    let text = text(progress, now: now)
    // Two brackets, a blank, and the last column, where some terminals would break the line.
    let room = width - text.count - 4
    guard let total = progress.total, total > 0, room >= Self.shortest else {
      return String(text.prefix(max(0, width - 1)))
    }
    let length = min(room, Self.longest)
    let filled = min(length, length * progress.done / total)
    let bar = String(repeating: "#", count: filled).padded(to: length)
    return "[\(bar)] \(text)"
  }

  /// `45/62  12/s  1 failed  0:03 left`
  package func text(_ progress: Progress, now: ContinuousClock.Instant) -> String {
    let elapsed = start.duration(to: now).components
    let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    let rate = seconds > 0 ? Double(progress.done) / seconds : 0
    var parts = [progress.total.map { "\(progress.done)/\($0)" } ?? "\(progress.done)"]
    parts.append(rate >= 10 ? "\(Int(rate))/s" : "\(Double(Int(rate * 10)) / 10)/s")
    if progress.failed > 0 { parts.append("\(progress.failed) failed") }
    if let total = progress.total, rate > 0, total >= progress.done {
      parts.append("\(Self.clock(Double(total - progress.done) / rate)) left")
    }
    return parts.joined(separator: "  ")
  }

  /// `0:03`, `1:02:03`
  private static func clock(_ seconds: Double) -> String {
    // 99:59:59 at most: an estimate beyond four days means nothing.
    let whole = Int(min(seconds.rounded(.up), 359_999))
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let minutes = whole / 60
    return minutes < 60
      ? "\(minutes):\(two(whole % 60))" : "\(minutes / 60):\(two(minutes % 60)):\(two(whole % 60))"
  }
}
