import TesseraManifest
import Testing

/// M16: which losses of items are accepted.
@Suite struct ShrinkGuardTests {
  @Test(arguments: [
    // limit, before, now, accepted
    (50.0, 1_000, 1_000, true), (50, 1_000, 2_000, true), (50, 1_000, 500, true),
    (50, 1_000, 499, false), (50, 1_000, 0, false), (50, 100, 49, false), (50, 99, 1, true),
    (50, 99, 0, false), (50, 1, 0, false), (100, 1, 0, true),
    (50, 0, 0, true), (0, 100, 100, true), (0, 100, 99, false), (0.5, 1_000, 995, true),
    (0.5, 1_000, 994, false), (100, 1_000, 0, true),
  ])
  func decidesByTheShareThatIsLost(_ limit: Double, _ before: Int, _ now: Int, _ isAccepted: Bool) {
    let reason = ShrinkGuard(limit: limit, before: before).reason(toRejectItems: now)
    #expect((reason == nil) == isAccepted)
    let shard = ShrinkGuard(limit: limit, before: before, isPart: true)
    #expect((shard.reason(toRejectItems: now) == nil) == (isAccepted || before < 100))
  }

  @Test func theReasonHasBothNumbersAndTheWayOut() {
    #expect(
      ShrinkGuard(limit: 12.5, before: 1_000).reason(toRejectItems: 874)
        == "it has 874 items and the last run had 1000, a loss of more than shrink-above: 12.5%; the "
        + "last good catalog stands; if the manifest is complete, accept it with run --allow-shrink"
    )
  }
}
