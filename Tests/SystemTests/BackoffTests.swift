import TesseraNet
import Testing

@Suite struct BackoffTests {
  @Test func stepsDoubleUpToTheCap() {
    let full = Backoff()
    let waits = [1, 2, 3, 6, 7, 8, 1_000].map { full.pause(after: $0, chance: 1, wanted: nil) }
    #expect(
      waits == [.milliseconds(500)] + [1, 2, 16, 30, 30, 30].map { Duration.seconds($0) })
    #expect(full.pause(after: 7, chance: 0, wanted: nil) == .zero)
    #expect(full.pause(after: 2, chance: 0.25, wanted: nil) == .milliseconds(250))
  }

  @Test func aPartOfAStepMayBeCertain() {
    let equal = Backoff(base: .seconds(1), cap: .seconds(2), least: 0.5)
    let chances = [0, 0.5, 1].map { equal.pause(after: 9, chance: $0, wanted: nil) }
    #expect(chances == [.seconds(1), .milliseconds(1_500), .seconds(2)])
  }

  /// Retry-After is a least pause, also beyond the cap.
  @Test func theServersWishIsTheLeast() {
    let backoff = Backoff()
    #expect(backoff.pause(after: 1, chance: 1, wanted: .seconds(60)) == .seconds(60))
    #expect(backoff.pause(after: 2, chance: 1, wanted: .milliseconds(1)) == .seconds(1))
  }
}
