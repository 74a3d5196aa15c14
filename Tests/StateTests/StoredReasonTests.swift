import Testing

@testable import TesseraState

/// Reasons as they are stored: later versions read them, so their names never change.
@Suite struct StoredReasonTests {
  @Test(
    arguments: [
      (.unknownSource, #"["unknown-source"]"#), (.rejectedLastTime, #"["rejected-last-time"]"#),
      (.fresh(until: 12.9), #"["fresh",12]"#), (.neverRevalidated, #"["never-revalidated"]"#),
      (.checkedInThisRun, #"["checked-in-this-run"]"#),
      (.onlyFailedRequested, #"["only-failed-requested"]"#),
      (.expired(checked: 1, freshUntil: 2), #"["expired",1,2]"#),
      (.noLifetime(checked: 3), #"["no-lifetime",3]"#),
      (.alwaysRevalidated, #"["always-revalidated"]"#),
      (.filesMissing(2, of: 5), #"["files-missing",2,5]"#),
      (.noLongerAccepted, #"["no-longer-accepted"]"#), (.headerDiffers, #"["header-differs"]"#),
      (.notModified, #"["not-modified"]"#), (.fetchedFirst, #"["fetched-first"]"#),
      (.fetchedAgain, #"["fetched-again"]"#), (.sameBytes, #"["same-bytes"]"#),
      (.sameRejectedBytes, #"["same-rejected-bytes"]"#),
      (.changed(oldETag: nil, newETag: "b"), #"["changed",null,"b"]"#),
      (.changed(oldETag: "a", newETag: nil), #"["changed","a",null]"#),
      (.keptCopy, #"["kept-copy"]"#), (.sharedResult, #"["shared-result"]"#),
      (.knownBytes, #"["known-bytes"]"#), (.rejectedBefore, #"["rejected-before"]"#),
      (.backOff(failures: 3, until: 4), #"["back-off",3,4]"#),
      (.decoded(made: 3, reused: 4), #"["decoded",3,4]"#),
      (.failed(code: "dns", message: "No."), #"["failed","dns","No."]"#),
      (.layoutRun, #"["layout-run"]"#), (.knownSizeFresh, #"["known-size-fresh"]"#),
      (.sameHeader, #"["same-header"]"#), (.headerRead, #"["header-read"]"#),
      (.text("words"), #"["text","words"]"#),
      // Numbers that a damaged record may contain.
      (.noLifetime(checked: .infinity), #"["no-lifetime",9000000000000000]"#),
      (.noLifetime(checked: -.infinity), #"["no-lifetime",-9000000000000000]"#),
    ] as [(Reason, String)])
  func namesAndArgumentsAreStored(_ reason: Reason, _ text: String) {
    #expect(Reason.stored([reason]) == "[\(text)]")
    #expect(Reason.stored([reason, .sameBytes]) == "[\(text),[\"same-bytes\"]]")
  }

  /// Arguments that are missing are nothing.
  @Test(
    arguments: [
      ("fresh", .fresh(until: 0)), ("expired", .expired(checked: 0, freshUntil: 0)),
      ("no-lifetime", .noLifetime(checked: 0)), ("files-missing", .filesMissing(0, of: 0)),
      ("back-off", .backOff(failures: 0, until: 0)),
      ("changed", .changed(oldETag: nil, newETag: nil)),
      ("decoded", .decoded(made: 0, reused: 0)), ("failed", .failed(code: "", message: "")),
      ("text", .text("")),
    ] as [(String, Reason)])
  func missingArgumentsAreNothing(_ name: String, _ reason: Reason) {
    #expect(
      Reason.list(stored: "[[\"\(name)\"],[\"odd\"],[\"same-bytes\"]]") == [reason, .sameBytes])
  }
}
