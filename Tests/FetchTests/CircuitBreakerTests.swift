import TesseraTestSupport
import Testing

@testable import TesseraNet

/// A host that fails, second by second.
@Suite struct CircuitBreakerTests {
  private let start = ContinuousClock.now
  private let rateLimit = FetchError(.httpStatus, "429", isRetryable: true, status: 429)
  private let unreachable = FetchError(.network, "rejected", isRetryable: true)

  private func breaker() -> CircuitBreaker {
    CircuitBreaker(patience: .seconds(120), error: rateLimit, now: start)
  }

  private func after(_ seconds: Double) -> ContinuousClock.Instant {
    start.advanced(by: .seconds(seconds))
  }

  /// One line per event or question: a second, then what happened (429, 503+Retry-After, down) with
  /// the random number, or the expected state. Patience is 120 seconds.
  @Test(arguments: [
    // The first 429 opens it for a second, and each further one doubles the pause.
    """
    0 429 1.0
    0 open
    0.9 open
    1 half-open
    1 429 1.0
    2.9 open
    3 half-open
    3 429 0.0
    4.9 open
    5 half-open
    """,
    // Three failed connections in a row open it.
    """
    0 down 1.0
    0 closed
    0 down 1.0
    0 closed
    0 down 1.0
    0 open
    1 half-open
    1 down 1.0
    2.9 open
    3 half-open
    """,
    // A failure while it is open was in flight before: it does not count.
    """
    0 429 1.0
    0.5 429 1.0
    1 half-open
    """,
    // Retry-After sets the pause, unless no item could wait for that long.
    """
    0 429+60 0.0
    59 open
    60 half-open
    60 429+86400 1.0
    61.9 failing
    62 half-open
    62 429+119 0.0
    121 failing
    181 half-open
    """,
    // After a minute requests fail at once while it is open, but for a later moment that the host has named.
    """
    0 429 1.0
    60 429 1.0
    60.5 failing
    62 half-open
    62 429+20 0.0
    70 open
    82 half-open
    """,
    // Whatever a probe fails with opens it again, for twice as long.
    """
    0 429 1.0
    1 half-open
    1 down 1.0
    2.9 open
    3 half-open
    3 dropped 1.0
    6.9 open
    7 half-open
    """,
    """
    0 down 1.0
    0 down 1.0
    0 dropped 1.0
    0.9 open
    1 half-open
    """,
    // A dropped connection opens it again.
    """
    0 dropped 1.0
    0.9 open
    1 half-open
    1 dropped 1.0
    2.9 open
    3 half-open
    """,
  ])
  func transitions(_ script: String) throws {
    var breaker = breaker()
    for line in script.split(separator: "\n") {
      let words = line.split(separator: " ")
      let now = after(try #require(Double(words[0])))
      if words.count == 3 {
        let chance = try #require(Double(words[2]))
        var error = words[1] == "down" ? unreachable : rateLimit
        if let pause = words[1].split(separator: "+").dropFirst().first.flatMap({ Int($0) }) {
          error.retryAfter = .seconds(pause)
        }
        let isDropped = words[1] == "dropped"
        if isDropped { error = unreachable }
        let signal: CircuitBreaker.Signal =
          words[1] == "down"
          ? .unreachable(error) : isDropped ? .dropped(error) : .rateLimited(error)
        breaker.record(signal, now: now, chance: chance)
        continue
      }
      let state =
        switch breaker.state(now: now) {
        case .closed: "closed"
        case .open(failing: nil): "open"
        case .open(failing: .some): "failing"
        case .halfOpen: "half-open"
        }
      #expect(state == words[1], "\(line)")
    }
  }

  @Test func onlyASuccessThatStartedAfterTheLastFailureClosesIt() {
    var breaker = breaker()
    breaker.record(.rateLimited(rateLimit), now: after(60), chance: 0)
    #expect(!breaker.isClosed(bySuccessOf: after(59)))
    #expect(breaker.isClosed(bySuccessOf: after(61)))
  }

  @Test func failsWithTheLastErrorOfTheHost() {
    var polite = rateLimit
    polite.retryAfter = .seconds(86_400)
    var breaker = breaker()
    breaker.record(.rateLimited(polite), now: after(120.5), chance: 1)
    #expect(breaker.state(now: after(121)) == .open(failing: polite))
  }

  @Test func aLongFailureIsProbedOnceInAWhile() {
    var breaker = breaker()
    var now = start
    var waits: [String] = []
    for _ in 0..<12 {
      breaker.record(.unreachable(unreachable), now: now, chance: 1)
      var seconds = 0
      while case .open(let failing) = breaker.state(now: now) {
        if let failing { #expect(failing == unreachable) }
        now = now.advanced(by: .seconds(1))
        seconds += 1
      }
      let isLate = start.duration(to: now) > .seconds(120)
      waits.append("\(seconds)\(isLate ? " late" : "")")
    }
    #expect(
      waits == [
        "0", "0", "1", "2", "4", "8", "16", "30", "30", "30 late", "30 late", "30 late",
      ])
    #expect(
      breaker.state(now: now.advanced(by: .seconds(-1))) == .open(failing: unreachable),
      "its requests wait")
  }

