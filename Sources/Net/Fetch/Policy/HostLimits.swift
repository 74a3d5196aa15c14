internal import TesseraText

/// Decides which hosts may get another request: what the rates, the host's window and its circuit breaker allow. A pure
/// value; the caller passes `now` and the random number.
struct HostLimits {
  /// The names for sources that need no server: `data:` URLs, and files. No host has them.
  static let (noHost, files) = ("", "file:")

  /// Requests at a time to a host; nil leaves it to the host.
  private let perHost: Int?
  private let rules: HostRules
  /// Of hosts that have a rate, and of all requests together.
  private var rates: [String: RatePace]
  private var rate: RatePace?
  private let patience: Duration
  /// Only for hosts that have failed lately.
  private var breakers: [String: CircuitBreaker] = [:]
  /// Only for hosts of which a source was busy lately.
  private(set) var busyAnswers: [String: BusyAnswers] = [:]
  /// Only of hosts that were requested lately: a manifest may name any number of hosts.
  private(set) var windows: [String: HostWindow] = [:]
  /// The hosts whose windows may have a pace.
  private var paced: Set<String> = []

  /// - Parameter patience: how long one item may take at most.
  init(
    perHost: Int?, patience: Duration, rules: HostRules = HostRules(), rate: RequestRate? = nil
  ) {
    self.perHost = perHost
    self.patience = patience
    self.rules = rules
    self.rate = rate.map { RatePace($0) }
    rates = rules.rates.mapValues { RatePace($0) }
  }

  func mayStart(_ host: String, now: ContinuousClock.Instant) -> Bool {
    guard windows[host]?.mayStart(now: now) ?? true, permits(host, now: now) else { return false }
    return switch breakers[host]?.state(now: now) {
    case nil, .closed: true
    case .halfOpen: !isInFlight(host)
    case .open: false
    }
  }

  /// Whether the next request to a host is to be something new, if there is any: every other one that shows if a pause is
  /// over. A few sources that are always busy must not be all that is tried, nor a source whose next attempt succeeds left
  /// for last.
  func isProbed(_ host: String, now: ContinuousClock.Instant) -> Bool {
    guard let breaker = breakers[host] else { return false }
    return breaker.probes.isMultiple(of: 2) && breaker.state(now: now) == .halfOpen
  }

  /// Whether a redirect may be followed.
  ///
  /// - Parameter target: the host that it leads to, if that has settings of its own.
  func mayContinue(to target: String?, now: ContinuousClock.Instant) -> Bool {
    let isFull = target.flatMap { windows[$0] }.map { $0.transfers >= $0.size } ?? false
    return !isFull && permits(target, now: now)
  }

  /// Whether requests to a host wait for a rate.
  func hasRate(_ host: String) -> Bool {
    needsServer(host) && (rate != nil || rates[host] != nil)
  }

  private func permits(_ host: String?, now: ContinuousClock.Instant) -> Bool {
    if let host, !needsServer(host) { return true }
    return rate?.permits(now: now) ?? true
      && host.flatMap { rates[$0] }?.permits(now: now) ?? true
  }

  private func needsServer(_ host: String) -> Bool { host != Self.noHost && host != Self.files }

  /// Counts a request for the rates.
  ///
  /// - Parameter host: the one that gets it; nil for one without settings of its own.
  mutating func sent(to host: String?, now: ContinuousClock.Instant) {
    rate?.sent(now: now)
    if let host { rates[host]?.sent(now: now) }
  }

  private func isInFlight(_ host: String) -> Bool { windows[host]?.transfers ?? 0 > 0 }

  /// - Parameter isContinued: whether it is another hop of a request.
  mutating func started(
    _ host: String, now: ContinuousClock.Instant, isContinued: Bool = false
  ) {
    if breakers[host]?.state(now: now) == .halfOpen { breakers[host]?.probes += 1 }
    let size = rules[host]?.perHost ?? perHost
    windows[host, default: HostWindow(size: size, now: now)]
      .started(now: now, isContinued: isContinued)
  }

  mutating func ended(_ host: String) { windows[host]?.ended() }

