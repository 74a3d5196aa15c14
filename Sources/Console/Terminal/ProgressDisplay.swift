internal import Synchronization
internal import TesseraSystem

/// Progress and messages on standard error: a bar that is redrawn on a terminal, a line from time
/// to time in a log. Calls may come from several tasks.
package final class ProgressDisplay: Sendable {
  private struct State {
    var bar: ProgressBar
    var lastDrawn: ContinuousClock.Instant?
    var isBarShown = false
  }

  private let isQuiet: Bool
  private let showsProgress: Bool
  private let isTerminal: Bool
  private let state: Mutex<State>

  /// - Parameter isQuiet: whether neither progress nor messages are written.
  package init(isQuiet: Bool, showsProgress: Bool) {
    self.isQuiet = isQuiet
    self.showsProgress = showsProgress && !isQuiet
    isTerminal = Host.terminalWidth != nil
    state = Mutex(State(bar: ProgressBar(start: .now)))
  }

  package func update(_ progress: ProgressBar.Progress) {
    guard showsProgress else { return }
    let now = ContinuousClock.now
    let pause = isTerminal ? Duration.milliseconds(100) : .seconds(30)
    state.withLock { state in
      // The first line of a log comes after the first pause: a short run needs none.
      guard let last = state.lastDrawn ?? (isTerminal ? nil : state.bar.start) else {
        return draw(progress, now, &state)
      }
      if last.duration(to: now) >= pause || (isTerminal && progress.isComplete) {
        draw(progress, now, &state)
      }
    }
  }

  private func draw(
    _ progress: ProgressBar.Progress, _ now: ContinuousClock.Instant, _ state: inout State
  ) {
    state.lastDrawn = now
    if isTerminal {
      // The width is read each time, because a window may be resized. ESC [K clears the line's
      // rest.
      let line = state.bar.line(progress, now: now, width: Host.terminalWidth ?? 80)
      StandardStream.error.write("\r\(line)\u{1B}[K")
      state.isBarShown = true
    } else {
      StandardStream.error.write(state.bar.text(progress, now: now) + "\n")
    }
  }

  /// Writes a line of its own, above the bar.
  package func message(_ text: String) {
    guard !isQuiet else { return }
    state.withLock { state in
      StandardStream.error.write((state.isBarShown ? "\r\u{1B}[K" : "") + text.printable + "\n")
      state.isBarShown = false
    }
  }

  /// Ends the bar's line.
  package func finish() {
    state.withLock { state in
      if state.isBarShown { StandardStream.error.write("\n") }
      state.isBarShown = false
    }
  }
}
