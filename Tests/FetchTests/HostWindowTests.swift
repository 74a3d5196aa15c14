import TesseraTestSupport
import Testing

@testable import TesseraNet

/// How many requests a host gets, as its answers show.
@Suite struct HostWindowTests {
  private static let start = ContinuousClock.now

  private static func at(_ milliseconds: Int) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  /// Uses up all places, and has all requests answered at once.
  private static func round(
    _ window: inout HostWindow, _ milliseconds: Int, at time: Int, uses: Int = .max
  ) {
    let (size, now) = (min(uses, window.size), at(time))
    for _ in 0..<size { window.started(now: now) }
    for _ in 0..<size {
      window.ended()
      window.answered(.good(.milliseconds(milliseconds)), started: now, now: now)
    }
  }

  /// The size after each round, which a word describes: how long the answers took, and after a colon how many places were
  /// used.
  @Test(arguments: [
    ("100 100 100", [12, 24, 48]),
    // Half as much again, and five milliseconds.
    ("100 155 100", [12, 24, 48]), ("100 156 100", [12, 12, 18]),
    // Later it grows by six a round.
    ("100 200 100 100 200 100", [12, 12, 18, 24, 24, 30]),
    // Only a number that was used is known to be borne.
    ("100:5 100", [6, 12]), ("100 100:11 100", [12, 12, 24]),
    // The soonest round counts, not the first.
    ("100 20 36", [12, 24, 24]), ("100 20 34", [12, 24, 48]),
  ]) func itGrowsWhileAnswersComeSoon(_ rounds: String, _ sizes: [Int]) {
    var window = HostWindow(size: nil, now: Self.start)
    var found: [Int] = []
    for word in rounds.split(separator: " ") {
      let numbers = word.split(separator: ":").compactMap { Int($0) }
      Self.round(&window, numbers[0], at: found.count, uses: numbers.count > 1 ? numbers[1] : .max)
      found.append(window.size)
    }
    #expect(found == sizes)
  }

  @Test func troubleHalvesItOnceASecond() {
    var window = HostWindow(size: nil, now: Self.start)
    for time in 0..<3 { Self.round(&window, 100, at: time) }
    #expect(window.size == 48 && window.nextStart(now: Self.at(2)) == nil)
    for _ in 0..<5 { window.answered(.trouble, started: Self.at(200), now: Self.at(300)) }
    #expect(window.size == 24)
    window.answered(.trouble, started: Self.at(1_300), now: Self.at(1_300))
    #expect(window.size == 24)
    // A request of a second later says something new.
    for time in 1_301...1_302 {
      window.answered(.trouble, started: Self.at(time), now: Self.at(time))
      #expect(window.size == 12)
    }
    for time in 3...8 {
      for _ in 0..<2 {
        window.answered(.trouble, started: Self.at(time * 1_001), now: Self.at(time * 1_001))
      }
    }
    #expect(window.size == 1)
    #expect(window.mayStart(now: Self.at(60_000)))
  }

  /// One answer, and one of fifty, is about its own source.
  @Test func fewBusySourcesAmongManyAreNoTrouble() {
    func isPaced(_ good: Int, troubled: Int) -> Bool {
      var window = HostWindow(size: nil, now: Self.start)
      for _ in 0..<good { window.answered(.good(nil), started: Self.start, now: Self.start) }
      for _ in 0..<troubled {
        window.answered(.trouble, started: Self.start, now: Self.start)
      }
      return window.nextStart(now: Self.start) != nil
    }
    expectMost(97) { isPaced(max(3, $0), troubled: 2) }
    #expect(!isPaced(3, troubled: 1))
    // Without good answers, no pace is known that the host bears.
    #expect(!isPaced(2, troubled: 9))
    // What was answered more than a second ago does not count: a part of it does until two seconds ago.
    for (time, size) in [(1_000, 6), (1_020, 6), (1_021, 3), (2_000, 3)] {
      var window = HostWindow(size: nil, now: Self.start)
      for _ in 0..<100 { window.answered(.good(nil), started: Self.at(-1), now: Self.start) }
      for _ in 0..<2 { window.answered(.trouble, started: Self.at(time), now: Self.at(time)) }
      #expect(window.size == size, "\(time) ms")
    }
  }

