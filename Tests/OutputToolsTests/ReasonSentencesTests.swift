import TesseraJSON
import TesseraState
import Testing

@testable import tessera

@Suite struct ReasonSentencesTests {
  static let cases: [(Reason, String)] = [
    (.unknownSource, "requested: the source was not known"),
    (.rejectedLastTime, "requested: the previous response was unusable"),
    (
      .expired(checked: 0, freshUntil: 86_400),
      "requested: the response of 1970-01-01T00:00:00Z was fresh until 1970-01-02T00:00:00Z"
    ),
    (
      .noLifetime(checked: 60),
      "requested: the server did not say how long its response of 1970-01-01T00:01:00Z is fresh"
    ),
    (.alwaysRevalidated, "requested: every source is (revalidate: always)"),
    (.refreshed, "requested: this image was named to be fetched and made again (--refresh)"),
    (.filesMissing(2, of: 6), "requested: 2 of its 6 files are missing"),
    (.noLongerAccepted, "requested: the pipeline no longer accepts what it accepted before"),
    (.headerDiffers, "requested: a layout run saw another image there"),
    (
      .fresh(until: 3_600),
      "nothing to do: the server's response is fresh until 1970-01-01T01:00:00Z"
    ),
    (
      .neverRevalidated,
      "nothing to do: a known source is never requested again (revalidate: never)"
    ),
    (
      .checkedInThisRun, "nothing to do: another item of this run requested the same source"
    ),
    (
      .onlyFailedRequested,
      "nothing to do: only failed, stale and new items are requested (--retry-failed)"
    ),
    (.notModified, "the server answered that it has not changed"),
    (.fetchedFirst, "fetched for the first time"),
    (.fetchedAgain, "fetched again"),
    (.sameBytes, "fetched: the same bytes as before"),
    (.sameRejectedBytes, "fetched: the same unusable bytes as last time"),
    (
      .changed(oldETag: "\"a\"", newETag: "\"b\""),
      "fetched: it has changed (ETag \"a\" is now \"b\")"
    ),
    (.changed(oldETag: "\"a\"", newETag: "\"a\""), "fetched: it has changed"),
    (.changed(oldETag: nil, newETag: "\"b\""), "fetched: it has changed"),
    (.changed(oldETag: "\"a\"", newETag: nil), "fetched: it has changed"),
    (.changed(oldETag: nil, newETag: nil), "fetched: it has changed"),
    (.keptCopy, "its cached copy was used"),
    (.sharedResult, "another item of this run requested the same source"),
    (.knownBytes, "these bytes are known: all files were reused"),
    (.rejectedBefore, "these bytes could not be decoded before"),
    (
      .backOff(failures: 1, until: 86_400),
      "not decoded: a worker failed on these bytes once; they are retried after 1970-01-02T00:00:00Z"
    ),
    (
      .backOff(failures: 3, until: 0),
      "not decoded: a worker failed on these bytes 3 times in a row; they are retried after "
        + "1970-01-01T00:00:00Z"
    ),
    (.decoded(made: 3, reused: 1), "decoded: 3 files made, 1 reused"),
    (
      .failed(code: "dns", message: "No such host."), "failed: No such host. (dns)"
    ),
    (.layoutRun, "a layout run, which learns sizes only"),
    (.knownSizeFresh, "nothing to do: the known size is fresh"),
    (.sameHeader, "its first bytes match what is known"),
    (.headerRead, "its first bytes gave its size"),
  ]

  @Test func everyReasonIsAClause() {
    for (reason, sentence) in Self.cases {
      #expect(reason.sentence == sentence)
      #expect(!reason.sentence.isEmpty)
      #expect(!reason.sentence.hasSuffix(": "))
    }
  }

  /// A file has no server, no response and no ETag.
  @Test func reasonsOfAFileNameNoServer() {
    let sentences = Self.cases.map { $0.0.sentence(ofFile: true) }
    for (reason, sentence) in zip(Self.cases, sentences) {
      if case .fresh = reason.0 { continue }
      #expect(!sentence.contains("server") && !sentence.contains("ETag"), "\(sentence)")
      #expect(!sentence.contains("response"), "\(sentence)")
    }
    #expect(sentences.contains("the file has not changed"))
    #expect(sentences.contains("requested: each run looks whether a file has changed"))
    #expect(sentences.contains("requested: the file was unusable the last time"))
  }

  @Test func everyReasonIsStoredAndReadBack() {
    let reasons = Self.cases.map(\.0)
    #expect(Reason.list(stored: Reason.stored(reasons)) == reasons)
    // Every kind of reason has a number of its own.
    #expect(Set(reasons.map(\.kind)).count == 30)
  }
}
