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
