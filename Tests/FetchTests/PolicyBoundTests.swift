import TesseraTestSupport
import Testing

@testable import TesseraNet

/// Where the policies of retries and hosts change their answer.
@Suite struct PolicyBoundTests {
  private let start = ContinuousClock.now
  private let transient = FetchError(.network, "reset", isRetryable: true)
  private let busy = FetchError(.httpStatus, "503", isRetryable: true, status: 503)

  private func after(_ milliseconds: Int) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  @Test func aRetryEndsBeforeTheDeadline() {
    let policy = RetryPolicy(retries: 3, deadline: .seconds(10))
    // With chance 1, the first pause is half a second.
    expectMost(9_499) { elapsed in
      policy.wait(after: transient, tries: 1, elapsed: .milliseconds(elapsed), chance: 1) != nil
    }
    expectMost(3) { policy.wait(after: transient, tries: $0, elapsed: .zero, chance: 0) != nil }
    #expect(policy.wait(after: .runDeadline, tries: 1, elapsed: .zero, chance: 0) == nil)
    var tries = Tries(policy)
    #expect(tries.policy.retries == 3)
    let pauses = (0..<4).map { _ in tries.pause(after: transient, now: start, chance: 1) }
    #expect(pauses == [.milliseconds(500), .seconds(1), .seconds(2), nil])
  }

  @Test func aWaitTellsWhetherItWasTheLast() async throws {
    var tries = Tries(RetryPolicy(retries: 1, deadline: .seconds(60)), runEnd: .now)
    // A pause beyond the run's end is cut short.
    #expect(try await tries.wait(after: transient))
    #expect(try await !tries.wait(after: transient))
  }

  @Test func aWindowLastsTenSeconds() {
    var watch = StallWatch(minimumSpeed: 10, now: start)
    watch.received(99)
    var first = watch
    #expect(first.isStalled(now: after(9_999)) == false)
    #expect(watch.isStalled(now: after(10_000)) == true)
    // The next window begins with nothing, and where this one ended.
    watch.received(100)
    #expect(watch.isStalled(now: after(19_999)) == false)
    #expect(watch.isStalled(now: after(20_000)) == false)
    #expect(watch.isStalled(now: after(30_000)) == true)
  }

  @Test func answersAreRememberedForAMinute() {
    var answers = BusyAnswers()
    #expect(answers.isEmpty(now: start))
    answers.add(busySource: nil, now: start)
    #expect(answers.isEmpty(now: start))
    answers.add(busySource: "a", now: start)
    #expect(!answers.isEmpty(now: after(60_000)))
    #expect(answers.isEmpty(now: after(60_001)))
    answers.add(busySource: "b", now: after(60_000))
    answers.add(busySource: "c", now: after(60_000))
    #expect(answers.isHostBusy)
    answers.add(busySource: "c", now: after(60_001))
    #expect(!answers.isHostBusy)
  }

  /// The last twenty answers count; one in four of them has to be busy.
  @Test func theWindowHasTwentyAnswers() {
    func isBusy(_ runs: [(isBusy: Bool, count: Int)]) -> Bool {
      var answers = BusyAnswers()
      for run in runs {
        for index in 0..<run.count {
          answers.add(busySource: run.isBusy ? "\(index)" : nil, now: start)
        }
      }
      return answers.isHostBusy
    }
    #expect(isBusy([(true, 5), (false, 15)]))
    #expect(!isBusy([(true, 5), (false, 16)]))
    #expect(isBusy([(false, 16), (true, 5)]))
    #expect(!isBusy([(false, 16), (true, 4)]))
    #expect(!isBusy([(true, 2)]))
    #expect(isBusy([(true, 3)]))
  }

  @Test func failuresExpireAMinuteAfterThePause() {
    var breaker = CircuitBreaker(patience: .seconds(120), error: busy, now: start)
    #expect(breaker.state(now: start) == .closed)
    #expect(!breaker.isExpired(now: after(60_000)))
    #expect(breaker.isExpired(now: after(60_001)))
    breaker.record(.rateLimited(busy), now: start, chance: 1)
    #expect(!breaker.isExpired(now: after(61_000)))
    #expect(breaker.isExpired(now: after(61_001)))
    #expect(breaker.pause(now: after(400)) == .milliseconds(600))
    #expect(breaker.pause(now: after(1_000)) == nil)
    #expect(breaker.state(now: after(999)) == .open(failing: nil))
    #expect(breaker.state(now: after(1_000)) == .halfOpen)
    breaker.record(.success, now: after(1_000), chance: 1)
    #expect(breaker.state(now: after(1_000)) == .halfOpen)
    #expect(breaker.isClosed(bySuccessOf: start))
    #expect(!breaker.isClosed(bySuccessOf: after(-1)))
  }

  /// A pause that the host requests counts if an item may wait for so long. It shortens no other.
  @Test func requestedPauses() {
    func pause(_ seconds: Int, patience: Int) -> Duration? {
      var breaker = CircuitBreaker(patience: .seconds(patience), error: busy, now: start)
      var polite = busy
      polite.retryAfter = .seconds(seconds)
      breaker.record(.rateLimited(polite), now: start, chance: 0)
      return breaker.pause(now: start)
    }
    #expect(pause(100, patience: 100) == .seconds(100))
    #expect(pause(101, patience: 100) == .milliseconds(500))
    #expect(pause(0, patience: 100) == .milliseconds(500))
    var breaker = CircuitBreaker(patience: .seconds(120), error: busy, now: start)
    var polite = busy
    polite.retryAfter = .seconds(10)
    breaker.record(.rateLimited(polite), now: start, chance: 0)
    polite.retryAfter = .seconds(5)
    breaker.record(.unreachable(polite), now: after(1_000), chance: 0)
    #expect(breaker.pause(now: after(1_000)) == .seconds(9))
  }

