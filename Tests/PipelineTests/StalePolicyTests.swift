import TesseraNet
import TesseraPlan
import TesseraState
import TesseraWorkers
import Testing

@testable import TesseraPipeline

@Suite struct StalePolicyTests {
  private let policy = StalePolicy(keep: 86_400)
  private static let image = ImageFacts(format: "jpeg", size: Size(1, 1))

  /// A failure, whether the last good files remain shown after it, and whether the entry has the
  /// known size if they do not: with all files, and without.
  private static let cases: [(ItemFailure, isStale: Bool, ready: Bool, notReady: Bool)] = [
    (.unknownSlot("a", known: ["b"]), false, false, false),
    (.unreachable(FetchError(.dns, "x")), true, true, true),
    (.unreachable(FetchError(.timeout, "x")), true, true, true),
    (.unreachable(FetchError(.tls, "x")), true, true, true),
    (.unreachable(FetchError(.tooLarge, "x")), true, true, true),
    (.unreachable(.runDeadline), true, true, true),
    (.unreachable(FetchError(.httpStatus, "x", status: 500)), true, true, true),
    (.unreachable(FetchError(.httpStatus, "x", status: 403)), true, true, true),
    (.unreachable(FetchError(.httpStatus, "x", status: 404)), false, true, true),
    (.unreachable(FetchError(.httpStatus, "x", status: 410)), false, true, true),
    (.unreachable(FetchError(.httpStatus, "x", status: 451)), false, true, true),
    (.unreachable(FetchError(.addressRejected, "x")), false, true, true),
    (.unreachable(FetchError(.badURL, "x")), false, true, true),
    (.unreachable(FetchError(.notFound, "x")), false, true, true),
    (.unreachable(FetchError(.symlink, "x")), false, true, true),
    // A mistake in its permissions is not a loss.
    (.unreachable(FetchError(.notReadable, "x")), true, true, true),
    (.rejected(.header(code: "not-image", reason: "a page")), true, true, false),
    (.rejected(.notAnImage), true, true, false),
    (.rejected(.stored(code: "not-image", sentence: "", nil)), true, true, false),
    // Another image is in its place.
    (.rejected(.stored(code: "too-many-pixels", sentence: "", image)), false, false, false),
    (.rejected(.unsupportedFormat(image, accepted: [])), false, false, false),
    (.rejected(.sideTooLong(image)), false, false, false),
    (.rejected(.tooManyPixels(image, limit: 1)), false, false, false),
    (.rejected(.tooLarge(image, limit: 1)), false, false, false),
    (.undecodable(TranscodeFailure(.decode, "x"), image), true, true, false),
    (.undecodable(TranscodeFailure(.workerCrashed, "x"), nil), true, true, false),
  ]

  @Test func theFailureDecidesWhetherTheLastFilesRemain() {
    for (failure, isStale, _, _) in Self.cases {
      #expect(policy.isStale(after: failure, .ready(), now: now) == isStale, "\(failure)")
    }
  }

  @Test func theFailureDecidesWhetherTheSizeRemains() {
    for (failure, _, ready, notReady) in Self.cases {
      var source = KnownSource.ready()
      #expect(StalePolicy.keepsKnownSize(after: failure, source) == ready, "\(failure)")
      source.isReady = false
      #expect(StalePolicy.keepsKnownSize(after: failure, source) == notReady, "\(failure)")
    }
  }

  @Test func withoutFilesNothingIsStale() {
    var source = KnownSource.ready()
    source.isReady = false
    for (failure, _, _, _) in Self.cases {
      #expect(!policy.isStale(after: failure, source, now: now))
      #expect(!policy.isStale(after: failure, KnownSource(), now: now))
    }
  }

  @Test func filesRemainForTheConfiguredTime() {
    let checked = now - 3_600
    let failure = ItemFailure.unreachable(FetchError(.dns, "x"))
    let cases: [(Double, Bool)] = [
      (checked, true), (checked + 86_400, true), (checked + 86_401, false),
      // The clock was set back.
      (checked - 1_000, true),
    ]
    for (moment, isStale) in cases {
      #expect(policy.isStale(after: failure, .ready(), now: moment) == isStale)
    }
    // A moment in the future counts as now, from the next failure on.
    let source = KnownSource.ready().record
    #expect(StalePolicy.corrected(source, now: checked) == nil)
    #expect(StalePolicy.corrected(source, now: checked + 1) == nil)
    #expect(StalePolicy.corrected(nil, now: checked) == nil)
    let corrected = StalePolicy.corrected(source, now: checked - 1_000)?.confirmation
    #expect(corrected?.checked == checked - 1_000)
    #expect(corrected?.freshUntil == checked - 1_000)
    #expect(corrected?.etag == source?.confirmation.etag)
    #expect(!StalePolicy(keep: 0).isStale(after: failure, .ready(), now: now))
    #expect(StalePolicy(keep: 0).isStale(after: failure, .ready(), now: checked))
  }
}