  @Test func resultsThatSayNothingAboutTheHostAreNoSignal() {
    func signal(_ error: FetchError, wasSent: Bool = true) -> CircuitBreaker.Signal? {
      CircuitBreaker.Signal(.failure(error), wasSent: wasSent)
    }
    #expect(signal(FetchError(.timeout, "stalled", isRetryable: true)) == nil)
    #expect(signal(FetchError(.tls, "bad certificate"), wasSent: false) == nil)
    // The response is wrong, but the host responds.
    #expect(signal(FetchError(.httpStatus, "500", status: 500)) == .success)
    #expect(signal(FetchError(.truncated, "short", isRetryable: true)) == .success)
    #expect(signal(FetchError(.httpStatus, "404", status: 404)) == .success)
    #expect(signal(rateLimit) == .rateLimited(rateLimit))
    #expect(signal(unreachable, wasSent: false) == .unreachable(unreachable))
    #expect(signal(unreachable) == .dropped(unreachable))
    // In the middle of a response: the host works.
    #expect(
      CircuitBreaker.Signal(.failure(unreachable), wasSent: true, wasAnswered: true) == .success)
  }
}

@Suite struct HostLimitsTests {
  private let start = ContinuousClock.now
  private let error = FetchError(.httpStatus, "503", isRetryable: true, status: 503)

  /// Twenty answers in a row, of ten sources or more, are no answer at all; a success among them shows that the host works.
  @Test(arguments: [
    ("19 sources", Array(repeating: true, count: 19), 19, false),
    ("20 sources", Array(repeating: true, count: 20), 20, true),
    ("nine that are retried", Array(repeating: true, count: 90), 9, false),
    ("ten that are retried", Array(repeating: true, count: 30), 10, true),
    (
      "a success among them",
      Array(repeating: true, count: 15) + [false]
        + Array(repeating: true, count: 19), 40, false
    ),
  ])
  func aHostThatDropsConnectionsPauses(
    _ name: String, _ drops: [Bool], _ sources: Int, _ pauses: Bool
  ) {
    var limits = HostLimits(perHost: 20, patience: .seconds(120))
    let reset = FetchError(.network, "reset", isRetryable: true)
    var pause: Duration?
    for (number, isDropped) in drops.enumerated() {
      pause =
        limits.record(
          isDropped ? .dropped(reset) : .success, of: "h", url: "\(number % sources)",
          started: start, now: start, chance: 1) ?? pause
    }
    #expect((pause != nil) == pauses, "\(name)")
    guard pauses else { return }
    // A probe that is dropped, too, lets the host pause for longer.
    let later = start.advanced(by: .seconds(1))
    let second = limits.record(
      .dropped(reset), of: "h", url: "0", started: later, now: later, chance: 1)
    #expect(second == .seconds(2))
  }

  @Test func limitsTransfersPerHost() {
    var limits = HostLimits(perHost: 2, patience: .seconds(120))
    limits.started("a", now: start)
    #expect(limits.mayStart("a", now: start))
    limits.started("a", now: start)
    #expect(!limits.mayStart("a", now: start))
    #expect(limits.mayStart("b", now: start))
    limits.ended("a")
    #expect(limits.mayStart("a", now: start))
  }

  @Test func sendsOneProbeRequestWhileHalfOpen() {
    var limits = HostLimits(perHost: 2, patience: .seconds(120))
    limits.slow("a", error, now: start)
    #expect(!limits.mayStart("a", now: start))
    let later = start.advanced(by: .seconds(1))
    #expect(limits.mayStart("a", now: later))
    limits.started("a", now: start)
    #expect(!limits.mayStart("a", now: later))
    limits.record(.success, of: "a", url: "4", started: later, now: later, chance: 1)
    #expect(limits.mayStart("a", now: later))
  }

