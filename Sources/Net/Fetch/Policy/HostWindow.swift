/// How many requests one host gets at a time, and how many a second, as its own answers show: additive increase and
/// multiplicative decrease (Chiu and Jain 1989). A pure value; the caller passes `now`.
///
/// With `per-host: auto` the number at a time doubles with each round of answers until one takes longer than the soonest
/// (slow start, RFC 5681), and then grows by six with each that does not. A host in trouble answers 429 or 503, or its
/// connections fail: that halves the number.
///
/// A host that answers at once gets many requests a second even one at a time. So after trouble there is also a pace: 70 %
/// of what the host has answered a second, and 2 % of it more each second. With a fixed number only the pace follows the
/// host, once the host is known to be busy.
struct HostWindow {
  enum Answer: Equatable {
    /// The time from the request to the first byte of the answer; nil if it is not known.
    case good(Duration?)
    case trouble
  }

  /// Answers to as many requests as may be sent at a time: requests of its own, because earlier ones met another load.
  private struct Round {
    var since: ContinuousClock.Instant
    var count = 0
    /// The answers with a time, and the sum of their times.
    var measured = 0
    var time = Duration.zero
  }

  private struct Pace {
    /// Good answers a second when the trouble came.
    var top: Double
    /// When it began, after a pause if there was one, and when it permits the next request.
    var since: ContinuousClock.Instant
    var next: ContinuousClock.Instant
  }

  /// What browsers open; by as many more the number grows.
  static let first = 6
  /// What trouble leaves of the number.
  private static let cut = 0.5
  /// What trouble leaves of the pace, and what comes back of it each second.
  private static let (pacedShare, pacedGrowth) = (0.7, 0.02)
  /// After trouble more of it says nothing new: of requests that were in flight, and of a host that counts those of a
  /// second.
  private static let cutInterval = Duration.seconds(1)
  /// By then the pace is a third more than the host could bear.
  private static let paceEnd = Duration.seconds(30)
  /// Of the last second's answers this many, and more than one in fifty, have to be busy: fewer are about their own sources.
  private static let (leastTroubled, troubledShare) = (2.0, 50.0)
  /// With fewer good answers in the last second no pace is known that the host bears.
  private static let leastPace = 3.0
  /// Answers may take this much longer than the soonest round, and the number still grows.
  private static let tolerance = (factor: 1.5, slack: Duration.milliseconds(5))

  /// After this time without an answer, a window is dropped. A fixed one has nothing to forget but the last second.
  private static let (memory, fixedMemory) = (Duration.seconds(60), Duration.seconds(2))

  /// Whether the number at a time stays as it is.
  private let isFixed: Bool
  /// Requests at a time.
  private(set) var size: Int
  private(set) var transfers = 0
  private var isStarting = true
  private var wasFull = false
  private var round: Round
  private var soonest: Duration?
  private var lastCut: ContinuousClock.Instant?
  private var pace: Pace?
  private var answers: AnswerRates

  /// - Parameter size: the number of requests at a time; nil leaves it to the host.
  init(size: Int?, now: ContinuousClock.Instant) {
    isFixed = size != nil
    self.size = size ?? Self.first
    answers = AnswerRates(now: now)
    round = Round(since: now)
  }

  func mayStart(now: ContinuousClock.Instant) -> Bool {
    transfers < size && (nextStart(now: now).map { $0 <= now } ?? true)
  }

  /// When the pace permits another request; nil without a pace.
  func nextStart(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    pace.flatMap { $0.since.duration(to: now) < Self.paceEnd ? $0.next : nil }
  }

  /// Whether nothing is in flight, and the last answer is so long ago that it says nothing any more.
  func isIdle(now: ContinuousClock.Instant) -> Bool {
    transfers == 0 && nextStart(now: now) == nil
      && answers.areOld(after: isFixed ? Self.fixedMemory : Self.memory, now: now)
  }

  /// - Parameter isContinued: whether it is another hop of a request, to wherever a redirect led.
  mutating func started(now: ContinuousClock.Instant, isContinued: Bool = false) {
    transfers += 1
    if transfers >= size { wasFull = true }
    guard !isContinued else { return }
    if let rate = rate(now: now) {
      pace?.next = now.advanced(by: .seconds(1 / rate))
    } else {
      pace = nil
    }
  }

  mutating func ended() { transfers -= 1 }

