import TesseraCatalog
import TesseraNet
import TesseraPipelineFile
import TesseraState
import Testing

@testable import TesseraPipeline

// The testing library has a type of this name, too.
private typealias Confirmation = TesseraState.Confirmation

@Suite struct FreshnessPolicyTests {
  private func policy(
    _ revalidation: PipelineFile.Revalidation = .whenStale, onlyFailed: Bool = false
  ) -> FreshnessPolicy {
    FreshnessPolicy(revalidation: revalidation, run: thisRun, onlyFailed: onlyFailed)
  }

  private func confirmation(
    checked: Double = now - 60, until: Double?, run: Int = thisRun - 1
  ) -> Confirmation {
    Confirmation(etag: nil, lastModified: nil, checked: checked, freshUntil: until, run: run)
  }

  // MARK: Confirmations

  @Test func aConfirmationIsFreshAsLongAsTheServerSays() {
    let cases: [(until: Double?, checked: Double, isFresh: Bool)] = [
      (nil, now - 60, false),
      (now - 1, now - 60, false),
      (now, now - 60, false),
      (now + 1, now - 60, true),
      (now + 1, now, true),
      // The clock was set back: the answer is from the future.
      (now + 1, now + 0.5, false),
      (now + 9_000, now + 3_600, false),
      (-5, now - 60, false),
    ]
    for (until, checked, isFresh) in cases {
      let confirmation = confirmation(checked: checked, until: until)
      #expect(
        policy().isFresh(confirmation, now: now) == isFresh, "\(until ?? -1), checked \(checked)")
    }
  }

  @Test func alwaysAndNeverIgnoreTheLifetimeButNotThisRun() {
    for until in [nil, now - 1, now + 1] {
      for checked in [now - 60, now + 60] {
        let old = confirmation(checked: checked, until: until)
        #expect(!policy(.always).isFresh(old, now: now))
        #expect(policy(.never).isFresh(old, now: now))
        // What this run confirmed is not requested again, whatever the clock does.
        let confirmed = confirmation(checked: checked, until: until, run: thisRun)
        for revalidation in PipelineFile.Revalidation.allCases {
          #expect(policy(revalidation).isFresh(confirmed, now: now), "\(revalidation)")
        }
      }
    }
  }

  // MARK: Sources

  @Test func aSourceIsFreshOnlyIfItsBytesAreKnownAndNoNewerHeaderWasSeen() {
    #expect(!policy(.never).isFresh(KnownSource(), now: now))
    var source = KnownSource.ready()
    #expect(policy(.never).isFresh(source, now: now))
    #expect(!policy(.whenStale).isFresh(source, now: now))
    source.header = .example()
    for onlyFailed in [false, true] {
      source.lastStatus = .ok
      #expect(!policy(.never, onlyFailed: onlyFailed).isFresh(source, now: now))
    }
  }

  @Test func retryFailedDecidesByTheLastStatus() {
    typealias Status = CatalogImage.Status
    // The last status; whether the files are there; whether this run confirmed the source; the
    // results for revalidate always, when-stale and never. The source is stale.
    let cases: [(Status?, isReady: Bool, isConfirmed: Bool, isFresh: [Bool])] = [
      (.ok, true, false, [true, true, true]),
      (.ok, true, true, [true, true, true]),
      (.stale, true, false, [false, false, false]),
      (.stale, true, true, [true, true, true]),
      (.failed, true, false, [false, false, false]),
      (.failed, true, true, [true, true, true]),
      (.pending, true, false, [false, false, true]),
      (.pending, true, true, [true, true, true]),
      (nil, true, false, [false, false, true]),
      (nil, true, true, [true, true, true]),
      // Without its files the status says nothing.
      (.ok, false, false, [false, false, true]),
      (.failed, false, false, [false, false, true]),
      (.failed, false, true, [true, true, true]),
    ]
    for (status, isReady, isConfirmed, expected) in cases {
      var source = KnownSource.ready(.stale(run: isConfirmed ? thisRun : thisRun - 1))
      source.isReady = isReady
      source.lastStatus = status
      let results = [PipelineFile.Revalidation.always, .whenStale, .never].map {
        policy($0, onlyFailed: true).isFresh(source, now: now)
      }
      #expect(results == expected, "\(status.map { "\($0)" } ?? "nil") \(isReady) \(isConfirmed)")
    }
  }

  @Test func aLayoutRunLeavesItemsAloneThatHaveNotFailed() {
    let cases: [(CatalogImage.Status?, Bool)] = [
      (.ok, true), (.pending, true), (.stale, false), (.failed, false), (nil, false),
    ]
    for (status, isLeftAlone) in cases {
      var source = KnownSource.ready()
      source.lastStatus = status
      #expect(policy(onlyFailed: true).isLeftAlone(source) == isLeftAlone)
      #expect(!policy().isLeftAlone(source))
    }
  }

  // MARK: Reasons

  private func verdict(_ policy: FreshnessPolicy, _ source: KnownSource) -> Verdict {
    Verdicts(freshness: policy, rejections: RejectionPolicy(settings: "", onlyFailed: false))
      .verdict(source, hasCopy: false, now: now)
  }

  /// A size is of no use without what has to be counted in the file.
  @Test func aSizeOfWhichSomethingIsMissingIsRequested() {
    let verdicts = Verdicts(
      freshness: policy(), rejections: RejectionPolicy(settings: "", onlyFailed: false))
    var source = KnownSource.ready()
    source.record?.confirmation = confirmation(until: now + 100)
    for isWhole in [true, false] {
      let verdict = verdicts.verdict(
        ofSize: KnownSize(source), source, isWhole: isWhole, now: now)
      #expect(verdict.needsNothing == isWhole)
    }
    #expect(!verdicts.verdict(ofSize: nil, source, isWhole: true, now: now).needsNothing)
  }

  /// A change to the source of a case.
  private typealias Change = (inout KnownSource) -> Void

  @Test func theReasonNamesWhatDecided() {
    let fresh = confirmation(until: now + 100)
    let stale = Confirmation.stale()
    typealias Case = (PipelineFile.Revalidation, Confirmation?, Change, Reason)
    let unbounded = confirmation(until: nil)
    let confirmed = confirmation(until: nil, run: thisRun)
    let future = confirmation(checked: now + 5, until: now + 10)
    let expired = Reason.expired(checked: stale.checked, freshUntil: now - 1_800)
    let cases: [Case] = [
      (.whenStale, nil, { _ in }, .unknownSource),
      (.whenStale, nil, { $0.rejection = .example() }, .rejectedLastTime),
      (.whenStale, fresh, { _ in }, .fresh(until: now + 100)),
      (.always, fresh, { _ in }, .alwaysRevalidated),
      (.never, fresh, { _ in }, .neverRevalidated),
      (.never, stale, { _ in }, .neverRevalidated),
      (.whenStale, stale, { _ in }, expired),
      (.whenStale, unbounded, { _ in }, .noLifetime(checked: now - 60)),
      (
        .whenStale, future, { _ in },
        .expired(checked: now + 5, freshUntil: now + 10)
      ),
      (.whenStale, confirmed, { _ in }, .checkedInThisRun),
      (.always, confirmed, { _ in }, .checkedInThisRun),
      (.never, confirmed, { _ in }, .checkedInThisRun),
      // A newer header: the bytes have changed.
      (.whenStale, fresh, { $0.header = .example() }, .headerDiffers),
      (.never, stale, { $0.header = .example() }, .headerDiffers),
      // What was rejected is the newest that is known.
      (.whenStale, stale, { $0.rejection = .example() }, .rejectedLastTime),
      (
        .always, stale,
        {
          $0.rejection = .example()
          $0.header = .example()
        }, .rejectedLastTime
      ),
      (.whenStale, fresh, { $0.rejection = .example() }, .fresh(until: now + 100)),
      // Fresh, but not complete.
      (
        .whenStale, fresh,
        {
          $0.filePlan = .example(missing: 1)
          $0.isReady = false
        }, .filesMissing(1, of: 2)
      ),
      (.whenStale, fresh, { $0.isReady = false }, .noLongerAccepted),
      (
        .whenStale, fresh,
        {
          $0.filePlan = nil
          $0.content = nil
          $0.isReady = false
        }, .fresh(until: now + 100)
      ),
    ]
    for (index, (revalidation, confirmation, change, reason)) in cases.enumerated() {
      var source = confirmation.map { KnownSource.ready($0) } ?? KnownSource()
      change(&source)
      #expect(verdict(policy(revalidation), source).reason == reason, "case \(index)")
    }
  }

  @Test func theReasonOfRetryFailedDependsOnTheLastStatus() {
    let stale = Confirmation.stale()
    let expired = Reason.expired(checked: stale.checked, freshUntil: now - 1_800)
    let cases: [(CatalogImage.Status?, Reason)] = [
      (.ok, .onlyFailedRequested), (.stale, expired), (.failed, expired), (.pending, expired),
      (nil, expired),
    ]
    for (status, reason) in cases {
      var source = KnownSource.ready(stale)
      source.lastStatus = status
      #expect(verdict(policy(onlyFailed: true), source).reason == reason)
    }
    var source = KnownSource.ready(.stale(run: thisRun))
    source.lastStatus = .failed
    #expect(verdict(policy(onlyFailed: true), source).reason == .checkedInThisRun)
  }

  // MARK: Confirming

  @Test func a304KeepsWhatItLeavesOut() {
    let before = Confirmation(
      etag: "\"a\"", lastModified: "Mon", checked: now - 500, freshUntil: now - 200, run: 3)
    var forever = before
    forever.freshUntil = nil
    typealias Case = (
      FetchResponse, before: Confirmation?, etag: String?, modified: String?, until: Double?
    )
    let (kept, soon) = (now + 300, now + 60)
    let minute = FetchResponse.example(freshness: .seconds(60))
    let cases: [Case] = [
      (.example(), before, "\"a\"", "Mon", kept),
      (.example(), forever, "\"a\"", "Mon", nil),
      (.example(), nil, nil, nil, nil),
      (.example(etag: "\"b\""), before, "\"b\"", "Mon", kept),
      (.example(lastModified: "Tue"), before, "\"a\"", "Tue", kept),
      (minute, before, "\"a\"", "Mon", soon),
      (.example(freshness: .zero), before, "\"a\"", "Mon", now),
      (.example(etag: "\"b\"", freshness: .seconds(60)), nil, "\"b\"", nil, soon),
      // Redirects: the least of all hops. Without a lifetime of its own, each of them is asked again.
      (.example(redirects: [.seconds(60)]), before, "\"a\"", "Mon", soon),
      (.example(redirects: [.seconds(900), .seconds(600)]), before, "\"a\"", "Mon", kept),
      (.example(redirects: [.seconds(60)]), forever, "\"a\"", "Mon", nil),
      (.example(redirects: [nil]), before, "\"a\"", "Mon", nil),
      (.example(freshness: .seconds(60), redirects: [nil]), before, "\"a\"", "Mon", nil),
      (.example(freshness: .seconds(60), redirects: [.seconds(90), nil]), nil, nil, nil, nil),
      (.example(freshness: .seconds(90), redirects: [.seconds(60)]), nil, nil, nil, soon),
      (.example(freshness: .seconds(60), redirects: [.seconds(90)]), nil, nil, nil, soon),
      (.example(freshness: .seconds(60), redirects: [.zero]), nil, nil, nil, now),
    ]
    for (index, (response, before, etag, modified, until)) in cases.enumerated() {
      let confirmation = policy().confirmation(response, before: before, now: now)
      let expected = Confirmation(
        etag: etag, lastModified: modified, checked: now, freshUntil: until, run: thisRun)
      #expect(confirmation == expected, "case \(index)")
    }
  }

  @Test func receivedBytesAreComparedWithTheKnownOnes() {
    var rejected = KnownSource()
    rejected.rejection = .example()
    var rejectedAndKnown = KnownSource.ready()
    rejectedAndKnown.rejection = .example()
    rejectedAndKnown.rejection?.content = "bad"
    let cases: [(KnownSource, String, Reason)] = [
      (KnownSource(), "c1", .fetchedFirst),
      (rejected, "c1", .fetchedAgain),
      (rejected, "c0", .sameRejectedBytes),
      (rejectedAndKnown, "bad", .sameRejectedBytes),
      (rejectedAndKnown, "c0", .sameBytes),
      (.ready(), "c0", .sameBytes),
      (.ready(), "c1", .changed(oldETag: "\"old\"", newETag: "\"new\"")),
    ]
    for (source, digest, reason) in cases {
      #expect(policy().change(source, to: digest, .example(etag: "\"new\"")) == reason)
    }
  }
}
