import Testing

@testable import TesseraState

@Suite struct ReasonTests {
  private static let reasons: [Reason] = [
    .unknownSource, .rejectedLastTime, .fresh(until: 12), .neverRevalidated, .checkedInThisRun,
    .onlyFailedRequested, .expired(checked: 1, freshUntil: 2), .noLifetime(checked: 3),
    .alwaysRevalidated, .filesMissing(2, of: 5), .noLongerAccepted, .headerDiffers, .notModified,
    .fetchedFirst, .fetchedAgain, .sameBytes, .sameRejectedBytes,
    .changed(oldETag: nil, newETag: "\"; a\""), .changed(oldETag: "1", newETag: "2"), .keptCopy,
    .sharedResult, .knownBytes, .rejectedBefore,
    .backOff(failures: 3, until: 4), .decoded(made: 3, reused: 4),
    .failed(code: "dns", message: "No; such \"host\"."), .layoutRun, .knownSizeFresh, .sameHeader,
    .headerRead,
  ]

  /// Reasons come back as they were stored, whatever characters their arguments have.
  @Test func storesAndReadsEveryReason() {
    #expect(Reason.list(stored: Reason.stored(Self.reasons)) == Self.reasons)
    #expect(Reason.list(stored: Reason.stored([])) == [])
  }

  @Test(arguments: [
    "", "x", "{}", "[]", "99", "-1", "[99, 1]", "[\"fresh\", 1]", "1.5",
  ])
  func ignoresWhatItDoesNotKnow(_ text: String) {
    #expect(Reason.list(stored: text) == [])
  }
}
