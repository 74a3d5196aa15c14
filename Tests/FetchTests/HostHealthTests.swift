import TesseraTestSupport
import Testing

@testable import TesseraFetch

/// A host with trouble, second by second.
@Suite struct HostHealthTests {
  private let start = ContinuousClock.now
  private let busy = FetchError(.httpStatus, "429", isRetryable: true, status: 429)
  private let unreachable = FetchError(.network, "refused", isRetryable: true)

  private func health() -> HostHealth {
    HostHealth(patience: .seconds(120), error: busy, now: start)
  }

  private func after(_ seconds: Double) -> ContinuousClock.Instant {
    start.advanced(by: .seconds(seconds))
  }

  @Test func pausesDoubleAndOneGoesAheadAfterEach() {
    var health = health()
    health.saw(.busy(busy), now: start, chance: 1)
    #expect(health.permission(now: after(0.9)) == .wait)
    #expect(health.permission(now: after(1)) == .goAlone)
    // Requests that were on their way already are the same trouble.
    health.saw(.busy(busy), now: after(0.5), chance: 1)
    #expect(health.permission(now: after(1)) == .goAlone)
    health.saw(.busy(busy), now: after(1), chance: 1)
    #expect(health.permission(now: after(2.9)) == .wait)
    #expect(health.permission(now: after(3)) == .goAlone)
    health.saw(.busy(busy), now: after(3), chance: 0)
    #expect(health.permission(now: after(4.9)) == .wait)
    #expect(health.permission(now: after(5)) == .goAlone)
  }

  @Test func aHostThatIsNotReachedThreeTimesGetsAPause() {
    var health = health()
    for _ in 0..<2 {
      health.saw(.unreachable(unreachable), now: start, chance: 1)
      #expect(health.permission(now: start) == .go)
    }
    health.saw(.unreachable(unreachable), now: start, chance: 1)
    #expect(health.permission(now: start) == .wait)
    #expect(health.permission(now: after(1)) == .goAlone)
  }

  @Test func whatIsAskedForIsWaitedForIfItIsNotTooLong() {
    var polite = busy
    polite.retryAfter = .seconds(60)
    var health = health()
    health.saw(.busy(polite), now: start, chance: 0)
    #expect(health.permission(now: after(59)) == .wait)
    #expect(health.permission(now: after(60)) == .goAlone)
    // A day for one bad answer is too long.
    polite.retryAfter = .seconds(86_400)
    health.saw(.busy(polite), now: after(60), chance: 0)
    #expect(health.permission(now: after(61)) == .wait)
    #expect(health.permission(now: after(121)) == .givenUp(polite))
    #expect(health.permission(now: after(180)) == .goAlone)
    // What was on its way before the trouble shows nothing.
    #expect(!health.isOver(wellSince: after(59)))
    #expect(health.isOver(wellSince: after(181)))
  }

  @Test func aTroubleThatLastsIsGivenUpButForOneNowAndThen() {
    var health = health()
    var now = start
    var waits: [String] = []
    for _ in 0..<12 {
      health.saw(.unreachable(unreachable), now: now, chance: 1)
      var seconds = 0
      while health.permission(now: now) != .goAlone, health.permission(now: now) != .go {
        if case .givenUp(let error) = health.permission(now: now) { #expect(error == unreachable) }
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
    if case .givenUp = health.permission(now: now.advanced(by: .seconds(-1))) {
    } else {
      Issue.record("its items wait for it")
    }
  }

  @Test func whatSaysNothingAboutTheHostIsNoSign() {
    func sign(_ error: FetchError, wasSent: Bool = true) -> HostHealth.Sign? {
      HostHealth.Sign(.failure(error), wasSent: wasSent)
    }
    #expect(sign(FetchError(.timeout, "stalled", isRetryable: true)) == nil)
    #expect(sign(FetchError(.network, "reset", isRetryable: true)) == nil)
    #expect(sign(FetchError(.tls, "bad certificate"), wasSent: false) == nil)
    // Whatever is wrong with an answer, the host is there.
    #expect(sign(FetchError(.httpStatus, "500", status: 500)) == .well)
    #expect(sign(FetchError(.truncated, "short", isRetryable: true)) == .well)
    #expect(sign(FetchError(.httpStatus, "404", status: 404)) == .well)
    #expect(sign(busy) == .busy(busy))
    #expect(sign(unreachable, wasSent: false) == .unreachable(unreachable))
  }
}

@Suite struct WaitingLineTests {
  @Test func theNextCameFirstAndWhoHasBegunGoesBefore() {
    var line = WaitingLine<Int>()
    for number in 1...6 {
      line.add(number, identifier: number, host: number % 2 == 0 ? "a" : "b", hasBegun: false)
    }
    line.add(100, identifier: 100, host: "a", hasBegun: true)
    #expect(line.count == 7)
    var taken: [Int] = []
    while let next = line.takeNext(where: { _ in true }) { taken.append(next) }
    #expect(taken == [100, 1, 2, 3, 4, 5, 6])
    #expect(line.isEmpty && line.hosts.isEmpty)
  }

  @Test func turnsCountAndNotWhoCameFirst() {
    var line = WaitingLine<Int>()
    for turn in [3, 1, 2, -5, 8, 7, 4] {
      line.add(turn, identifier: turn, host: turn % 2 == 0 ? "a" : "b", turn: turn, hasBegun: false)
    }
    line.add(100, identifier: 100, host: "a", hasBegun: false)
    var taken: [Int] = []
    while let next = line.takeNext(where: { _ in true }) { taken.append(next) }
    #expect(taken == [-5, 1, 2, 3, 4, 7, 8, 100])
  }

  @Test func hostsThatMayNotBeAskedAreLeftStanding() {
    var line = WaitingLine<Int>()
    for number in 1...4 {
      line.add(number, identifier: number, host: number < 3 ? "a" : "b", hasBegun: false)
    }
    #expect(line.takeNext(where: { $0 == "b" }) == 3)
    #expect(line.takeNext(onlyBegun: true, where: { _ in true }) == nil)
    #expect(line.remove(1) == 1)
    #expect(line.remove(1) == nil)
    #expect(line.takeAll(of: "a") == [2])
    #expect(line.count == 1)
    #expect(line.takeAll() == [4])
    #expect(line.takeNext(where: { _ in true }) == nil)
  }

  /// A line is as good as a list, whatever is taken out of it.
  @Test func agreesWithAList() {
    var generator = SplitMix(seed: 1)
    var line = WaitingLine<Int>()
    var list: [Int] = []
    for step in 0..<4_000 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        line.add(step, identifier: step, host: "a", hasBegun: false)
        list.append(step)
      case 2:
        let expected = list.isEmpty ? nil : list.removeFirst()
        #expect(line.takeNext(where: { _ in true }) == expected)
      default:
        guard let gone = list.randomElement(using: &generator) else { continue }
        list.removeAll { $0 == gone }
        #expect(line.remove(gone) == gone)
      }
      #expect(line.count == list.count)
    }
  }
}
