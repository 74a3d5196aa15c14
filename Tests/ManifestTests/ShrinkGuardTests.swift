import TesseraManifest
import TesseraTestSupport
import Testing

/// M16: which losses of items are accepted.
@Suite struct ShrinkGuardTests {
  @Test(
    .faults(.m16),
    arguments: [
      // limit, before, now, accepted
      (50.0, 1_000, 1_000, true), (50, 1_000, 2_000, true), (50, 1_000, 500, true),
      (50, 1_000, 499, false), (50, 1_000, 0, false), (50, 100, 49, false),
      (50, 99, 1, false), (50, 99, 50, true), (50, 9, 4, false), (50, 10, 5, true),
      (50, 8, 4, true),
      (50, 8, 3, false), (50, 5, 1, true), (50, 99, 0, false), (50, 1, 0, false), (100, 1, 0, true),
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

  /// A tenth, and five at least, is worth a word; of a shard, the whole counts.
  @Test(
    arguments: [
      (1_000, 901, nil), (1_000, 900, "100 fewer"), (50, 45, "5 fewer"), (49, 45, nil),
      (1_000, 1_100, nil), (5, 0, "5 fewer"),
    ] as [(Int, Int, String?)])
  func anAcceptedLossIsNoted(_ before: Int, _ now: Int, _ end: String?) {
    let note = ShrinkGuard(limit: 100, before: before).note(onItems: now)
    #expect(
      note == end.map { "the manifest has \(now) items and the last run had \(before): \($0)" })
    #expect(ShrinkGuard(limit: 100, before: before, isPart: true).note(onItems: now) == nil)
  }
}