  /// Seven tenths at once, all after fifteen seconds, and no pace after thirty.
  @Test func thePaceReturns() throws {
    var window = HostWindow(size: nil, now: Self.start)
    for _ in 0..<100 { window.answered(.good(nil), started: Self.start, now: Self.start) }
    for _ in 0..<3 { window.answered(.trouble, started: Self.start, now: Self.start) }
    let first = try #require(window.nextStart(now: Self.start))
    #expect(abs(Self.start.duration(to: first) / .milliseconds(1) - 1000 / 70) < 0.001)
    #expect(!window.mayStart(now: Self.at(14)) && window.mayStart(now: Self.at(15)))
    for (time, pace) in [(0, 70.0), (5_000, 80), (15_000, 100), (25_000, 120)] {
      window.started(now: Self.at(time))
      window.ended()
      let next = try #require(window.nextStart(now: Self.at(time)))
      #expect(abs(Self.at(time).duration(to: next) / .milliseconds(1) - 1000 / pace) < 0.001)
    }
    window.started(now: Self.at(30_000))
    window.ended()
    #expect(window.nextStart(now: Self.at(30_000)) == nil)
    #expect(window.isIdle(now: Self.at(90_000)))
  }

  @Test func aFixedNumberOnlyGetsAPaceOnceItsHostIsBusy() {
    var window = HostWindow(size: 3, now: Self.start)
    for time in 0..<4 { Self.round(&window, 1, at: time) }
    window.answered(.trouble, started: Self.at(10), now: Self.at(10))
    #expect(window.size == 3 && window.nextStart(now: Self.at(10)) == nil)
    window.shrink(started: Self.at(10), now: Self.at(10))
    #expect(window.size == 3 && window.nextStart(now: Self.at(10)) != nil)
    let before = window.nextStart(now: Self.at(10))
    for _ in 0..<2 {
      window.answered(.trouble, started: Self.at(1_020), now: Self.at(1_020))
    }
    #expect(window.nextStart(now: Self.at(1_020)) != before)
    #expect(window.size == 3 && !window.isIdle(now: Self.at(20_000)))
    #expect(window.isIdle(now: Self.at(41_000)))
  }

  /// After a pause the pace begins where it would have begun without one.
  @Test func thePaceWaitsForThePause() throws {
    var window = HostWindow(size: 6, now: Self.start)
    for _ in 0..<20 { window.answered(.good(nil), started: Self.start, now: Self.start) }
    window.shrink(started: Self.start, now: Self.start)
    window.delay(until: Self.at(60_000))
    let first = try #require(window.nextStart(now: Self.at(59_000)))
    #expect(abs(Self.at(60_000).duration(to: first) / .milliseconds(1) - 1000 / 14) < 0.001)
    window.started(now: Self.at(60_050))
    window.ended()
    let next = try #require(window.nextStart(now: Self.at(60_050)))
    #expect(Self.at(60_050).duration(to: next) > .milliseconds(70))
    // Another hop of a request is none of its own.
    window.started(now: Self.at(60_060), isContinued: true)
    #expect(window.nextStart(now: Self.at(60_060)) == next && window.transfers == 1)
  }

  /// Failures that have nothing to do with how many requests there are.
  @Test func aFewBrokenSourcesSlowNobody() {
    let result = Self.simulate(perHost: nil, latency: 100, concurrency: 16, failures: 100)
    #expect(result.good > 60 * 16 * 9 / 2, "\(result.good)")
  }