  @Test func aHostIsGivenUpAfterThePatience() {
    var breaker = CircuitBreaker(patience: .seconds(2), error: busy, now: start)
    for milliseconds in [0, 1_500] {
      breaker.record(.rateLimited(busy), now: after(milliseconds), chance: 1)
    }
    #expect(breaker.state(now: after(2_000)) == .open(failing: nil))
    #expect(breaker.state(now: after(2_001)) == .open(failing: busy))
    #expect(breaker.state(now: after(3_500)) == .halfOpen)
  }

  @Test(arguments: [
    ("loopback", true), ("private", true), ("10.0.0.0/8", true), ("::1/128", true),
    ("10.0.0.1", false),
    ("public", false), ("", false),
  ])
  func wordsAndBlocksAreUnderstood(_ entry: String, _ isUnderstood: Bool) {
    #expect(AddressPolicy.understands(entry) == isUnderstood)
  }

  /// What a result says of its host: by code, and whether the request was sent.
  @Test(arguments: [
    (FetchError.Code.badURL, "", ""), (.dns, "down", ""), (.network, "down", "dropped"),
    (.tls, "down", ""), (.timeout, "down", ""), (.redirect, "ok", "ok"), (.addressRejected, "", ""),
    (.httpStatus, "ok", "ok"), (.tooLarge, "ok", "ok"), (.truncated, "ok", "ok"),
    (.badEncoding, "ok", "ok"), (.badResponse, "ok", "ok"), (.badRange, "ok", "ok"),
    (.notFound, "", ""), (.notReadable, "", ""), (.symlink, "", ""), (.local, "", ""),
    (.outOfMemory, "", ""), (.cancelled, "", ""),
    (.runDeadline, "", ""),
  ])
  func eachCodeIsASignal(_ code: FetchError.Code, _ unsent: String, _ sent: String) {
    for (isRetryable, wasSent, expected) in [
      (true, false, unsent), (true, true, sent), (false, false, unsent == "down" ? "" : unsent),
    ] {
      let error = FetchError(code, "x", isRetryable: isRetryable)
      let signal = CircuitBreaker.Signal(.failure(error), wasSent: wasSent)
      let signals: [String: CircuitBreaker.Signal] = [
        "ok": .success, "down": .unreachable(error), "dropped": .dropped(error),
      ]
      #expect(signal == signals[expected])
    }
    for status in [429, 503, 500] {
      let error = FetchError(.httpStatus, "x", status: status)
      let expected = status == 500 ? CircuitBreaker.Signal.success : .rateLimited(error)
      #expect(CircuitBreaker.Signal(.failure(error), wasSent: true) == expected)
    }
  }

  /// The pause is reported once, by the request with which it begins.
  @Test func aHostThatBeginsToWaitIsReported() {
    var limits = HostLimits(perHost: 1, patience: .seconds(3))
    func down(_ milliseconds: Int, chance: Double = 1) -> Duration? {
      limits.record(
        .unreachable(transient), of: "h", url: "a", started: start, now: after(milliseconds),
        chance: chance)
    }
    #expect([down(0), down(0), down(0), down(500)] == [nil, nil, .seconds(1), nil])
    #expect(down(1_000, chance: 0) == .seconds(1))
    #expect(limits.hostsToGiveUp(now: after(1_000), isQueued: { _ in true }).isEmpty)
    #expect(down(2_000) == .seconds(4))
    let givenUp = limits.hostsToGiveUp(now: after(3_001), isQueued: { _ in true })
    var error = transient
    error.message = "reset; the host has failed for too long and is skipped for now"
    error.isHostGivenUp = true
    #expect(givenUp.map(\.host) == ["h"])
    #expect(givenUp.map(\.error) == [error])
    #expect(!limits.mayStart("h", now: after(5_999)))
    #expect(limits.mayStart("h", now: after(6_000)))
  }

  /// Failures are forgotten a minute after the pause, unless a request to the host waits or is in
  /// flight.
  @Test(arguments: [
    (60_999, false, false), (61_001, true, false), (61_001, false, true), (61_001, false, false),
  ])
  func oldFailuresAreForgotten(_ milliseconds: Int, _ isQueued: Bool, _ isInFlight: Bool) {
    var limits = HostLimits(perHost: 2, patience: .seconds(120))
    for _ in 0..<3 {
      limits.record(
        .unreachable(transient), of: "h", url: "a", started: start, now: start, chance: 1)
    }
    if isInFlight { limits.started("h", now: start) }
    let now = after(milliseconds)
    #expect(limits.hostsToGiveUp(now: now, isQueued: { _ in isQueued }).isEmpty)
    // A half-open breaker lets one request through; none is in the way of two.
    if !isInFlight { limits.started("h", now: start) }
    #expect(limits.mayStart("h", now: now) == (milliseconds > 61_000 && !isQueued && !isInFlight))
    limits.ended("h")
    limits.ended("h")
    #expect(limits.mayStart("h", now: now))
  }
}