  /// - Parameter started: when the request left the queue.
  mutating func answered(
    _ answer: Answer, started: ContinuousClock.Instant, now: ContinuousClock.Instant
  ) {
    answers.add(answer, now: now)
    switch answer {
    case .good(let time):
      if !isFixed, started >= round.since { count(time, now: now) }
    case .trouble:
      guard !isFixed || nextStart(now: now) != nil, answers.troubled >= Self.leastTroubled,
        answers.troubled * Self.troubledShare > answers.good + answers.troubled
      else { return }
      shrink(started: started, now: now)
    }
  }

  /// Because the host is in trouble.
  mutating func shrink(started: ContinuousClock.Instant, now: ContinuousClock.Instant) {
    guard lastCut.map({ $0.duration(to: started) > Self.cutInterval }) ?? true else { return }
    let rate = rate(now: now)
    if rate == nil { pace = nil }
    let top = min(answers.good, rate ?? .infinity)
    if top >= Self.leastPace { pace = Pace(top: top, since: now, next: now) }
    delay(until: now)
    lastCut = now
    guard !isFixed else { return }
    size = max(1, Int(Double(size) * Self.cut))
    isStarting = false
    soonest = nil
    beginRound(now: now)
  }

  /// Has the pace begin anew when the host gets its next request, after a pause.
  mutating func delay(until start: ContinuousClock.Instant) {
    guard let pace, pace.since <= start else { return }
    let next = start.advanced(by: .seconds(1 / (pace.top * Self.pacedShare)))
    self.pace = Pace(top: pace.top, since: start, next: next)
  }

  private mutating func beginRound(now: ContinuousClock.Instant) {
    round = Round(since: now)
    wasFull = false
  }

  private mutating func count(_ time: Duration?, now: ContinuousClock.Instant) {
    round.count += 1
    if let time {
      round.measured += 1
      round.time += time
    }
    guard round.count >= max(size, Self.first) else { return }
    defer { beginRound(now: now) }
    guard round.measured > 0 else { return }
    let time = round.time / round.measured
    let best = min(soonest ?? time, time)
    soonest = best
    guard time <= best * Self.tolerance.factor + Self.tolerance.slack else {
      isStarting = false
      return
    }
    // A number that was not used is not known to be borne (RFC 7661).
    if wasFull { size += isStarting ? size : Self.first }
  }

  /// Requests a second; nil without a pace.
  private func rate(now: ContinuousClock.Instant) -> Double? {
    guard let pace, pace.since.duration(to: now) < Self.paceEnd else { return nil }
    let seconds = max(.zero, pace.since.duration(to: now)) / .seconds(1)
    return pace.top * (Self.pacedShare + Self.pacedGrowth * seconds)
  }
}

/// How many answers came in the last second, and how many of them were trouble: those of this second by the clock, and
/// as much of the second before as is part of it.
private struct AnswerRates {
  private var since: ContinuousClock.Instant
  private var now = (good: 0.0, troubled: 0.0)
  private var before = (good: 0.0, troubled: 0.0)
  private var share = 1.0

  init(now: ContinuousClock.Instant) { since = now }

  var good: Double { now.good + before.good * share }
  var troubled: Double { now.troubled + before.troubled * share }

  func areOld(after time: Duration, now: ContinuousClock.Instant) -> Bool {
    since.duration(to: now) > time
  }

  mutating func add(_ answer: HostWindow.Answer, now time: ContinuousClock.Instant) {
    let elapsed = since.duration(to: time) / .seconds(1)
    if elapsed >= 1 {
      before = elapsed < 2 ? now : (0, 0)
      now = (0, 0)
      since = since.advanced(by: .seconds(elapsed.rounded(.down)))
    }
    share = 1 - max(0, min(1, since.duration(to: time) / .seconds(1)))
    if answer == .trouble { now.troubled += 1 } else { now.good += 1 }
  }
}

extension HostWindow.Answer {
  /// Nil if the result says nothing about how much the host bears.
  init?(_ result: Result<FetchResponse, FetchError>, after time: Duration?) {
    switch result {
    case .failure(let error) where HTTPStatus.isBusy(error.status): self = .trouble
    case .failure(let error) where [.network, .timeout].contains(error.code): self = .trouble
    default:
      guard let time else { return nil }
      self = .good(time)
    }
  }
}