  /// Records what an answer showed about how much its host bears; nil is nothing.
  mutating func answered(
    _ answer: HostWindow.Answer?, of host: String, started: ContinuousClock.Instant,
    now: ContinuousClock.Instant
  ) {
    guard let answer else { return }
    windows[host]?.answered(answer, started: started, now: now)
    if windows[host]?.nextStart(now: now) != nil { paced.insert(host) }
  }

  /// When the next queued host that may not get a request now, because of its pace or of a rate, may get one; nil if there
  /// is none.
  func nextStart(
    now: ContinuousClock.Instant, isQueued: (_ host: String) -> Bool
  ) -> ContinuousClock.Instant? {
    // Nothing may start before that, whatever a host permits.
    if let next = rate?.next, next > now { return next }
    let paces = paced.compactMap { host in windows[host]?.nextStart(now: now).map { (host, $0) } }
    return (paces + rates.compactMap { host, rate in rate.next.map { (host, $0) } })
      .filter { host, next in next > now && isQueued(host) }.map(\.1).min()
  }

  /// Records what a request showed about its host.
  ///
  /// - Parameters:
  ///   - url: the source that was requested.
  ///   - started: when the request left the queue.
  ///   - chance: a random number from 0 to 1; a success needs none, and each is a system call.
  /// - Returns: how long requests to the host wait, if they begin to wait with this one.
  @discardableResult
  mutating func record(
    _ signal: CircuitBreaker.Signal, of host: String, url: String,
    started: ContinuousClock.Instant, now: ContinuousClock.Instant,
    chance: @autoclosure () -> Double
  ) -> Duration? {
    switch signal {
    case .success:
      busyAnswers[host]?.add(busySource: nil, now: now)
      if breakers[host]?.isClosed(bySuccessOf: started) == true { breakers[host] = nil }
    case .rateLimited where !isHostBusy(host, url, now: now): break
    case .dropped where !isHostDown(host, url, now: now): break
    case .rateLimited(let error), .unreachable(let error), .dropped(let error):
      // Even if no request to this host is queued: one may be about to arrive.
      let wasOpen = breakers[host]?.pause(now: now) != nil
      let first = CircuitBreaker(patience: patience, error: error, now: now)
      breakers[host, default: first]
        .record(signal, now: now, chance: chance())
      let pause = breakers[host]?.pause(now: now)
      if case .rateLimited = signal {
        windows[host]?.shrink(started: started, now: now)
        windows[host]?.delay(until: now.advanced(by: pause ?? .zero))
        paced.insert(host)
      }
      return wasOpen ? nil : pause
    }
    return nil
  }

  /// Whether a busy source says that its host is busy.
  private mutating func isHostBusy(
    _ host: String, _ url: String, now: ContinuousClock.Instant
  ) -> Bool {
    // While requests pause, the answer to one that was in flight may prolong the pause, and says
    // nothing more.
    if case .open = breakers[host]?.state(now: now) { return true }
    busyAnswers[host, default: BusyAnswers()].add(busySource: url, now: now)
    guard busyAnswers[host]?.isHostBusy == true else { return false }
    // After the pause the host is judged anew: a few more busy sources must not keep it closed.
    busyAnswers[host] = nil
    return true
  }

  /// Whether a dropped connection says that its host is down.
  private mutating func isHostDown(
    _ host: String, _ url: String, now: ContinuousClock.Instant
  ) -> Bool {
    switch breakers[host]?.state(now: now) {
    case .open, .halfOpen: return true
    case .closed, nil: break
    }
    busyAnswers[host, default: BusyAnswers()].add(busySource: url, isDropped: true, now: now)
    guard busyAnswers[host]?.isHostDown == true else { return false }
    busyAnswers[host] = nil
    return true
  }

  /// What the last failure of a host was; nil if it works.
  func failure(of host: String) -> FetchError? { breakers[host]?.error }