  @Test func whatAnAnswerSays() {
    func answer(_ error: FetchError) -> HostWindow.Answer? {
      HostWindow.Answer(.failure(error), after: .milliseconds(7))
    }
    for status in [429, 503] {
      #expect(answer(FetchError(.httpStatus, "", status: status)) == .trouble)
    }
    for code in [FetchError.Code.network, .timeout] {
      #expect(answer(FetchError(code, "")) == .trouble)
    }
    #expect(answer(FetchError(.httpStatus, "", status: 404)) == .good(.milliseconds(7)))
    #expect(HostWindow.Answer(.failure(FetchError(.cancelled, "")), after: nil) == nil)
  }

  // MARK: Whole hosts

  private struct Result {
    var good = 0
    var busy = 0
    /// Of requests in flight.
    var most = 0
  }

  /// Requests to a host that takes some time for each answer, step by step of a millisecond, for a minute.
  ///
  /// - Parameters:
  ///   - rate: of requests that it answers in a second by the clock; it answers 503 to others.
  ///   - failures: one in this many requests fails, whatever its host bears.
  ///   - places: the number of requests that it works on at a time; others wait.
  private static func simulate(
    perHost: Int?, latency: Int, rate: Int = .max, places: Int = .max, concurrency: Int = 1_000,
    failures: Int = .max
  ) -> Result {
    var limits = HostLimits(perHost: perHost, patience: .seconds(120))
    var (result, inFlight, waiting) = (Result(), [(started: Int, begun: Int, isBusy: Bool)](), 0)
    var (second, sent) = (0, 0)
    let busy = FetchError(.httpStatus, "503", isRetryable: true, status: 503)
    for time in 0..<60_000 {
      if time % 1_000 == 0 { second = 0 }
      let now = at(time)
      while inFlight.count < concurrency, limits.mayStart("h", now: now) {
        limits.started("h", now: now)
        second += 1
        // It begins when the request that has the place before it has ended.
        let before =
          inFlight.count >= places ? inFlight[inFlight.count - places].begun + latency : time
        sent += 1
        inFlight.append((time, max(time, before), second > rate || sent % failures == 0))
      }
      result.most = max(result.most, inFlight.count)
      while let first = inFlight.first, first.begun + latency <= time {
        inFlight.removeFirst()
        limits.ended("h")
        let (started, time) = (at(first.started), Duration.milliseconds(time - first.started))
        limits.answered(first.isBusy ? .trouble : .good(time), of: "h", started: started, now: now)
        limits.record(
          first.isBusy ? .rateLimited(busy) : .success, of: "h", url: "\(waiting)",
          started: started,
          now: now, chance: 0.5)
        waiting += 1
        if first.isBusy { result.busy += 1 } else { result.good += 1 }
      }
      if time % 100 == 0 { _ = limits.hostsToGiveUp(now: now) { _ in true } }
    }
    return result
  }

  @Test func aDistantHostIsUsedUpToTheConcurrency() {
    let result = Self.simulate(perHost: nil, latency: 100, concurrency: 300)
    // 594 rounds, of which the first are smaller.
    #expect(result.most == 300 && result.good > 176_000 && result.busy == 0)
    let fixed = Self.simulate(perHost: 6, latency: 100, concurrency: 300)
    #expect(fixed.most == 6 && fixed.good == 3_564)
  }

  /// Its queue would only make all wait.
  @Test func aHostWithFewPlacesGetsLittleMore() {
    let result = Self.simulate(perHost: nil, latency: 100, places: 20)
    #expect(result.good > 11_000 && result.most < 60)
  }

  /// The rate of good answers, and the share of busy ones, of hosts that limit the rate.
  @Test(arguments: [(nil, 1), (nil, 100), (6, 1), (6, 100)] as [(Int?, Int)])
  func aHostThatLimitsTheRateIsRarelyBusy(_ perHost: Int?, _ latency: Int) {
    for rate in [5, 20, 40] {
      let result = Self.simulate(perHost: perHost, latency: latency, rate: rate)
      let share = Double(result.busy) / Double(result.good + result.busy)
      #expect(share < (rate > 5 ? 0.04 : 0.1))
      #expect(result.good > rate * 60 * 84 / 100)
    }
  }
}
