import TesseraNet
import TesseraTestSupport
import Testing

@Suite struct RetryTests {
  private let policy = RetryPolicy(retries: 4, deadline: .seconds(120))
  private let transient = FetchError(.network, "reset", isRetryable: true)

  @Test(.faults(.n6)) func backsOffExponentiallyWithFullJitter() {
    let waits = (1...4).map {
      policy.wait(after: transient, tries: $0, elapsed: .zero, chance: 1)
    }
    #expect(waits == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
    #expect(policy.wait(after: transient, tries: 1, elapsed: .zero, chance: 0) == .zero)
    #expect(policy.wait(after: transient, tries: 5, elapsed: .zero, chance: 0) == nil)
  }

  @Test(.faults(.n27)) func obeysRetryAfterWithinTheDeadline() {
    var error = transient
    error.retryAfter = .seconds(10)
    #expect(policy.wait(after: error, tries: 1, elapsed: .zero, chance: 0) == .seconds(10))
    #expect(policy.wait(after: error, tries: 1, elapsed: .seconds(111), chance: 0) == nil)
    error.retryAfter = .seconds(3600)
    #expect(policy.wait(after: error, tries: 1, elapsed: .zero, chance: 0) == nil)
  }

  @Test func doesNotRetryPermanentErrors() {
    let permanent = FetchError(.tls, "no")
    #expect(policy.wait(after: permanent, tries: 1, elapsed: .zero, chance: 0) == nil)
    var givenUp = transient
    givenUp.isHostGivenUp = true
    #expect(policy.wait(after: givenUp, tries: 1, elapsed: .zero, chance: 0) == nil)
  }

  @Test func allAttemptsShareOneDeadline() {
    let start = ContinuousClock.now
    func after(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }
    var tries = Tries(policy)
    #expect(tries.end == nil)
    // An attempt of five seconds that ends now began five seconds ago.
    tries.took(.seconds(5), now: after(5))
    #expect(tries.end == after(120))
    #expect(tries.pause(after: transient, now: after(5), chance: 1) == .milliseconds(500))
    tries.took(.seconds(50), now: after(60))
    #expect(tries.end == after(120))
    #expect(tries.pause(after: transient, now: after(60), chance: 1) == .seconds(1))
    #expect(tries.pause(after: transient, now: after(119), chance: 1) == nil)
  }

  @Test func aPauseEndsWithTheRun() {
    let start = ContinuousClock.now
    var error = transient
    error.retryAfter = .seconds(60)
    var tries = Tries(policy, runEnd: start.advanced(by: .seconds(10)))
    #expect(tries.pause(after: error, now: start, chance: 0) == .seconds(10))
    #expect(tries.pause(after: error, now: start.advanced(by: .seconds(20)), chance: 0) == .zero)
  }
}