  /// The hosts whose queued requests have to fail, each with the error for them. Forgets the hosts
  /// whose failures have expired, unless a request to them is queued or in flight.
  mutating func hostsToGiveUp(
    now: ContinuousClock.Instant, isQueued: (_ host: String) -> Bool
  ) -> [(host: String, error: FetchError)] {
    var givenUp: [(host: String, error: FetchError)] = []
    busyAnswers = busyAnswers.filter { !$1.isEmpty(now: now) }
    windows = windows.filter { !$1.isIdle(now: now) || isQueued($0) }
    paced = paced.filter { windows[$0]?.nextStart(now: now) != nil }
    for (host, breaker) in breakers {
      switch breaker.state(now: now) {
      case .open(failing: .some(let error)): givenUp.append((host, error.asGivenUp))
      case .closed, .halfOpen:
        if breaker.isExpired(now: now), !isInFlight(host), !isQueued(host) {
          breakers[host] = nil
        }
      case .open(failing: nil): break
      }
    }
    return givenUp
  }
}

/// When requests that have a rate may be sent: one after each interval, and never several at once, however long there
/// was none. A pure value; the caller passes `now`.
///
/// A request that is a little late does not delay those after it, so that the rate is kept: in any time there are at
/// most as many requests as fit into it and the ``slack``, and one more.
struct RatePace {
  private let interval: Duration
  /// How late a request may be without delaying the next one: a tenth of the interval, within what a busy machine needs
  /// to wake a thread.
  let slack: Duration
  /// When the next request may be sent; nil before the first one.
  private(set) var next: ContinuousClock.Instant?

  init(_ rate: RequestRate) {
    interval = rate.interval
    slack = min(max(interval / 10, .milliseconds(10)), .milliseconds(100))
  }

  func permits(now: ContinuousClock.Instant) -> Bool { next.map { $0 <= now } ?? true }

  mutating func sent(now: ContinuousClock.Instant) {
    next = max(next ?? now, now.advanced(by: .zero - slack)).advanced(by: interval)
  }
}

/// Decides whether a host limits the rate, from the answers of its sources. A pure value; the caller
/// passes `now`.
///
/// A response 429 or 503 is about its own source first: a server may limit one image, or have lost it.
/// It is about the host if several sources give it, and they are not few among the last answers.
struct BusyAnswers {
  private struct Answer {
    /// Nil for a success.
    var busySource: String?
    /// Whether there was no answer.
    var isDropped: Bool
    var time: ContinuousClock.Instant
  }

  /// As many as a few seconds of a slow host bring, and few enough to follow a host that changes.
  static let window = 20
  /// Longer than any back-off: what was said before says nothing about now.
  static let memory = Duration.seconds(60)
  /// Fewer may be chance.
  static let sourcesToSlow = 3
  static let droppedToSlow = 10
  /// One in four. Below it, retries get through: five attempts fail together once in a thousand.
  static let share = 4

  private var answers: [Answer] = []

  /// Whether no source of the host was busy lately, so that this value says nothing.
  func isEmpty(now: ContinuousClock.Instant) -> Bool {
    !answers.contains { $0.busySource != nil && $0.time.duration(to: now) <= Self.memory }
  }

  /// Records an answer.
  ///
  /// - Parameters:
  ///   - busySource: the URL that was answered with 429 or 503, or with the end of its connection; nil for a success.
  ///   - isDropped: the latter.
  mutating func add(
    busySource: String?, isDropped: Bool = false, now: ContinuousClock.Instant
  ) {
    answers.removeAll { $0.time.duration(to: now) > Self.memory }
    if answers.count >= Self.window { answers.removeFirst() }
    answers.append(Answer(busySource: busySource, isDropped: isDropped, time: now))
  }

  /// Whether requests to the host should pause.
  var isHostBusy: Bool {
    // A source that is retried counts once.
    let busy = Set(answers.lazy.filter { !$0.isDropped }.compactMap(\.busySource)).count
    let successes = answers.count { $0.busySource == nil }
    return busy >= Self.sourcesToSlow && busy * Self.share >= busy + successes
  }

  /// Whether requests to the host should pause because it ends each connection, which a few sources may cause.
  var isHostDown: Bool {
    let sources = Set(answers.lazy.filter(\.isDropped).compactMap(\.busySource)).count
    return answers.count == Self.window && sources >= Self.droppedToSlow
      && answers.allSatisfy(\.isDropped)
  }
}
