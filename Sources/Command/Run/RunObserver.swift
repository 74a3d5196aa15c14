internal import Synchronization
internal import TesseraPipeline

/// Shows a run on standard error: its progress, its warnings, and the first failures of each kind.
final class RunObserver: RunObserving {
  private let display: ProgressDisplay
  private let failures = MessageCap(
    "further failures are not printed here; the catalog lists all of them")
  private let problems = MessageCap.manifestLines
  private let paused = PausedHost()
  private let progress = Mutex<(@Sendable () -> RunProgress)?>(nil)

  init(isQuiet: Bool, showsProgress: Bool) {
    display = ProgressDisplay(isQuiet: isQuiet, showsProgress: showsProgress)
  }

  func began(_ progress: @escaping @Sendable () -> RunProgress) {
    self.progress.withLock { $0 = progress }
    display.begin { [paused] in
      let run = progress()
      var shown = ProgressBar.Progress()
      (shown.done, shown.total, shown.bytes) = (run.done, run.total, run.bytes)
      shown.errors = run.errors
      shown.inFlight = run.bytesInFlight
      shown.oldest = run.oldest.map { ($0.host, $0.age) }
      shown.paused = paused.now
      shown.stages = [
        ("fetching", run.fetching), ("waiting to retry", run.pausing), ("waiting", run.waiting),
        ("transcoding", run.transcoding), ("upgraded", run.upgraded),
      ]
      return shown
    }
  }

  func happened(_ event: RunEvent) {
    switch event {
    case .item(let item):
      guard let problem = item.problem else { return }
      if let text = failures.text(for: "\(item.id): \(problem)") { display.message(text) }
    case .problem(let line, let message):
      if let text = problems.text(for: "manifest line \(line): \(message)") {
        display.message(text)
      }
    case .warning(let message): warn(message)
    case .hostSlowed(let host, let reason, let pause):
      paused.set(host, reason, pause)
    // The progress and the result say what came of it.
    case .workerReplaced: break
    }
  }

  func warn(_ message: String) { display.message("warning: \(message)") }

  /// A first signal was received.
  func stopping() {
    display.message(
      "stopping: images that are being decoded are finished; a second signal (Ctrl-C) stops at once"
    )
  }

  /// A signal has ended the run.
  func stopped() {
    guard let progress = progress.withLock({ $0?() }) else { return finish() }
    finish()
    let images = progress.total.map { total in
      "\(progress.done) of \(progress.isTotalExact ? "" : "about ")\(Amount.count(total, "image"))"
    }
    let failed = progress.errors.values.reduce(0, +)
    display.message(
      (images ?? Amount.count(progress.done, "image")) + " done"
        + (failed > 0 ? ", \(failed) with an error" : "") + "; the rest is left to the next run")
  }

  /// Ends the progress.
  func finish() {
    display.finish()
    progress.withLock { $0 = nil }
  }
}

/// The host that was slowed last.
private final class PausedHost: Sendable {
  private let last = Mutex<(host: String, reason: String, end: ContinuousClock.Instant)?>(nil)

  func set(_ host: String, _ reason: String, _ pause: Duration) {
    last.withLock { $0 = (host, reason, .now + pause) }
  }

  /// Nil once it gets requests again.
  var now: (host: String, reason: String, left: Duration)? {
    let now = ContinuousClock.now
    return last.withLock(\.self).flatMap {
      $0.end > now ? ($0.host, $0.reason, now.duration(to: $0.end)) : nil
    }
  }
}

extension MessageCap {
  /// Lines of a manifest that can't be used.
  static var manifestLines: MessageCap {
    MessageCap("further lines are not printed here; tessera check lists all of them")
  }
}
