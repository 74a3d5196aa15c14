internal import Synchronization
internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraPipeline
internal import TesseraSystem

/// Shows a run on standard error: a bar on a terminal, a line now and then in a log, and what fails.
final class ConsoleObserver: RunObserving {
  private struct State {
    var bar: ProgressBar
    var lastDrawn: ContinuousClock.Instant?
    var isBarShown = false
    var failuresTold = 0
  }

  /// So many failures are told one by one; all of them are in the catalog.
  private static let toldFailures = 20

  private let isQuiet: Bool
  private let showsProgress: Bool
  private let isTerminal: Bool
  private let state: Mutex<State>

  init(isQuiet: Bool, showsProgress: Bool) {
    self.isQuiet = isQuiet
    self.showsProgress = showsProgress && !isQuiet
    isTerminal = Host.terminalWidth != nil
    state = Mutex(State(bar: ProgressBar(start: .now)))
  }

  func progress(_ progress: RunProgress) {
    guard showsProgress else { return }
    let now = ContinuousClock.now
    let pause = isTerminal ? Duration.milliseconds(100) : .seconds(30)
    state.withLock { state in
      // The first line of a log comes after the first pause: a short run needs none.
      guard let last = state.lastDrawn ?? (isTerminal ? nil : state.bar.start) else {
        return draw(progress, now, &state)
      }
      if last.duration(to: now) >= pause || (isTerminal && progress.done == progress.total) {
        draw(progress, now, &state)
      }
    }
  }

  private func draw(_ progress: RunProgress, _ now: ContinuousClock.Instant, _ state: inout State) {
    state.lastDrawn = now
    if isTerminal {
      let width = Host.terminalWidth ?? 80
      StandardStream.error.write("\r\(state.bar.line(progress, now: now, width: width))\u{1B}[K")
      state.isBarShown = true
    } else {
      StandardStream.error.write(state.bar.text(progress, now: now) + "\n")
    }
  }

  func failed(_ id: String, _ error: CatalogImage.Failure) {
    state.withLock { state in
      state.failuresTold += 1
      if state.failuresTold < Self.toldFailures {
        tell("\(id): \(error.message) (\(error.code))", &state)
      } else if state.failuresTold == Self.toldFailures {
        tell("further failures are not told here; all are in the catalog", &state)
      }
    }
  }

  func problem(_ problem: ManifestProblem) {
    state.withLock { tell("manifest line \(problem.line): \(problem.message)", &$0) }
  }

  func warn(_ message: String) { state.withLock { tell("warning: \(message)", &$0) } }

  /// Ends the bar's line.
  func finish() {
    state.withLock { state in
      if state.isBarShown { StandardStream.error.write("\n") }
      state.isBarShown = false
    }
  }

  /// A line of its own, above the bar.
  private func tell(_ message: String, _ state: inout State) {
    guard !isQuiet else { return }
    StandardStream.error.write((state.isBarShown ? "\r\u{1B}[K" : "") + message.printable + "\n")
    state.isBarShown = false
  }
}

/// The text of a run's progress. A value; the clock is given to it.
struct ProgressBar {
  var start: ContinuousClock.Instant

  /// `[#####     ] 45/62  12/s  1 failed  0:03 left`, no wider than the terminal.
  func line(_ progress: RunProgress, now: ContinuousClock.Instant, width: Int) -> String {
    let text = text(progress, now: now)
    let room = width - text.count - 4
    guard let total = progress.total, total > 0, room >= 10 else {
      return String(text.prefix(max(0, width - 1)))
    }
    let length = min(room, 40)
    let filled = min(length, length * progress.done / total)
    let bar =
      String(repeating: "#", count: filled) + String(repeating: " ", count: length - filled)
    return "[\(bar)] \(text)"
  }

  /// `45/62  12/s  1 failed  0:03 left`
  func text(_ progress: RunProgress, now: ContinuousClock.Instant) -> String {
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
    let whole = Int(min(seconds.rounded(.up), 359_999))
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let minutes = whole / 60
    return minutes < 60
      ? "\(minutes):\(two(whole % 60))" : "\(minutes / 60):\(two(minutes % 60)):\(two(whole % 60))"
  }
}
