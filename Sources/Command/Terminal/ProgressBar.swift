internal import TesseraSystem

/// The text of a run's progress: a value that is given the time.
struct ProgressBar: Sendable {
  /// How far the run is.
  struct Progress: Sendable {
    var done = 0
    /// Nil while the number of items is unknown.
    var total: Int?
    /// Bytes that were fetched.
    var bytes = 0
    /// Those of requests in flight.
    var inFlight = 0
    /// The host of the request that has been in flight for longest, and for how long.
    var oldest: (host: String, age: Duration)?
    /// A host that gets no request for a while: why, and for how long still.
    var paused: (host: String, reason: String, left: Duration)?
    /// What is in flight, in the order of the work: `("fetching", 16)`.
    var stages: [(name: String, count: Int)] = []
    /// The items with an error, by its code.
    var errors: [String: Int] = [:]

    init() {}

    var failed: Int { errors.values.reduce(0, +) }
  }

  /// When the run began.
  var start: ContinuousClock.Instant

  /// The widest bar, in columns: on a wide terminal a longer one says no more.
  private static let longest = 40
  /// A narrower bar is left out.
  private static let shortest = 10
  /// From which age on the oldest request is named: most are over by then.
  private static let slow = Duration.seconds(3)
  /// Error codes that are named; the others are counted together.
  private static let named = 3

  /// Two lines, each narrower than a terminal of `width` columns:
  ///
  ///     [#####     ] 45/62  12/s  3.4 MB/s  0:03 left
  ///     16 fetching, 3 waiting, 2 transcoding; failed: 2 http-status, 1 decode
  func lines(
    _ progress: Progress, now: ContinuousClock.Instant, width: Int
  ) -> [String] {
    let text = rates(progress, now: now)
    // Two brackets, a blank, and the last column, where some terminals would break the line.
    let room = width - text.count - 4
    var first = text
    if let total = progress.total, total > 0, room >= Self.shortest {
      let length = min(room, Self.longest)
      let filled = min(length, length * progress.done / total)
      first = "[\(String(repeating: "#", count: filled).padded(to: length))] \(text)"
    }
    return [first, stages(progress)].map { String($0.prefix(max(0, width - 1))) }
  }

  /// One line for a log: `45/62  12/s  3.4 MB/s  0:03 left; 16 fetching, 3 waiting, 2 transcoding`
  func text(_ progress: Progress, now: ContinuousClock.Instant) -> String {
    let stages = stages(progress)
    return rates(progress, now: now) + (stages.isEmpty ? "" : "; \(stages)")
  }

  private func rates(_ progress: Progress, now: ContinuousClock.Instant) -> String {
    let seconds = start.duration(to: now).inSeconds
    let rate = seconds > 0 ? Double(progress.done) / seconds : 0
    var parts = [progress.total.map { "\(progress.done)/\($0)" } ?? "\(progress.done)"]
    parts.append(rate >= 10 ? "\(Int(rate))/s" : "\(Double(Int(rate * 10)) / 10)/s")
    if progress.bytes > 0, seconds > 0 {
      parts.append("\(Amount.bytes(Int(Double(progress.bytes) / seconds)))/s")
    }
    if let total = progress.total, rate > 0, total >= progress.done {
      parts.append("\(Self.clock(Double(total - progress.done) / rate)) left")
    }
    return parts.joined(separator: "  ")
  }

  private func stages(_ progress: Progress) -> String {
    let stages =
      progress.stages.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
      .joined(separator: ", ")
    let slowest = slowest(progress)
    guard progress.failed > 0 else { return stages + slowest }
    let codes = progress.errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var parts = codes.prefix(Self.named).map { "\($0.value) \($0.key)" }
    let others = codes.dropFirst(Self.named).reduce(0) { $0 + $1.value }
    if others > 0 { parts.append("\(others) others") }
    return
      "\(stages)\(stages.isEmpty ? "" : "; ")failed: \(parts.joined(separator: ", "))\(slowest)"
  }

  /// `; oldest request 16 s: images.example.com, 1.2 MB in flight`, or `; images.example.com pauses for 12 s: rejected`
  private func slowest(_ progress: Progress) -> String {
    if let paused = progress.paused, progress.oldest.map({ $0.age < Self.slow }) ?? true {
      return
        "; \(paused.host) gets no request for \(Amount.age(paused.left.inSeconds)): \(paused.reason)"
    }
    guard let oldest = progress.oldest, oldest.age >= Self.slow else { return "" }
    let host = oldest.host.isEmpty ? "a file" : oldest.host
    return "; oldest request \(Amount.age(oldest.age.inSeconds)): \(host), "
      + "\(Amount.bytes(progress.inFlight)) in flight"
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
