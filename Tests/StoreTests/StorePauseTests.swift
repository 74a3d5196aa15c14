import TesseraNet
import Testing

@Suite struct StorePauseTests {
  /// A store that gives up ends a run.
  @Test func aStoreIsWaitedForAtLeastThreeSeconds() {
    let settings = StoreSettings(environment: { _ in nil })
    func wait(_ chance: Double) -> Duration {
      (1..<settings.attempts).reduce(.zero) {
        $0 + settings.backoff.pause(after: $1, chance: chance, wanted: nil)
      }
    }
    #expect(wait(0) == .milliseconds(3_100))
    #expect(wait(1) == .milliseconds(6_200))
  }
}