  @Test func givesUpAHostThatFailsForLongerThanThePatience() {
    var limits = HostLimits(perHost: 2, patience: .seconds(3))
    for seconds in [0, 1, 3] { limits.slow("a", error, now: start.advanced(by: .seconds(seconds))) }
    #expect(limits.hostsToGiveUp(now: start, isQueued: { _ in false }).isEmpty)
    let given = limits.hostsToGiveUp(
      now: start.advanced(by: .seconds(4)), isQueued: { _ in false })
    #expect(given.map(\.host) == ["a"])
    #expect(given.first?.error.isHostGivenUp == true)
    // Long after the pause, the failures are forgotten.
    let late = start.advanced(by: .seconds(100))
    #expect(limits.hostsToGiveUp(now: late, isQueued: { _ in false }).isEmpty)
    #expect(limits.mayStart("a", now: start))
  }

  /// The answers of a host, one a word: `ok`, or the name of a busy source. A bar is a second. The
  /// host is expected to be paused after the last one, or not.
  @Test(
    .faults(.n46),
    arguments: [
      // One source, however often, and two.
      ("a a a a a a", false), ("a b a b a b", false),
      // Several sources, at once or one after the other.
      ("a b c", true), ("a | b | c", true), ("a b ok ok c", true),
      // Ten sources beside two hundred good ones.
      ("a ok ok ok ok ok b ok ok ok ok ok c ok ok ok ok ok d ok ok ok ok ok e", false),
      // One in four.
      ("a ok ok ok b ok ok ok c", true),
      ("a ok ok ok ok b ok ok ok ok c", true), ("a ok ok ok ok ok b ok ok ok ok ok c", false),
      // What was said a minute ago does not count.
      ("a b \(String(repeating: "| ", count: 61))c", false),
      // Successes push old answers out of the window.
      ("a b \(String(repeating: "ok ", count: 20))c d", false),
      // After the pause, the host is judged anew; a success ends it.
      ("a b c | d", false), ("a b c | d e", false), ("a b c | d e f", true),
      ("a b c | ok d e", false),
      // What was in flight during the pause does not count.
      ("a b c d e | f", false),
    ])
  func aHostPausesWhenSeveralOfItsSourcesAreBusy(_ answers: String, _ isPaused: Bool) {
    var limits = HostLimits(perHost: 2, patience: .seconds(120))
    var now = start
    for word in answers.split(separator: " ") {
      if word == "|" {
        now = now.advanced(by: .seconds(1))
      } else {
        limits.record(
          word == "ok" ? .success : .rateLimited(error), of: "h", url: String(word), started: now,
          now: now, chance: 1)
      }
    }
    #expect(limits.mayStart("h", now: now) == !isPaused)
    #expect(limits.mayStart("other", now: now))
  }

  /// Every other request after a pause is something new.
  @Test func probesAlternate() {
    var limits = HostLimits(perHost: 2, patience: .seconds(120))
    #expect(!limits.isProbed("h", now: start))
    limits.slow("h", error, now: start)
    #expect(!limits.isProbed("h", now: start))
    let now = start.advanced(by: .seconds(1))
    let found = (0..<4).map { _ in
      defer {
        limits.started("h", now: now)
        limits.ended("h")
      }
      return limits.isProbed("h", now: now)
    }
    #expect(found == [true, false, true, false])
  }

  /// Nothing is kept of hosts that were busy long ago: a manifest may name any number of them.
  @Test func forgetsBusySources() {
    var limits = HostLimits(perHost: 2, patience: .seconds(120))
    for index in 0..<100 {
      limits.record(
        .rateLimited(error), of: "\(index)", url: "a", started: start, now: start, chance: 1)
    }
    #expect(limits.busyAnswers.count == 100)
    _ = limits.hostsToGiveUp(now: start.advanced(by: .seconds(61)), isQueued: { _ in true })
    #expect(limits.busyAnswers.count == 0)
  }
}

extension HostLimits {
  /// Records that three sources of a host are busy.
  fileprivate mutating func slow(
    _ host: String, _ error: FetchError, now: ContinuousClock.Instant
  ) {
    for url in ["1", "2", "3"] {
      record(.rateLimited(error), of: host, url: url, started: now, now: now, chance: 1)
    }
  }
}
