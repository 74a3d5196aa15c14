internal import Synchronization
internal import TesseraSystem
internal import TesseraText

/// Progress and messages on standard error: two lines that are redrawn on a terminal, a line now and then
/// in a log (``LogPace``). Calls may come from several tasks.
final class ProgressDisplay: Sendable {
  private struct State {
    var bar = ProgressBar(start: .now)
    var pace = LogPace(start: .now)
    var sample: (@Sendable () -> ProgressBar.Progress)?
    /// The lines that are on the screen.
    var shown: [String] = []
    var timer: Task<Void, any Error>?
  }

  private let isQuiet: Bool
  private let showsProgress: Bool
  private let isTerminal: Bool
  private let style: Style
  private let state = Mutex(State())

  /// Five times a second; a person reads no faster.
  private static let redraw = Duration.milliseconds(200)

  /// - Parameter isQuiet: whether neither progress nor messages are written.
  init(isQuiet: Bool, showsProgress: Bool) {
    self.isQuiet = isQuiet
    self.showsProgress = showsProgress && !isQuiet
    isTerminal = Host.terminalWidth != nil && !Style.isDumb
    style = Style(isTerminal: isTerminal)
  }

  /// Shows the progress from now on.
  ///
  /// - Parameter sample: called each time it is drawn.
  func begin(_ sample: @escaping @Sendable () -> ProgressBar.Progress) {
    guard showsProgress else { return }
    let pause = isTerminal ? Self.redraw : LogPace.interval
    let timer = Task { [weak self] in
      while true {
        try await Task.sleep(for: pause)
        self?.tick()
      }
    }
    state.withLock { state in
      state.timer?.cancel()
      (state.bar, state.pace) = (ProgressBar(start: .now), LogPace(start: .now))
      (state.sample, state.timer) = (sample, timer)
      if isTerminal { draw(&state) }
    }
  }

  private func tick() {
    state.withLock { state in
      guard let sample = state.sample else { return }
      if isTerminal { return draw(&state) }
      let progress = sample()
      guard state.pace.isDue(progress, now: .now) else { return }
      // Hosts are a manifest's.
      StandardStream.error.write(state.bar.text(progress, now: .now).printable + "\n")
    }
  }

  private func draw(_ state: inout State) {
    guard let sample = state.sample else { return }
    // The width is read each time, because a window may be resized.
    let width = Host.terminalWidth ?? 80
    let progress = sample()
    var lines = state.bar.lines(progress, now: .now, width: width).map(\.printable)
    let plain = lines
    if progress.failed > 0 { lines[1] = style.marking("failed:", in: lines[1]) }
    StandardStream.error.write(erasure(state.shown, width) + lines.joined(separator: "\n"))
    state.shown = plain
  }

  /// What removes lines from the screen. In a window that has become narrower a line takes several rows.
  private func erasure(_ lines: [String], _ width: Int) -> String {
    guard !lines.isEmpty else { return "" }
    let rows = lines.reduce(0) { $0 + max(1, ($1.count + width - 1) / max(1, width)) }
    // To the first row's beginning, then ESC [J clears what follows.
    return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
  }

  /// Writes a line of its own, above the progress.
  func message(_ text: String) {
    guard !isQuiet else { return }
    state.withLock { state in
      let removal = erasure(state.shown, Host.terminalWidth ?? 80)
      state.shown = []
      StandardStream.error.write(removal + text.printable + "\n")
      if isTerminal { draw(&state) }
    }
  }

  /// Ends the progress. Its last state stays on the screen.
  func finish() {
    state.withLock { state in
      if isTerminal, state.sample != nil {
        draw(&state)
        // Without an empty second line.
        StandardStream.error.write(state.shown.last?.isEmpty == true ? "" : "\n")
      }
      state.timer?.cancel()
      (state.timer, state.sample, state.shown) = (nil, nil, [])
    }
  }
}

/// When a log gets a line of progress: each minute, and once when nothing has ended for ten seconds although something is in
/// flight, so that a person sees what a slow run waits for.
struct LogPace {
  /// When the last line was written; first, when the run began.
  private var last: ContinuousClock.Instant
  /// When the last item ended, as far as it was seen, and how many had by then.
  private var change: ContinuousClock.Instant
  private var done = 0
  /// Whether this silence has its line.
  private var isReported = false

  /// How often to look.
  static let interval = Duration.seconds(5)
  private static let (usual, silence) = (Duration.seconds(60), Duration.seconds(10))

  init(start: ContinuousClock.Instant) { (last, change) = (start, start) }

  /// Whether a line is written now.
  mutating func isDue(_ progress: ProgressBar.Progress, now: ContinuousClock.Instant) -> Bool {
    if progress.done != done { (done, change, isReported) = (progress.done, now, false) }
    let isActive = progress.stages.contains { $0.count > 0 }
    let isSilent = isActive && !isReported && change.duration(to: now) >= Self.silence
    guard isSilent || last.duration(to: now) >= Self.usual else { return false }
    last = now
    isReported = isReported || isSilent
    return true
  }
}

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
    let codes = progress.errors.descending
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
