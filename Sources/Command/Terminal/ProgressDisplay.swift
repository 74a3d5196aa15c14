internal import Synchronization
internal import TesseraSystem

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
