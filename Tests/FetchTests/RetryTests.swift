import TesseraFetch
import Testing

@Suite struct RetryTests {
  private let policy = RetryPolicy(retries: 4, deadline: .seconds(120))
  private let passing = FetchError(.network, "reset", isRetryable: true)

  @Test func waitsLongerEachTimeWithFullJitter() {
    let waits = (1...4).map {
      policy.wait(after: passing, tries: $0, elapsed: .zero, chance: 1)
    }
    #expect(waits == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
    #expect(policy.wait(after: passing, tries: 1, elapsed: .zero, chance: 0) == .zero)
    #expect(policy.wait(after: passing, tries: 5, elapsed: .zero, chance: 0) == nil)
  }

  @Test func obeysRetryAfterWithinTheDeadline() {
    var error = passing
    error.retryAfter = .seconds(10)
    #expect(policy.wait(after: error, tries: 1, elapsed: .zero, chance: 0) == .seconds(10))
    #expect(policy.wait(after: error, tries: 1, elapsed: .seconds(111), chance: 0) == nil)
    error.retryAfter = .seconds(3600)
    #expect(policy.wait(after: error, tries: 1, elapsed: .zero, chance: 0) == nil)
  }

  @Test func doesNotRepeatWhatCannotPass() {
    let permanent = FetchError(.tls, "no")
    #expect(policy.wait(after: permanent, tries: 1, elapsed: .zero, chance: 0) == nil)
  }
}
