/// Decides whether a host limits the rate, from the answers of its sources. A pure value; the caller
/// passes `now`.
///
/// A response 429 or 503 is about its own source first: a server may limit one image, or have lost it.
/// It is about the host if several sources give it, and they are not few among the last answers.
struct BusyAnswers {
  private struct Answer {
    /// Nil for a success.
    var busySource: String?
    var time: ContinuousClock.Instant
  }

  /// As many as a few seconds of a slow host bring, and few enough to follow a host that changes.
  static let window = 20
  /// Longer than any back-off: what was said before says nothing about now.
  static let memory = Duration.seconds(60)
  /// Fewer may be chance.
  static let sourcesToSlow = 3
  /// One in four. Below it, retries get through: five attempts fail together once in a thousand.
  static let share = 4

  private var answers: [Answer] = []

  /// Whether no source of the host was busy lately, so that this value says nothing.
  func isEmpty(now: ContinuousClock.Instant) -> Bool {
    !answers.contains { $0.busySource != nil && $0.time.duration(to: now) <= Self.memory }
  }

  /// Records an answer.
  ///
  /// - Parameter busySource: the URL that was answered with 429 or 503; nil for a success.
  mutating func add(busySource: String?, now: ContinuousClock.Instant) {
    answers.removeAll { $0.time.duration(to: now) > Self.memory }
    if answers.count >= Self.window { answers.removeFirst() }
    answers.append(Answer(busySource: busySource, time: now))
  }

  /// Whether requests to the host should pause.
  var isHostBusy: Bool {
    // A source that is retried counts once.
    let busy = Set(answers.compactMap(\.busySource)).count
    let successes = answers.count { $0.busySource == nil }
    return busy >= Self.sourcesToSlow && busy * Self.share >= busy + successes
  }
}
