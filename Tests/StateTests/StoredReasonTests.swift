import Testing

@testable import TesseraState

/// Reasons as they are stored: later versions read them, so their numbers never change.
@Suite struct StoredReasonTests {
  @Test(
    arguments: [
      (.unknownSource, "0"), (.fetchedFirst, "1"), (.knownBytes, "2"), (.notModified, "3"),
      (.neverRevalidated, "4"), (.sharedResult, "5"), (.alwaysRevalidated, "6"),
      (.fetchedAgain, "7"), (.sameBytes, "8"), (.rejectedLastTime, "9"), (.checkedInThisRun, "10"),
      (.onlyFailedRequested, "11"), (.refreshed, "12"), (.noLongerAccepted, "13"),
      (.headerDiffers, "14"), (.sameRejectedBytes, "15"), (.keptCopy, "16"),
      (.rejectedBefore, "17"), (.layoutRun, "18"), (.knownSizeFresh, "19"), (.sameHeader, "20"),
      (.headerRead, "21"), (.fresh(until: 12.9), "[0,12]"),
      (.expired(checked: 1, freshUntil: 2), "[1,1,2]"), (.noLifetime(checked: 3), "[2,3]"),
      (.filesMissing(2, of: 5), "[3,2,5]"),
      (.changed(oldETag: nil, newETag: "b"), #"[4,null,"b"]"#),
      (.changed(oldETag: "a", newETag: nil), #"[4,"a",null]"#),
      (.backOff(failures: 3, until: 4), "[5,3,4]"), (.decoded(made: 3, reused: 4), "[6,3,4]"),
      (.failed(code: "dns", message: "No."), #"[7,"dns","No."]"#),
      // Numbers that a damaged record may contain.
      (.noLifetime(checked: .infinity), "[2,9000000000000000]"),
      (.noLifetime(checked: -.infinity), "[2,-9000000000000000]"),
    ] as [(Reason, String)])
  func numbersAndArgumentsAreStored(_ reason: Reason, _ text: String) {
    #expect(Reason.stored([reason]) == text)
    #expect(Reason.stored([reason, .sameBytes]) == "\(text),8")
  }

  /// Arguments that are missing are nothing.
  @Test(
    arguments: [
      (0, .fresh(until: 0)), (1, .expired(checked: 0, freshUntil: 0)), (2, .noLifetime(checked: 0)),
      (3, .filesMissing(0, of: 0)), (4, .changed(oldETag: nil, newETag: nil)),
      (5, .backOff(failures: 0, until: 0)), (6, .decoded(made: 0, reused: 0)),
      (7, .failed(code: "", message: "")),
    ] as [(Int, Reason)])
  func missingArgumentsAreNothing(_ number: Int, _ reason: Reason) {
    #expect(Reason.list(stored: "[\(number)],[\"odd\"],8") == [reason, .sameBytes])
  }
}
